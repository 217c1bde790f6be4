"""Clocks of hosts against each other, by moments that several of them wrote down.

Every rank of a synchronous loop prints step 12 at the same moment, but for noise. Where two clocks
give that moment differently, and differently by the same amount each time, they disagree.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

# One shared moment may be chance, two a coincidence.
MIN_SHARED = 3
# Clocks that lie closer together than this are not told from workers that print one after the other.
MIN_SKEW_S = 0.5
# A clock is off by the same amount each time; workers that go their own ways are not.
MAX_SPREAD_S = 1.0
_SPREADS = 4.0
# Clocks drift by seconds, or are set to another zone. Loops that were started at different times lie further apart.
MAX_DRIFT_S = 120.0
ZONE_STEP_S = 900.0
MAX_ZONE_S = 14.5 * 3_600


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A clock's reading (seconds since the epoch) at something that other clocks may have seen too."""

    key: Hashable
    seconds: float


@dataclass(frozen=True, slots=True)
class Skew:
    """``behind_s`` is what is to be added to a clock's readings; measured on ``shared`` moments, give or take."""

    behind_s: float
    shared: int
    spread_s: float


def skews(clocks: Mapping[str, Sequence[ClockReading]]) -> dict[str, Skew]:
    """The clocks that disagree with most others, by name, each with how far it is behind (ahead where negative).

    What is told is an offset to the reading that the middle one of all aligned clocks gives. A clock that shares too
    few moments, or whose differences do not agree with each other, is left as it is.
    """
    readings = {name: _first_readings(moments) for name, moments in clocks.items()}
    aligned = _aligned({name: found for name, found in readings.items() if len(found) >= MIN_SHARED})
    if len(aligned) < 2:  # noqa: PLR2004 (a clock alone disagrees with nobody)
        return {}
    ranked = sorted(skew.behind_s for skew in aligned.values())
    # Of two in the middle, the clock that the others were set against.
    middle = min(ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2], key=abs)
    moved = {name: Skew(skew.behind_s - middle, skew.shared, skew.spread_s) for name, skew in aligned.items()}
    return {name: skew for name, skew in moved.items() if _is_skew(skew)}


def _first_readings(moments: Iterable[ClockReading]) -> dict[Hashable, float]:
    first: dict[Hashable, float] = {}
    for moment in moments:
        first.setdefault(moment.key, moment.seconds)
    return first


def _aligned(readings: Mapping[str, Mapping[Hashable, float]]) -> dict[str, Skew]:
    """Every clock that can be tied to the first, through others if need be, with its offset to it."""
    aligned: dict[str, Skew] = {}
    timeline: dict[Hashable, float] = {}
    for first in _by_fullness(readings):
        aligned = {first: Skew(0.0, len(readings[first]), 0.0)}
        timeline = dict(readings[first])
        grows = True
        while grows:
            grows = False
            for name in readings:
                if name in aligned or (skew := _against(timeline, readings[name])) is None:
                    continue
                aligned[name], grows = skew, True
                for key, seconds in readings[name].items():
                    timeline.setdefault(key, seconds + skew.behind_s)
        if 2 * len(aligned) > len(readings):
            break
    return aligned


def _by_fullness(readings: Mapping[str, Mapping[Hashable, float]]) -> Iterator[str]:
    """The clocks to start from: a few of the fullest, the first of equals first."""
    yield from sorted(readings, key=lambda name: -len(readings[name]))[:3]


def _against(timeline: Mapping[Hashable, float], clock: Mapping[Hashable, float]) -> Skew | None:
    """How far a clock is behind the timeline, where its differences agree with each other."""
    differences = [timeline[key] - seconds for key, seconds in clock.items() if key in timeline]
    if len(differences) < MIN_SHARED:
        return None
    # Quartiles: a quarter of all readings may be anything.
    low, behind, high = quantiles(differences, n=4, method="inclusive")
    spread = high - low
    return Skew(behind, len(differences), spread) if spread <= MAX_SPREAD_S else None


def _is_skew(skew: Skew) -> bool:
    size = abs(skew.behind_s)
    if size < max(MIN_SKEW_S, _SPREADS * skew.spread_s):
        return False
    off_zone = abs(size - round(size / ZONE_STEP_S) * ZONE_STEP_S)
    return off_zone <= MAX_DRIFT_S and size <= MAX_ZONE_S


def by_clock(sources: Mapping[str, tuple[str | None, Sequence[ClockReading]]]) -> dict[str, list[ClockReading]]:
    """The moments of each host's clock, from those of its sources (host, moments); a source without one has its own.

    Several sources of a host may give the same moment: the middle one of their readings counts.
    """
    found: dict[str, dict[Hashable, list[float]]] = {}
    for source, (host, moments) in sources.items():
        clock = found.setdefault(host or source, {})
        for key, seconds in _first_readings(moments).items():
            clock.setdefault(key, []).append(seconds)
    return {name: [ClockReading(key, median(read)) for key, read in clock.items()] for name, clock in found.items()}
