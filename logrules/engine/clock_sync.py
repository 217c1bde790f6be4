"""A first look at the logs of one job: which worker wrote each, and whose clock is wrong.

Events are merged by time as they are read, so clock errors must be known before the first. A look at both ends of
each log is enough: a clock is off by the same amount all along.

Every rank of a synchronous loop prints step 12 at the same moment, but for noise. Where two clocks give that moment
differently, and differently by the same amount each time, they disagree.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import median, quantiles
from typing import TypeAlias

from logrules.engine.dating import Alignment, NamedWorker, dated_events
from logrules.inference.clock import Clock
from logrules.model.event import Event, Worker
from logrules.model.record import record, replace
from logrules.model.report import SourceNote
from logrules.parsing.clean import clean
from logrules.parsing.header import MAX_HEADER_CHARS, HeaderParser, worker_of_name
from logrules.parsing.hit_lines import hit_lines
from logrules.parsing.reader import Reader
from logrules.parsing.scan import Scanner
from logrules.parsing.window import Window
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of

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


# A clock's readings (seconds since the epoch) at moments that other clocks may have seen too.
Readings: TypeAlias = Mapping[Hashable, float]


@record
class Skew:
    """``behind_s`` is what is to be added to a clock's readings; measured on ``shared`` moments, give or take."""

    behind_s: float
    shared: int
    spread_s: float


def skews(clocks: Mapping[str, Readings]) -> dict[str, Skew]:
    """The clocks that disagree with most others, by name, each with how far it is behind (ahead where negative).

    What is told is an offset to the reading that the middle one of all aligned clocks gives. A clock that shares too
    few moments, or whose differences do not agree with each other, is left as it is.
    """
    aligned = _aligned({name: found for name, found in clocks.items() if len(found) >= MIN_SHARED})
    if len(aligned) < 2:  # noqa: PLR2004 (a clock alone disagrees with nobody)
        return {}
    ranked = sorted(skew.behind_s for skew in aligned.values())
    # Of two in the middle, the clock that the others were set against.
    middle = min(ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2], key=abs)
    moved = {name: Skew(skew.behind_s - middle, skew.shared, skew.spread_s) for name, skew in aligned.items()}
    return {name: skew for name, skew in moved.items() if _is_skew(skew)}


def _aligned(readings: Mapping[str, Readings]) -> dict[str, Skew]:
    """Every clock that can be tied to the first, through others if need be, with its offset to it."""
    aligned: dict[str, Skew] = {}
    timeline: dict[Hashable, float] = {}
    # A few of the fullest to start from, the first of equals first.
    for first in sorted(readings, key=lambda name: -len(readings[name]))[:3]:
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


def _against(timeline: Readings, clock: Readings) -> Skew | None:
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


def by_clock(clocks: Iterable[tuple[str, Readings]]) -> dict[str, Readings]:
    """The readings of each clock, by its name, from those of the sources that bear its times.

    Several of these may give the same moment: the middle one of their readings counts.
    """
    found: dict[str, dict[Hashable, list[float]]] = {}
    for name, readings in clocks:
        for key, seconds in readings.items():
            found.setdefault(name, {}).setdefault(key, []).append(seconds)
    return {name: {key: median(read) for key, read in clock.items()} for name, clock in found.items()}


END_BYTES = 256 << 10
# Many logs share many moments: a shorter look at each is enough.
MANY_SOURCES = 64
END_BYTES_OF_MANY = 64 << 10
# So many moments of a log are enough to compare its clock with a neighbour's.
MOMENTS = 24
_ENOUGH = 8
# A worker names itself within so many lines.
_INTRODUCTION = 40
_INTRODUCTION_BYTES = 16 << 10
# A marker with one of these captures dates something that happened on several workers.
_SHARED = ("step", "epoch", "barrier")
_TELLING = ("step", "barrier")


