"""Collectives that ranks wait in by their own lines, side by side: whose operation or size does not match."""

from collections.abc import Iterator, Mapping

from logrules.inference.observation import Match, Observation, match_of_lines
from logrules.inference.rank_divergence import of_one_number, unlike_in_kind
from logrules.inference.rank_table import Collective, RankTable
from logrules.model.event import Hit
from logrules.model.record import replace


def unlike_calls(ranks: RankTable) -> Match | None:
    """The lines of ranks that wait in another call of the same number than the others, then one of those.

    Of two equal halves the one without the lowest rank is the odd one, as in dumps.
    """
    return match_of_lines(line for waiting in _waiting(ranks) for line in _unlike(waiting))


def _waiting(ranks: RankTable) -> Iterator[dict[int, Collective]]:
    """By rank the call that it waits in, group by group; none of a group of which a rank told out of order."""
    groups: dict[tuple[str | None, str | None], dict[int, Collective]] = {}
    mixed = {(role, group) for (role, _), state in ranks.states.items() for group in state.mixed}
    for (role, rank), state in sorted(ranks.states.items(), key=lambda item: item[0][1]):
        for group, call in state.calls.items():
            groups.setdefault((role, group), {})[rank] = call
    return (waiting for group, waiting in groups.items() if group not in mixed)


def _unlike(waiting: Mapping[int, Collective]) -> Iterator[Observation]:
    same = of_one_number(waiting)
    if (found := unlike_in_kind(same, lower=lambda _: 0)) is not None:
        _, odd, others = found
        yield from (_named(rank, same[rank]) for rank in odd)
        yield same[others[0]].told


def _named(rank: int, call: Collective) -> Observation:
    said = {"rank": str(rank), "seq": str(call.seq), "op": call.op}
    return replace(call.told, event=replace(call.told.event, hits=(*call.told.event.hits, Hit(-1, said))))
