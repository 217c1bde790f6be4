"""Ranks side by side: which one is not where the others are. Pure functions of what is known of each.

A rank's watchdog times out only on work which that rank itself enqueued, so a rank that did not report, or that has
completed all that it enqueued, waits for nobody: the others wait for it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from logrules.inference.cadence import median
from logrules.inference.observation import Observation
from logrules.inference.rank_table import Collective, GroupProgress, RankState
from logrules.model.collective import CollectiveCall
from logrules.model.record import field, record, replace
from logrules.model.report import DivergenceKind

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
# In what ranks are unlike the others, which ranks, and the others.
Unlike: TypeAlias = tuple[DivergenceKind, tuple[int, ...], tuple[int, ...]]

# Two errors that lie closer together than this are not told apart by clocks of different hosts.
TELLING_S = 0.5
# A rank whose steps take this much longer than its peers' holds them up, or has ceased to belong to them.
SLOW_SHARE = 1.5
_FEWEST_PEERS = 2
# NCCL's buffers let a rank get a few collectives ahead of those that it shares them with; ranks further apart than this
# count those of different groups.
_FURTHEST_APART = 100
_PAIRED = ("SEND", "RECV")


@record
class RankSnapshot:
    """One rank as it stands: its ``state`` by its own lines, its ``waits`` by id with the line that opened each.

    ``passed`` are the waits that are over for it; ``step_s`` is how long its steps take; ``failed`` and ``left`` are
    the lines by which it did so; ``heard`` is set where it reported the trouble in whatever words.
    """

    rank: int
    state: RankState
    waits: Mapping[str, Observation] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()
    step_s: float | None = None
    failed: Observation | None = None
    left: Observation | None = None
    heard: bool = False


@record
class RankDivergence:
    """Ranks that are unlike the others: in what, and a line of each side where there is one."""

    kind: DivergenceKind
    ranks: tuple[int, ...]
    others: tuple[int, ...]
    lines: tuple[Observation, ...]
    facts: Mapping[str, str] = field(default_factory=dict)


def _apart(
    kind: DivergenceKind, odd: Mapping[int, Observation], others: Mapping[int, Observation], **facts: str
) -> RankDivergence:
    """Ranks, each with a line that shows it, that are unlike the others: the line of the first on each side is told."""
    lines = tuple(side[min(side)] for side in (odd, others) if side)
    return RankDivergence(kind, tuple(sorted(odd)), tuple(sorted(others)), lines, facts)


def spread_of(places: Sequence[RankSnapshot]) -> tuple[float, float] | None:
    """(spread, time-out) in seconds of the time-outs that ranks report, where they lie further apart than they wait.

    They then tell of several hangs, or of clocks that nobody can compare, and the first to report need not be the
    first to wait.
    """
    calls = [call for place in places for call in place.state.calls.values()]
    told = [(call.told.time, call.timeout_s) for call in calls if call.timeout_s and call.told.time is not None]
    if not told:
        return None
    times, limits = zip(*told, strict=True)
    spread, limit = max(times) - min(times), min(limits)
    return (spread, limit) if spread > limit else None


def in_collectives(places: Sequence[RankSnapshot], world: int | None) -> Iterator[RankDivergence]:
    """By the collectives that ranks wait in: idle, behind, another operation or size, not there at all."""
    for waiting, standing in by_group({place.rank: place.state for place in places}):
        yield from _idle(waiting, standing)
        yield from _by_number(waiting)
        yield from _by_kind(waiting)
    yield from _silent(places, world)


def by_group(states: Mapping[int, RankState]) -> Iterator[tuple[dict[int, Collective], dict[int, GroupProgress]]]:
    """For each process group in which ranks wait, and how far they have come: not of one that a rank told out of order.

    What ranks say of no group is of the only one that any line of the job names, unless they say that of it as well.
    """
    names = dict.fromkeys(name for state in states.values() for name in (*state.calls, *state.standings))
    alone = len(names.keys() - {None}) == 1
    for group in [sorted(names, key=lambda name: name is not None)] if alone else [[name] for name in names]:
        if all(state.mixed.isdisjoint(group) for state in states.values()):
            told = [(rank, state, name) for rank, state in states.items() for name in group]
            waiting = {rank: state.calls[name] for rank, state, name in told if name in state.calls}
            yield waiting, {rank: state.standings[name] for rank, state, name in told if name in state.standings}


def _idle(waiting: Mapping[int, Collective], standing: Mapping[int, GroupProgress]) -> Iterator[RankDivergence]:
    """Ranks that have completed all that they enqueued, while others wait in a later collective."""
    stuck = {rank: (one.completed + 1, one.told) for rank, one in standing.items() if one.enqueued > one.completed}
    stuck |= {rank: (call.seq, call.told) for rank, call in waiting.items()}
    idle = {rank: one.told for rank, one in standing.items() if one.enqueued == one.completed and rank not in stuck}
    last = max((standing[rank].enqueued for rank in idle), default=-1)
    others = {rank: told for rank, (seq, told) in stuck.items() if seq > last}
    if idle and others and len(idle) <= len(others):
        yield _apart(DivergenceKind.IDLE, idle, others, seq=str(last), theirs=str(stuck[min(others)][0]))


def _by_number(waiting: Mapping[int, Collective]) -> Iterator[RankDivergence]:
    if (split := _minority(waiting, lambda call: call.seq, lambda seq: seq)) is not None:
        ranks, others = split
        own, theirs = waiting[ranks[0]], waiting[others[0]]
        if max(abs(waiting[rank].seq - theirs.seq) for rank in ranks) <= _FURTHEST_APART:
            kind = DivergenceKind.BEHIND if own.seq < theirs.seq else DivergenceKind.AHEAD
            yield RankDivergence(kind, ranks, others, (own.told, theirs.told), facts_of(own, theirs))


def _by_kind(waiting: Mapping[int, Collective]) -> Iterator[RankDivergence]:
    """Ranks that wait in the same collective as the others by its number, but in another by its kind."""
    same = of_one_number(waiting)
    if (found := unlike_in_kind(same)) is not None:
        own, theirs = (same[side[0]] for side in found[1:])
        yield RankDivergence(*found, (own.told, theirs.told), facts_of(own, theirs))


def of_one_number(waiting: Mapping[int, Collective]) -> dict[int, Collective]:
    """The calls of most ranks by their number. A send waits for its receive: neither is a call of a whole group."""
    calls = {rank: call for rank, call in waiting.items() if call.op not in _PAIRED}
    usual = Counter(call.seq for call in calls.values()).most_common(1)
    return {rank: call for rank, call in calls.items() if call.seq == usual[0][0]}


def unlike_in_kind(same: Mapping[int, CollectiveCall], lower: Callable[[Hashable], int] | None = None) -> Unlike | None:
    """Whose call of one number is another operation than that of most, or of other sizes."""
    # Who reads calls keeps sizes only of operations in which all ranks must agree on them.
    sized = all(call.numel_in is not None for call in same.values())
    if (split := _minority(same, lambda call: call.op, lower)) is not None:
        return DivergenceKind.OTHER_OPERATION, *split
    if sized and (split := _minority(same, lambda call: (call.numel_in, call.numel_out), lower)) is not None:
        return DivergenceKind.OTHER_SIZE, *split
    return None


def facts_of(own: CollectiveCall, theirs: CollectiveCall) -> dict[str, str]:
    """What the sentence of a divergence says of a call on either side."""
    mine = {"seq": str(own.seq), "op": own.op, "size": _size(own)}
    return mine | {"theirs": str(theirs.seq), "their_op": theirs.op, "their_size": _size(theirs)}


def _size(call: CollectiveCall) -> str:
    return str(call.numel_in) if call.numel_in == call.numel_out else f"{call.numel_in} → {call.numel_out}"


def _silent(places: Sequence[RankSnapshot], world: int | None) -> Iterator[RankDivergence]:
    """Ranks that report nothing, where most report that they wait: in any group, since not all are in each.

    Of those whose log is there and says nothing, and those of which there is none, the first are the suspects.
    """
    reported = {place.rank for place in places if place.state.calls or place.state.standings or place.heard}
    waiting = {place.rank: next(iter(place.state.calls.values())) for place in places if place.state.calls}
    # Ranks count from 0, so those below the highest exist too. Where most are not seen, nothing is said of them.
    highest = max(world or 0, *reported) if reported else 0
    unseen = set(range(highest)) - {place.rank for place in places} if highest <= 2 * len(places) else set()
    silent = {place.rank for place in places} - reported or unseen
    if not silent or not waiting or len(silent) >= len(reported):
        return
    ranks, others = tuple(sorted(silent)), tuple(sorted(waiting))
    own = [place.state.last for place in places if place.rank == ranks[0]]
    call = waiting[others[0]]
    facts = {"theirs": str(call.seq), "their_op": call.op}
    yield RankDivergence(DivergenceKind.NEVER_ARRIVED, ranks, others, (*own, call.told), facts)


def in_leaving(places: Sequence[RankSnapshot], trouble: Observation) -> Iterator[RankDivergence]:
    """Ranks that had done their work before the ``trouble`` of others: these wait for them, or lose them."""
    gone = {place.rank: place.left for place in places if place.left is not None and place.left.order < trouble.order}
    there = {place.rank: trouble for place in places if place.left is None}
    if gone and len(gone) <= len(there):
        yield _apart(DivergenceKind.LEFT, gone, there)


def in_wait(places: Sequence[RankSnapshot], wait: str) -> Iterator[RankDivergence]:
    """Ranks that have not come to the wait in which most others are."""
    inside = {place.rank: place.waits[wait] for place in places if wait in place.waits}
    outside = {place.rank: place.state.last for place in places if wait not in place.waits and wait not in place.passed}
    if outside and len(outside) < len(inside):
        yield _apart(DivergenceKind.NEVER_ARRIVED, outside, inside, wait=wait)


def in_steps(places: Sequence[RankSnapshot]) -> Iterator[RankDivergence]:
    """Ranks whose last step is an earlier one than the others'."""
    known = ((place.rank, place.state.step, place.state.stepped) for place in places)
    steps = {rank: (step, line) for rank, step, line in known if step is not None and line is not None}
    split = _minority(steps, lambda one: one[0], lambda step: step)
    if split is None:
        return
    step, their_step = (steps[side[0]][0] for side in split)
    odd, others = ({rank: steps[rank][1] for rank in side} for side in split)
    if step < their_step:
        yield _apart(DivergenceKind.STEP_BEHIND, odd, others, step=str(step), their_step=str(their_step))


