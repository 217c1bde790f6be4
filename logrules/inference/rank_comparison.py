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
from logrules.inference.workers import WorkerTracker
from logrules.model.report import Comparison, Difference, Severity

_PAIR = 2
# Other rules tell of errors that somebody else made: a time-out, a peer that is gone.
_OWN_ERROR = ("reporter", "captured")


def compared(run: RunState, roots: Sequence[Hypothesis], *, stalled: bool) -> Comparison | None:
    """The ranks of the job's largest role side by side; None where fewer than two were seen.

    ``roots`` are all hypotheses, that of the first diagnosis first.
    """
    rank_table, recorded = run.ranks, run.recorded
    roles = Counter(role for role, _ in rank_table.states)
    role = max(roles, key=lambda role: (roles[role], role is None, role or ""), default=None)
    rank_states = {
        rank: rank_state
        for (its, rank), rank_state in sorted(rank_table.states.items(), key=lambda item: item[0][1])
        if its == role
    }
    if len(rank_states) < _PAIR:
        return None
    places = tuple(_places(rank_states, role, run.tracker, _failures(roots), _heard(roots) | recorded.ranks))
    world = rank_table.world if rank_table.world is not None and rank_table.world > max(rank_states) else None
    spread = rank_divergence.spread_of(places)
    found: Iterator[RankDivergence] = iter(())
    if spread is None:
        hung = rank_divergence.in_collectives(places, world)
        # Only of the wait that the first diagnosis is of: elsewhere ranks may rightly be at different work.
        wait = roots[0].rule.wait if roots else None
        awaited = rank_divergence.in_wait(places, wait) if wait is not None else ()
        hangs = stalled or any(place.state.calls for place in places)
        gone = rank_divergence.in_leaving(places, roots[0].first) if roots and roots[0].rule.culprit == "absent" else ()
        found = chain(gone, hung, awaited, rank_divergence.in_steps(places) if hangs else ())
    told = chain(recorded.divergences, found, rank_divergence.in_errors(places), rank_divergence.in_pace(places))
    return Comparison(tuple(rank_states), world, tuple(map(_difference, told)), *(spread or (None, None)))


def _difference(one: RankDivergence) -> Difference:
    hosts = tuple(dict.fromkeys(line.worker.host for line in one.lines[:1] if line.worker.host is not None))
    evidence = tuple(evidence_from(line, {}) for line in one.lines)
    return Difference(one.kind, one.ranks, one.others, hosts, one.facts, evidence)


def _heard(roots: Sequence[Hypothesis]) -> frozenset[int]:
    """The ranks that report what the first diagnosis is of, where that is of those who wait."""
    if not roots or roots[0].rule.culprit != "absent":
        return frozenset()
    return roots[0].reporters


def _failures(roots: Iterable[Hypothesis]) -> dict[int, Observation]:
    """The first line of each rank that shows an error of its own that the run did not survive."""
    lines = (
        observation
        for one in roots
        if one.severity is Severity.ERROR and one.rule.wait is None and one.rule.culprit in _OWN_ERROR
        for observation in one.lines
        if observation.worker.rank is not None
    )
    first: dict[int, Observation] = {}
    for line in sorted(lines, key=lambda observation: observation.order):
        first.setdefault(line.worker.rank or 0, line)
    return first


def _places(
    rank_states: Mapping[int, RankState],
    role: str | None,
    tracker: WorkerTracker,
    failures: Mapping[int, Observation],
    heard: frozenset[int],
) -> Iterator[RankSnapshot]:
    states: dict[int, list[WorkerState]] = {}
    for worker, state in tracker.workers.items():
        if worker.role == role and worker.rank is not None:
            states.setdefault(worker.rank, []).append(state)
    for rank, rank_state in rank_states.items():
        # A rank may write to several files: standard output, standard error.
        own = states.get(rank, [])
        yield RankSnapshot(
            rank,
            rank_state,
            {name: wait.opened for state in own for name, wait in state.waits.items()},
            frozenset(name for state in own for name in state.passed),
            next((pace for state in own if (pace := state.rhythm.usual_step_s) is not None), None),
            failures.get(rank),
            next((left for state in own if (left := _left(state)) is not None), None) if rank not in failures else None,
            rank in heard,
        )


def _left(state: WorkerState) -> Observation | None:
    """The line by which a worker left: it said that it was done, or was seen to end."""
    return state.left or (state.entered if state.phase == "shutdown" else None)
