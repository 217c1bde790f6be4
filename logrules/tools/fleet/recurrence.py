"""When failures of a kind happened: the first, the last, new, back after they were gone."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

WEEK_S = 604_800.0
WEEKS = 12


@dataclass(frozen=True, slots=True)
class Recurrence:
    """When failures of a kind happened; see `JobGroup` for the fields."""

    first: float | None
    last: float | None
    recent: int
    weeks: tuple[int, ...]
    new: bool
    back: bool


def recurrence(failed: Sequence[float], ran: Sequence[float], now: float) -> Recurrence:
    """What the moments ``failed`` come to at ``now``; jobs of any outcome ended at the moments ``ran`` (sorted)."""
    moments = sorted(failed)
    if not moments:
        return Recurrence(None, None, 0, (0,) * WEEKS, new=False, back=False)
    weeks = [0] * WEEKS
    for moment in moments:
        age = int(max(0.0, now - moment) // WEEK_S)
        if age < WEEKS:
            weeks[WEEKS - 1 - age] += 1
    recent = sum(moment >= now - WEEK_S for moment in moments)
    back = any(
        later >= now - WEEK_S and later - earlier > WEEK_S and _any_between(ran, earlier, later)
        for earlier, later in pairwise(moments)
    )
    return Recurrence(moments[0], moments[-1], recent, tuple(weeks), new=moments[0] >= now - WEEK_S, back=back)


def _any_between(ran: Sequence[float], earlier: float, later: float) -> bool:
    """Whether any job ended strictly between two moments: without one, nobody can say that a failure was gone."""
    place = bisect_right(ran, earlier)
    return place < len(ran) and ran[place] < later
