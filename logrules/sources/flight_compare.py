"""Dumps of several ranks side by side: which rank missed which collective, or called another.

What they tell is written as a log of each rank, so that the rules read it as they read everything else.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum

from logrules.sources.flight_dump import Dump, Group, RecordedCall

# Operations in which all ranks give and take the same amounts, by the end of their names.
_EVEN = ("all_reduce", "allreduce", "broadcast", "_all_gather_base", "_reduce_scatter_base", "barrier")
# Of more ranks that do otherwise nobody reads.
_MAX_ODD = 64


class CallDifference(Enum):
    """How ranks part."""

    MISSED = "missed"
    EXTRA = "extra"
    OTHER_OPERATION = "other-operation"
    OTHER_SIZE = "other-size"


@dataclass(frozen=True, slots=True)
class FlightFinding:
    """Where the ranks of a group part first: the ``odd`` ones and the others, with a call of each.

    ``own`` is the odd rank's call, or the last one that it made where it missed one; None where it made none.
    ``theirs`` is the same of the others, or the odd rank's own where they never called it.
    """

    parting: CallDifference
    group: str
    seq: int
    odd: tuple[int, ...]
    others: tuple[int, ...]
    own: RecordedCall | None
    theirs: RecordedCall


def lines_of(dumps: Sequence[Dump]) -> dict[str, str]:
    """The text of each dump by its name: where its rank stands in each group, then what the comparison found of it."""
    known = groups_of(dumps)
    found = findings(dumps)
    names = {dump.rank: dump.name for dump in dumps}
    text: dict[str, list[str]] = {dump.name: list(_standings(dump)) for dump in dumps}
    for one in found:
        for rank, line in _told(one, known[one.group]):
            text[names[rank]].append(line)
    return {name: "\n".join((*lines, "")) for name, lines in text.items()}


def _standings(dump: Dump) -> Iterator[str]:
    for name, calls in dump.calls.items():
        group = dump.groups.get(name, Group())
        last = next((call for call in calls if not call.completed), calls[-1])
        completed = max((call.seq for call in calls if call.completed), default=-1)
        world = f", world size: {max(group.ranks) + 1}" if group.ranks else ""
        head = _head(dump.rank, name, group, last)
        yield f"{head}flight recorder: enqueued up to {calls[-1].seq}, completed up to {completed}{world}"


def _told(one: FlightFinding, group: Group) -> Iterator[tuple[int, str]]:
    """(rank, line): of each odd rank what it did otherwise, then of one other what it waits in."""
    theirs = one.theirs
    for rank in one.odd[:_MAX_ODD]:
        yield rank, f"{_head(rank, one.group, group, theirs)}flight recorder: rank {rank} {_otherwise(one)}"
    if one.parting is not CallDifference.EXTRA:
        rank = one.others[0]
        said = f"called {_shown(theirs)}, and {len(one.others) - 1} others with it"
        yield rank, f"{_head(rank, one.group, group, theirs)}flight recorder: rank {rank} {said}"


def _otherwise(one: FlightFinding) -> str:
    own, theirs, others = one.own, one.theirs, f"{len(one.others)} others"
    if one.parting is CallDifference.MISSED or own is None:
        last = f"its last was {_shown(own)}" if own is not None else "it called none"
        return f"never called collective {one.seq} ({theirs.op}) that {others} wait in; {last}"
    match one.parting:
        case CallDifference.EXTRA:
            unlike = f", {others} never called it"
        case CallDifference.OTHER_OPERATION:
            unlike = f", {others} called {theirs.op}"
        case _:
            sizes, their_sizes = (f"{call.numel_in}->{call.numel_out}" for call in (own, theirs))
            unlike = f" with {sizes} elements, {others} with {their_sizes}"
    return f"called {own.op} as collective {one.seq}{unlike}{_at(own)}"


def _shown(call: RecordedCall) -> str:
    return f"collective {call.seq} ({call.op}){_at(call)}"


def _at(call: RecordedCall) -> str:
    return f" at {call.place}" if call.place else ""


def _head(rank: int, name: str, group: Group, call: RecordedCall) -> str:
    """The prefix that c10d itself gives its lines, behind the time at which the call was made."""
    told = f"{name}({group.description})" if group.description else name
    prefix = f"[rank{rank}]: [PG ID 0 PG GUID {told} Rank {rank}] "
    if call.created is None:
        return prefix
    return f"{datetime.fromtimestamp(call.created, UTC):%Y-%m-%d %H:%M:%S.%f} {prefix}"


def findings(dumps: Sequence[Dump]) -> list[FlightFinding]:
    """The first parting of each group, the earliest first."""
    found = (_first_parting(name, group.ranks, dumps) for name, group in groups_of(dumps).items())
    return sorted(filter(None, found), key=lambda one: (one.theirs.created or float("inf"), one.group))


def groups_of(dumps: Sequence[Dump]) -> dict[str, Group]:
    """Every group that any rank knows."""
    known: dict[str, Group] = {}
    for dump in dumps:
        for name, group in dump.groups.items():
            before = known.get(name, Group())
            known[name] = Group(before.description or group.description, before.ranks or group.ranks)
    return known


def _first_parting(group: str, ranks: Iterable[int], dumps: Sequence[Dump]) -> FlightFinding | None:
    members = set(ranks) or {dump.rank for dump in dumps if dump.calls.get(group)}
    by_rank = {
        dump.rank: {call.seq: call for call in dump.calls.get(group, ())} for dump in dumps if dump.rank in members
    }
    begun = [min(calls) for calls in by_rank.values() if calls]
    if len(by_rank) < 2 or not begun:  # noqa: PLR2004 (nobody to compare with)
        return None
    # What a ring has already dropped cannot be compared.
    for seq in sorted({seq for calls in by_rank.values() for seq in calls if seq >= max(begun)}):
        there = {rank: calls[seq] for rank, calls in by_rank.items() if seq in calls}
        found = _unlike(group, seq, there) or _missed(group, seq, there, by_rank)
        if found is not None:
            return found
    return None


def _unlike(group: str, seq: int, there: Mapping[int, RecordedCall]) -> FlightFinding | None:
    """Ranks that called another operation than most, or gave and took other amounts where all must be alike."""
    parting = CallDifference.OTHER_OPERATION
    split = _minority({rank: call.op for rank, call in there.items()})
    if split is None and next(iter(there.values())).op.endswith(_EVEN):
        parting = CallDifference.OTHER_SIZE
        split = _minority({rank: (call.numel_in, call.numel_out) for rank, call in there.items()})
    if split is None:
        return None
    odd, others = split
    return FlightFinding(parting, group, seq, odd, others, there[odd[0]], there[others[0]])


def _missed(
    group: str, seq: int, there: Mapping[int, RecordedCall], by_rank: Mapping[int, Mapping[int, RecordedCall]]
) -> FlightFinding | None:
    """Ranks that never made a call that others made and still wait in; or, where these are fewer, made one more."""
    missing = tuple(sorted(set(by_rank) - set(there)))
    waiting = tuple(sorted(rank for rank, call in there.items() if not call.completed))
    if not missing or not waiting:
        return None
    if len(missing) > len(waiting):
        return FlightFinding(CallDifference.EXTRA, group, seq, waiting, missing, there[waiting[0]], there[waiting[0]])
    calls = by_rank[missing[0]]
    own = calls[max(calls)] if calls else None
    return FlightFinding(CallDifference.MISSED, group, seq, missing, waiting, own, there[waiting[0]])


def _minority(said: Mapping[int, Hashable]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The ranks that do not say what most do, and the others; of two equal parties the one without the lowest rank."""
    counts = Counter(said.values())
    if len(counts) < 2:  # noqa: PLR2004 (all agree)
        return None
    most = max(counts.values())
    usual = next(said[rank] for rank in sorted(said) if counts[said[rank]] == most)
    odd = tuple(rank for rank in sorted(said) if said[rank] != usual)
    return odd, tuple(rank for rank in sorted(said) if said[rank] == usual)