def in_pace(places: Sequence[RankSnapshot]) -> Iterator[RankDivergence]:
    """The rank whose steps take much longer than its peers'."""
    known = ((one.rank, one.step_s, one.state.stepped) for one in places)
    paces = {rank: (step_s, line) for rank, step_s, line in known if step_s is not None and line is not None}
    if len(paces) <= _FEWEST_PEERS:
        return
    slow = max(paces, key=lambda rank: (paces[rank][0], -rank))
    step_s, line = paces.pop(slow)
    usual = median(pace for pace, _ in paces.values())
    if usual > 0 and step_s >= SLOW_SHARE * usual:
        others = {rank: line for rank, (_, line) in paces.items()}
        yield _apart(DivergenceKind.SLOW, {slow: line}, others, step_s=f"{step_s:.2f}", their_step_s=f"{usual:.2f}")


def in_errors(places: Sequence[RankSnapshot]) -> Iterator[RankDivergence]:
    """The rank that was the first to print an error, where the next came late enough to tell; the host of them all."""
    failing = {place.rank: place.failed for place in places if place.failed is not None}
    timed = sorted((line.time, rank) for rank, line in failing.items() if line.time)
    if len(timed) > 1 and timed[1][0] - timed[0][0] >= TELLING_S:
        (at, first), (then, second), *_ = timed
        others = tuple(sorted(rank for _, rank in timed[1:]))
        lines, facts = (failing[first], failing[second]), {"before_s": f"{then - at:.1f}"}
        yield RankDivergence(DivergenceKind.FIRST_ERROR, (first,), others, lines, facts)
    yield from _one_host(places, failing)


