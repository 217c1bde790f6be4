"""A first look at the logs of one job: which worker wrote each, and whose clock is wrong.

Events are merged by time as they are read, so clock errors must be known before the first. A look at both ends of
each log is enough: a clock is off by the same amount all along.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter

from logrules.engine.dating import Alignment, ClockSample, after_full_date
from logrules.inference.clock import Clock
from logrules.inference.clock_skew import ClockReading, Skew, by_clock, skews
from logrules.model.event import Event, Worker
from logrules.model.record import replace
from logrules.model.report import SourceNote
from logrules.parsing.clean import clean
from logrules.parsing.header import MAX_HEADER_CHARS, HeaderParser, worker_of_name
from logrules.parsing.reader import Reader, find
from logrules.parsing.scan import Scanner
from logrules.parsing.window import Window
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of

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
    found = skews(by_clock({source: (one.worker.host, one.moments) for source, one in seen.items()}))
    clock_of = {source: one.worker.host or source for source, one in seen.items()}
    return Alignment(
        {source: found[clock].behind_s for source, clock in clock_of.items() if clock in found},
        {source: one for source, one in seen.items() if one.worker != one.named},
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

    def at(self, source: Source) -> ClockSample:
        """What a log shows at its ends; nothing if it can be read only once."""
        named = worker_of_name(source.name, self._names)
        ends = getattr(source, "ends", None)
        if ends is None:
            return ClockSample(named, named)
        clock = Clock(modified_of(source))
        worker = named
        moments: list[ClockReading] = []
        for place, data in enumerate(ends(self._end_bytes)):
            if not place:
                worker = self._by_content(named, data)
            moments += islice(self._moments(source.name, data, clock), MOMENTS)
            if len(moments) >= _ENOUGH:
                break
        return ClockSample(named, worker, tuple(moments))

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

    def _moments(self, source: str, data: bytes, clock: Clock) -> Iterator[ClockReading]:
        for event in after_full_date(self._events(source, data), attrgetter("stamp"), clock):
            seconds = clock.read(event) if event.stamp is not None else None
            key = self._key(event)
            if seconds is not None and key is not None:
                yield ClockReading(key, seconds)

    def _events(self, source: str, data: bytes) -> Iterable[Event]:
        found = find(Window(source, 0, 0, data), self._scanner)
        for line in found.lines:
            yield from self._reader.line_events(source, line.number, line)

    def _key(self, event: Event) -> Hashable | None:
        for hit in event.hits:
            if hit.signal in self._telling and any(name in hit.captures for name in _TELLING):
                return (hit.signal, *(hit.captures.get(name) for name in _SHARED))
        return None
