"""Where the calls of ranks do not match: by the lines of those who wait, and by the dumps of their flight recorders.

A recorder holds the last calls and not only the one that is waited for: of calls that do not match some may still
complete, so that ranks wait in a later one.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from logrules.inference.observation import KEPT_OBSERVATIONS, NO_SIGNAL, Match, Observation, match_of_lines
from logrules.inference.rank_divergence import RankDivergence, Unlike, by_group, facts_of, of_one_number, unlike_in_kind
from logrules.inference.rank_table import Collective, RankState, RankTable
from logrules.model.collective import CollectiveCall, GroupRecord, RecordedCall
from logrules.model.event import Hit
from logrules.model.record import replace
from logrules.model.report import DivergenceKind


def unlike_calls(ranks: RankTable) -> Match | None:
    """The lines of ranks that wait in another call of the same number than the others, then one of those.

    Of two equal halves the one without the lowest rank is the odd one, as in dumps.
    """
    of_role: dict[str | None, dict[int, RankState]] = {}
    for (role, rank), state in sorted(ranks.states.items(), key=lambda item: item[0][1]):
        of_role.setdefault(role, {})[rank] = state
    groups = chain.from_iterable(map(by_group, of_role.values()))
    return match_of_lines(line for waiting, _ in groups for line in _unlike(waiting))


def _unlike(waiting: Mapping[int, Collective]) -> Iterator[Observation]:
    same = of_one_number(waiting)
    if (found := unlike_in_kind(same, lower=lambda _: 0)) is not None:
        _, odd, others = found
        for told, hit in ((same[rank].told, _hit(rank, same[rank])) for rank in odd):
            yield replace(told, event=replace(told.event, hits=(*told.event.hits, hit)))
        yield same[others[0]].told


def _hit(rank: int, call: CollectiveCall) -> Hit:
    return Hit(NO_SIGNAL, {"rank": str(rank), "seq": str(call.seq), "op": call.op})


# So many places in the order of a job a record takes: those of ranks that part from it, and its own behind them.
PLACES = 1 + KEPT_OBSERVATIONS
# By rank what its recorder holds of a group, and the moment of it.
_Records: TypeAlias = Mapping[int, tuple[GroupRecord, Observation]]


class RecordedCalls:
    """The dumps of a run, and where their ranks part: compared anew only when another came."""

    def __init__(self) -> None:
        self._groups: dict[str | None, dict[int, tuple[GroupRecord, Observation]]] = {}
        self._found: tuple[RankDivergence, ...] | None = ()

    @property
    def ranks(self) -> frozenset[int]:
        """The ranks of which there is a dump."""
        return frozenset(chain.from_iterable(self._groups.values()))

    @property
    def divergences(self) -> tuple[RankDivergence, ...]:
        """The first parting of each group, the earliest first. The line of the others comes last in each."""
        if self._found is None:
            found = filter(None, map(_first_parting, self._groups.values()))
            self._found = tuple(sorted(found, key=lambda one: one.lines[-1].time or float("inf")))
        return self._found

    def add(self, recorded: GroupRecord, observation: Observation) -> None:
        """Take what the recorder of a rank holds of a group."""
        if recorded.worker.rank is not None:
            self._groups.setdefault(recorded.group, {})[recorded.worker.rank] = recorded, observation
            self._found = None

    def match(self, *, missed: bool) -> Match | None:
        """The lines of ranks that ``missed`` a call, or made another, then one of those that they part from."""
        found = [one for one in self.divergences if (one.kind is DivergenceKind.MISSED) is missed]
        odd = (line for one in found for line in one.lines[:-1])
        return match_of_lines((*odd, *(one.lines[-1] for one in found[:1])))


def _first_parting(records: _Records) -> RankDivergence | None:
    """Where the ranks of a group part first; what a ring has already dropped cannot be compared."""
    calls = {rank: {call.seq: call for call in records[rank][0].calls} for rank in sorted(records)}
    begun = max((min(its) for its in calls.values() if its), default=0)
    for seq in sorted({seq for its in calls.values() for seq in its if seq >= begun}):
        there = {rank: its[seq] for rank, its in calls.items() if seq in its}
        unlike = unlike_in_kind(there, lower=lambda _: 0) or _unlike_in_calling(there, calls.keys() - there.keys())
        if unlike is not None:
            return _divergence(unlike, there, records)
    return None


def _unlike_in_calling(there: Mapping[int, RecordedCall], missing: Collection[int]) -> Unlike | None:
    """Ranks that never made a call that others made and still wait in; or, where these are fewer, made one more."""
    waiting, absent = tuple(rank for rank, call in there.items() if not call.completed), tuple(sorted(missing))
    if not absent or not waiting:
        return None
    more = len(absent) > len(waiting)
    return (DivergenceKind.EXTRA, waiting, absent) if more else (DivergenceKind.MISSED, absent, waiting)


def _divergence(unlike: Unlike, there: Mapping[int, RecordedCall], records: _Records) -> RankDivergence:
    kind, odd, others = unlike
    # A call is missed when others make it.
    made = next(rank for rank in (*others, *odd) if rank in there)
    own, theirs = there.get(odd[0], there[made]), there[made]
    told = replace(records[made][1], time=theirs.created or records[made][1].time)

    def line(rank: int, place: int, *hits: Hit) -> Observation:
        record = records[rank][0]
        event = record.at(there.get(rank) or next(reversed(record.calls), None))
        return replace(told, event=replace(event, hits=hits), order=told.order - place)

    lines = [line(rank, place, _hit(rank, own)) for rank, place in zip(odd, range(PLACES - 1, 0, -1), strict=False)]
    return RankDivergence(kind, odd, others, (*lines, line(others[0], 0)), facts_of(own, theirs))