def _one_host(places: Sequence[RankSnapshot], failing: Mapping[int, Observation]) -> Iterator[RankDivergence]:
    hosts = {place.rank: place.state.host for place in places}
    theirs = {hosts[rank] for rank in failing}
    # One that fails is no pattern, and one host is that of all.
    if len(failing) > 1 and len(theirs) == 1 and len(set(hosts.values())) > 1 and None not in hosts.values():
        one = _apart(DivergenceKind.SAME_HOST, failing, {}, host=str(theirs.pop()))
        yield replace(one, others=tuple(sorted(hosts.keys() - failing.keys())))


def _minority(
    ranks: Mapping[int, Value], key: Callable[[Value], Key], lower: Callable[[Key], int] | None
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The ranks whose key is not that of most, and those who have it; None where all agree or no key is the usual one.

    Of as many as have either of two keys, those with the ``lower`` one are the odd ones, if they can be ordered.
    """
    keys = {rank: key(value) for rank, value in sorted(ranks.items())}
    counts = Counter(keys.values()).most_common()
    if len(counts) < 2:  # noqa: PLR2004 (all agree)
        return None
    usual = counts[0][0]
    if counts[1][1] == counts[0][1]:
        if lower is None or len(counts) > 2:  # noqa: PLR2004 (nobody is the odd one out)
            return None
        usual = max(counts[0][0], counts[1][0], key=lower)
    odd = tuple(rank for rank, its in keys.items() if its != usual)
    return odd, tuple(rank for rank in keys if rank not in odd)
