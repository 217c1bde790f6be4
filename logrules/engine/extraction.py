"""Turns one source into events: windows scanned ahead on threads, head and tail in full, samples between.

The result does not depend on block boundaries or on the number of threads: a window is a fixed range of offsets,
and windows are taken in order.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from logrules.engine.scan_pool import Pending, ScanPool
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.record import mutable_record, record, replace
from logrules.model.report import Severity, SourceNote
from logrules.model.stream import Block, End, Skipped
from logrules.parsing.hit_lines import Found, hit_lines
from logrules.parsing.log_ends import LogEnds
from logrules.parsing.reader import Reader
from logrules.parsing.sampler import FULL_WINDOWS, Sampler
from logrules.parsing.scan import EVERYTHING, Detail, Scanner
from logrules.parsing.window import WINDOW_BYTES, Window, windows
from logrules.parsing.window_sample import WindowSample
from logrules.ruleset.condition import leaves, signals_of
from logrules.ruleset.pack import Pack
from logrules.sources.source import RecordSource, Source

if TYPE_CHECKING:
    from logrules.parsing.deduplication import EntryRoles

# A literal with more hits than this in the head of a log is routine, whatever its rule says.
COMMON_HITS = 1_000
# Each hit takes the interpreter's lock, for which a scan aside has to wait: of a log with so many in a window of its
# head that costs more than it saves.
DENSE_HITS = 10_000
# Between head and tail, one window in so many is sampled for the routine.
SAMPLED_WINDOWS = 8
# From here on a log is big, and sparser samples still draw every curve.
BIG_WINDOWS = 128
SAMPLED_BIG_WINDOWS = 32

# What serves every log is compiled already; leaving out one log's frequent literals pays only for a long log.
_SAMPLES, _REST = Detail(None), Detail(False)

Progress = Callable[[int], None]
# Many logs are read in smaller windows each, so that less of each is read in full detail and held at once.
MANY_SOURCES = 16
WINDOW_BYTES_OF_MANY = WINDOW_BYTES // 4
# Of a crowded log the last of each error in a window is read where none of so many windows behind it has another. All
# of them are held in memory, of several logs at a time fewer of each.
WINDOWS_AHEAD = 8


def window_bytes(sources: int) -> int:
    """The window size for reading so many sources."""
    return WINDOW_BYTES if sources < MANY_SOURCES else WINDOW_BYTES_OF_MANY


def windows_ahead(sources: int) -> int:
    """How many windows of a log are looked at ahead of the one that is read, for reading so many sources."""
    return max(WINDOWS_AHEAD // max(sources, 1), 1)


@mutable_record
class Tally:
    """Totals of reading a job."""

    lines: int = 0
    bytes: int = 0


@record
class Extraction:
    """How sources are read: with which scanners and pool, and where unreadable ones are noted.

    ``sources`` is how many there are: of many, less of each is held. A source that cannot be read is added to
    ``unread`` and yields nothing; without ``unread``, SourceError is raised.
    """

    scanners: "Scanners"
    pool: ScanPool
    note: Callable[[SourceNote], None]
    tally: Tally
    sources: int = 1
    progress: Progress | None = None
    reader: Reader | None = None
    unread: list[SourceNote] | None = None

    def events(self, source: Source) -> Iterator[Event]:
        """The events of one source in order, then its last lines, then its first ones."""
        if isinstance(source, RecordSource):
            self.tally.lines += source.lines
            yield from source.records
            return
        reader = self.reader or self.scanners.reader.for_another()
        ends = LogEnds()
        line, continued, unfinished = 1, 0, False
        for window, found in _found(windows(_blocks(source, self), window_bytes(self.sources)), self):
            yield from reader.events(found, line, continued)
            line += found.line_count
            continued += found.continued
            self.tally.lines += found.line_count - found.continued
            unfinished = found.unfinished
            ends.add(window.offset, window.data)
        self.tally.lines += unfinished
        yield from reader.tail_events(source.name, ends.last_lines(line - 1, continued))
        yield from (reader.head_event(source.name, raw) for raw in ends.first_lines())
        for sentence in reader.dropped:
            self.note(SourceNote(source.name, sentence))


class Scanners:
    """Scanners for each thread and each degree of detail, made when first needed."""

    def __init__(self, pack: Pack, *, cache: bool = False) -> None:
        self._pack = pack
        self._cache = cache
        whole = Scanner(pack.signals, cache=cache, trace=pack.trace)
        self._first = {EVERYTHING: whole}
        self._idle: dict[Detail, list[Scanner]] = {EVERYTHING: [whole]}
        self._compiling = Lock()
        self.signals_of = whole.signals_of
        self.sampled = whole.sampled
        self.reader = Reader(pack, self.signals_of)

    def sampler(self) -> Sampler:
        """What says which lines of a log are read."""
        return Sampler(self.sampled, lambda: self.roles)

    @cached_property
    def roles(self) -> "EntryRoles":
        """The roles of the entries, by which lines may be left out."""
        from logrules.parsing.deduplication import EntryRoles

        trace = self._pack.trace
        return EntryRoles(
            of_traces=self._entries_of(_trace_signals(self._pack)),
            exceptions=self._entries_of({trace.exception} if trace is not None else ()),
            below=self._entries_of({trace.below} if trace is not None and trace.below is not None else ()),
            telling=self.telling,
            askers=self.signals_of,
        )

    @cached_property
    def telling(self) -> frozenset[int]:
        """The entries of failure signals: never left out, however frequent they are in the head of a log."""
        traced = self._pack.trace.signals if self._pack.trace is not None else frozenset()
        rules = (rule for rule in self._pack.rules if rule.severity is Severity.ERROR)
        asked = (signal for rule in rules for leaf in leaves(rule.when) for signal in signals_of(leaf))
        return self._entries_of({*traced, *asked, *self._pack.exit_signals.values()})

    def _entries_of(self, signals: Iterable[int]) -> frozenset[int]:
        """The scanner's entries for these signals."""
        asked = frozenset(signals)
        return frozenset(entry for entry, askers in enumerate(self.signals_of) if not asked.isdisjoint(askers))

    def for_another(self) -> "Scanners":
        """The same for another log: what is compiled for one log's routine is useless to the next."""
        found = copy(self)
        found._first = {EVERYTHING: self._first[EVERYTHING]}  # noqa: SLF001 (one of us)
        found._idle = {EVERYTHING: self._idle[EVERYTHING]}  # noqa: SLF001 (one of us)
        return found

    def find(
        self, window: Window, detail: Detail = EVERYTHING, sample: WindowSample | None = None, known: int = 0
    ) -> Found:
        """Scan a window with a scanner that no other thread is using; ``sample`` is what came of it before."""
        idle = self._idle.setdefault(detail, [])
        try:
            scanner = idle.pop()
        except IndexError:
            scanner = self._first_of(detail).for_another_thread()
        found = hit_lines(window, scanner.scan(window.data), sample or WindowSample(self.sampled), known)
        idle.append(scanner)
        return found

    def _first_of(self, detail: Detail) -> Scanner:
        """The scanner for a level of detail, compiled by whichever thread needs it first."""
        with self._compiling:
            if detail not in self._first:
                # Few logs share their frequent literals: only what serves every log is worth caching.
                cache = self._cache and not detail.common
                self._first[detail] = Scanner(self._pack.signals, detail, cache=cache, trace=self._pack.trace)
            return self._first[detail]