def aligned(sources: Sequence[Source], pack: Pack) -> Alignment:
    """How the clocks of one job's logs differ; logs that can be read only once are left as they are."""
    look = _Look(pack, END_BYTES if len(sources) < MANY_SOURCES else END_BYTES_OF_MANY)
    seen = {source.name: look.at(source) for source in sources}
    # The ranks of a host share its clock.
    clock_of = {source: worker.introduced.host or source for source, (worker, _) in seen.items()}
    found = skews(by_clock((clock_of[source], readings) for source, (_, readings) in seen.items()))
    return Alignment(
        {source: found[clock].behind_s for source, clock in clock_of.items() if clock in found},
        {source: worker for source, (worker, _) in seen.items() if worker.introduced != worker.named},
        tuple(_note(clock, found[clock]) for clock in dict.fromkeys(clock_of.values()) if clock in found),
    )


def _note(clock: str, skew: Skew) -> SourceNote:
    way = "behind" if skew.behind_s > 0 else "ahead"
    amount = f"{abs(skew.behind_s):.1f} s {way}, by {skew.shared} moments that other logs share"
    return SourceNote(clock, f"its clock is {amount}; corrected")


class _Look:
    """Reads a little of each log: the worker that it names, and the moments that it may share with others."""

    def __init__(self, pack: Pack, end_bytes: int) -> None:
        self._end_bytes = end_bytes
        self._names = pack.names
        self._peeler = HeaderParser(pack)
        self._telling = frozenset(
            marker.signal
            for marker in pack.markers
            if any(f"(?P<{name}>" in (pack.signals[marker.signal].pattern or "") for name in _TELLING)
        )
        # Numbers of signals stay; what nobody scans for is never found.
        wanted = [
            signal if number in self._telling else replace(signal, literals=())
            for number, signal in enumerate(pack.signals)
        ]
        self._scanner = Scanner(wanted)
        self._reader = Reader(pack, self._scanner.signals_of)

    def at(self, source: Source) -> tuple[NamedWorker, Readings]:
        """Whose log it is, and the first readings of its clock; nothing of these if it can be read only once."""
        named = introduced = worker_of_name(source.name, self._names)
        readings: dict[Hashable, float] = {}
        clock = Clock(modified_of(source))
        ends = getattr(source, "ends", None)
        for place, data in enumerate(ends(self._end_bytes) if ends is not None else ()):
            if not place:
                introduced = self._by_content(named, data)
            readings = {**dict(islice(self._readings(source.name, data, clock), MOMENTS)), **readings}
            if len(readings) >= _ENOUGH:
                break
        return NamedWorker(named, introduced), readings

    def _by_content(self, named: Worker, head: bytes) -> Worker:
        """The worker that the first lines name, for a file that is one worker's by its name."""
        if named.rank is None and named.pid is None:
            return named
        lines = islice((line for line in head[:_INTRODUCTION_BYTES].splitlines() if line.strip()), _INTRODUCTION)
        said = [self._peeler.peel(clean(line[:MAX_HEADER_CHARS])) for line in lines]
        ranks = {header.rank for header in said if header.rank is not None}
        hosts = {header.host for header in said if header.host is not None}
        rank = next(iter(ranks)) if len(ranks) == 1 else named.rank
        return replace(named, rank=rank, host=named.host or (next(iter(hosts)) if len(hosts) == 1 else None))

    def _readings(self, source: str, data: bytes, clock: Clock) -> Iterator[tuple[Hashable, float]]:
        """The moments that others may share, each once, with what the clock of the log read first then."""
        seen: set[Hashable] = set()
        for event in dated_events(self._events(source, data), clock):
            key = self._key(event)
            if event.stamp is not None and key is not None and key not in seen:
                seen.add(key)
                yield key, event.stamp.seconds

    def _events(self, source: str, data: bytes) -> Iterable[Event]:
        found = hit_lines(Window(source, 0, 0, data), self._scanner.scan(data))
        for line in found.lines:
            yield from self._reader.line_events(source, line.number, line)

    def _key(self, event: Event) -> Hashable | None:
        for hit in event.hits:
            if hit.signal in self._telling and any(name in hit.captures for name in _TELLING):
                return (hit.signal, *(hit.captures.get(name) for name in _SHARED))
        return None
