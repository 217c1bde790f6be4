"""The ranks of a job compared, for a report: who is unlike the others, and whether anybody may be named."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from logrules.inference import rank_divergence
from logrules.inference.evidence_lines import evidence_from
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Observation
from logrules.inference.rank_divergence import RankDivergence, RankSnapshot
from logrules.inference.rank_table import RankState
from logrules.inference.run_state import RunState
from logrules.inference.worker_state import WorkerState
from logrules.model.report import Comparison, Difference, Severity

_PAIR = 2
# Other rules tell of errors that somebody else made: a time-out, a peer that is gone.
_OWN_ERROR = ("reporter", "captured")


def compared(run: RunState, roots: Sequence[Hypothesis], *, stalled: bool) -> Comparison | None:
    """The ranks of the job's largest role side by side; None where fewer than two were seen.

    ``roots`` are all hypotheses, that of the first diagnosis first.
    """
    table, first = run.ranks, roots[0] if roots else None
    roles = Counter(role for role, _ in table.states)
    role = max(roles, key=lambda role: (roles[role], role is None, role or ""), default=None)
    states = {
        rank: table.states[its, rank] for its, rank in sorted(table.states, key=lambda key: key[1]) if its == role
    }
    if len(states) < _PAIR:
        return None
    misses = first if first is not None and first.rule.culprit == "absent" else None
    heard = run.recorded.ranks | (misses.reporters if misses is not None else frozenset())
    places = tuple(_places(run, role, states, _failures(roots), heard))
    world = table.world if table.world is not None and table.world > max(states) else None
    spread = rank_divergence.spread_of(places)
    hung = _in_hang(places, world, first, stalled=stalled) if spread is None else ()
    told = chain(run.recorded.divergences, hung, rank_divergence.in_errors(places), rank_divergence.in_pace(places))
    return Comparison(tuple(states), world, tuple(map(_difference, told)), *(spread or (None, None)))


def _in_hang(
    places: Sequence[RankSnapshot], world: int | None, first: Hypothesis | None, *, stalled: bool
) -> Iterator[RankDivergence]:
    """Who is not where the others wait, the most telling first; ``first`` is the hypothesis of the first diagnosis."""
    if first is not None and first.rule.culprit == "absent":
        yield from rank_divergence.in_leaving(places, first.first)
    yield from rank_divergence.in_collectives(places, world)
    # Only of the wait that the first diagnosis is of: elsewhere ranks may rightly be at different work.
    if first is not None and first.rule.wait is not None:
        yield from rank_divergence.in_wait(places, first.rule.wait)
    if stalled or any(place.state.calls for place in places):
        yield from rank_divergence.in_steps(places)


def _difference(one: RankDivergence) -> Difference:
    hosts = tuple(dict.fromkeys(line.worker.host for line in one.lines[:1] if line.worker.host is not None))
    evidence = tuple(evidence_from(line, {}) for line in one.lines)
    return Difference(one.kind, one.ranks, one.others, hosts, one.facts, evidence)


def _failures(roots: Iterable[Hypothesis]) -> dict[int, Observation]:
    """The first line of each rank that shows an error of its own that the run did not survive."""
    lines = (
        (line.order, line.worker.rank, line)
        for one in roots
        if one.severity is Severity.ERROR and one.rule.wait is None and one.rule.culprit in _OWN_ERROR
        for line in one.lines
    )
    latest_first = sorted(lines, key=lambda told: -told[0])
    return {rank: line for _, rank, line in latest_first if rank is not None}


def _places(
    run: RunState,
    role: str | None,
    states: Mapping[int, RankState],
    failures: Mapping[int, Observation],
    heard: frozenset[int],
) -> Iterator[RankSnapshot]:
    # A rank may write to several files: standard output, standard error.
    writers: dict[int | None, list[WorkerState]] = {}
    for worker, state in run.tracker.workers.items():
        if worker.role == role:
            writers.setdefault(worker.rank, []).append(state)
    for rank, rank_state in states.items():
        own = writers.get(rank, [])
        waits = {name: wait.opened for state in own for name, wait in state.waits.items()}
        passed = frozenset(name for state in own for name in state.passed)
        step_s = next((pace for state in own if (pace := state.rhythm.usual_step_s) is not None), None)
        # Who left said that it was done, or was seen to end.
        left = (state.left or (state.entered if state.phase == run.pack.end else None) for state in own)
        gone = next(filter(None, left), None) if rank not in failures else None
        yield RankSnapshot(rank, rank_state, waits, passed, step_s, failures.get(rank), gone, rank in heard)