def _trace_signals(pack: Pack) -> frozenset[int]:
    """The signals of lines that mean something only together with their neighbours.

    An exception below a frame has the signal of lines there. An exception without frames is a line like any other, and
    so is the message of an aborting C++ program: of lines that always come together, the same ones are read.
    """
    return pack.trace.signals - {pack.trace.exception, pack.trace.abort} if pack.trace else frozenset()


def _blocks(source: Source, how: Extraction) -> Iterator[Block]:
    """The blocks of the source, counted; a failure to read is noted."""
    try:
        while not isinstance(item := source.read(None), End):
            if isinstance(item, Skipped):
                how.note(SourceNote(item.source, item.reason))
            elif isinstance(item, Block):
                how.tally.bytes += len(item.data)
                if how.progress is not None:
                    how.progress(how.tally.bytes)
                yield item
    except SourceError as fault:
        if how.unread is None:
            raise
        reason = str(fault).removeprefix(f"{source.name}: ").removeprefix(f"{getattr(source, 'path', '')}: ")
        how.unread.append(SourceNote(source.name, reason, unread=True))


def _found(cut: Iterator[Window], how: Extraction) -> Iterator[tuple[Window, Found]]:
    """Windows in order: full detail at head and tail, samples between.

    The head is scanned by the thread that reads it, the rest on the pool unless the head is dense.
    """
    scan, pending = how.pool.submit, how.pool.threads
    ahead: deque[tuple[Window, Pending[Found], bool]] = deque()
    head: list[Pending[Found]] = []
    held: deque[Window] = deque()
    plan: SamplingPlan | None = None
    sampler = how.scanners.sampler()
    looked_at = windows_ahead(how.sources)

    def next_found() -> tuple[Window, Found]:
        window, scanned, past = ahead.popleft()
        found = scanned()
        sampler.enter(window.index)
        lines = sampler.take(found, lambda: [later() for _, later, _ in islice(ahead, looked_at)], past=past)
        return window, replace(found, lines=(*lines, *sampler.release()), thinned=sampler.thinned)

    for window in cut:
        if window.index < FULL_WINDOWS:
            scanned = how.pool.done(how.scanners.find, window, EVERYTHING)
            head.append(scanned)
            ahead.append((window, scanned, False))
        else:
            held.append(window)
        if len(held) > FULL_WINDOWS:
            if plan is None:
                plan = SamplingPlan.after((scanned() for scanned in head), how.scanners.sampled | how.scanners.telling)
                head.clear()  # what was found takes more memory than the windows
                if plan.dense:
                    scan, pending = how.pool.done, 0
            early = held.popleft()
            ahead.append((early, scan(how.scanners.find, early, plan.detail(early)), True))
        while len(ahead) > looked_at + pending:
            yield next_found()
    ahead.extend((window, scan(how.scanners.find, window, EVERYTHING), False) for window in held)
    while ahead:
        yield next_found()


@record
class SamplingPlan:
    """The detail in which the middle of a log is read, given what is frequent in its head.

    A ``dense`` log is scanned by the thread that reads it.
    """

    samples: Detail
    rest: Detail
    dense: bool = False

    @classmethod
    def after(cls, head: Iterable[Found], kept: frozenset[int]) -> "SamplingPlan":
        """The plan by the literals that are frequent in the head: all but the kept ones are routine."""
        counts = sum((Counter(found.hits) for found in head), Counter[int]())
        common = frozenset(entry for entry, count in counts.items() if count > COMMON_HITS) - kept
        return cls(Detail(None, common), Detail(False, common), counts.total() > FULL_WINDOWS * DENSE_HITS)

    def detail(self, window: Window) -> Detail:
        """The detail of a window: samples of the routine in one of so many windows, nothing of it in the others."""
        if window.index < BIG_WINDOWS:
            return _SAMPLES if window.index % SAMPLED_WINDOWS == 0 else _REST
        return self.samples if window.index % SAMPLED_BIG_WINDOWS == 0 else self.rest
