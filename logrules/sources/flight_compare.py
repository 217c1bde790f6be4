"""Dumps of several ranks side by side: which rank missed which collective, or called another."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from logrules.sources.flight_dump import Dump, Group, RecordedCall

Key = TypeVar("Key", bound=Hashable)

# Operations in which all ranks give and take the same amounts, by the end of their names.
_EVEN = ("all_reduce", "allreduce", "broadcast", "_all_gather_base", "_reduce_scatter_base", "barrier")


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


def findings(dumps: Sequence[Dump]) -> list[FlightFinding]:
    """The first parting of each group, the earliest first."""
    found = [one for group in groups_of(dumps) if (one := _first_parting(group, dumps)) is not None]
    return sorted(found, key=lambda one: (one.theirs.created or float("inf"), one.group))


def groups_of(dumps: Sequence[Dump]) -> dict[str, Group]:
    """Every group that any rank knows."""
    known: dict[str, Group] = {}
    for dump in dumps:
        for name, group in dump.groups.items():
            before = known.get(name, Group())
            known[name] = Group(before.description or group.description, before.ranks or group.ranks)
    return known


def _first_parting(group: str, dumps: Sequence[Dump]) -> FlightFinding | None:
    members = set(groups_of(dumps)[group].ranks) or {dump.rank for dump in dumps if dump.calls.get(group)}
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
    if (split := _minority(there, lambda call: call.op)) is not None:
        return _found(CallDifference.OTHER_OPERATION, group, seq, split, there)
    op = next(iter(there.values())).op
    if op.endswith(_EVEN) and (split := _minority(there, lambda call: (call.numel_in, call.numel_out))) is not None:
        return _found(CallDifference.OTHER_SIZE, group, seq, split, there)
    return None


def _found(
    parting: CallDifference,
    group: str,
    seq: int,
    split: tuple[tuple[int, ...], tuple[int, ...]],
    there: Mapping[int, RecordedCall],
) -> FlightFinding:
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


def _minority(
    there: Mapping[int, RecordedCall], key: Callable[[RecordedCall], Key]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The ranks whose key is not that of most, and the others; of two equal parties the one without the lowest rank."""
    counts = Counter(key(call) for call in there.values())
    if len(counts) < 2:  # noqa: PLR2004 (all agree)
        return None
    most = max(counts.values())
    usual = next(key(there[rank]) for rank in sorted(there) if counts[key(there[rank])] == most)
    odd = tuple(rank for rank in sorted(there) if key(there[rank]) != usual)
    return odd, tuple(rank for rank in sorted(there) if key(there[rank]) == usual)


def standing(calls: Sequence[RecordedCall]) -> tuple[Iterator[RecordedCall], int, int]:
    """(calls that are not completed, number of the last that was enqueued, of the last that was completed)."""
    last_completed = max((call.seq for call in calls if call.completed), default=-1)
    return (call for call in calls if not call.completed), max((call.seq for call in calls), default=-1), last_completed
