"""Sources to a report: windows scanned on threads, events merged by time, one session.

``replay`` reads saved logs to their end. The report does not depend on how the sources cut their
bytes nor on the number of threads: a window is a fixed stretch of a source, and windows are taken in order.
"""

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from logrules.align import aligned
from logrules.extract.extract import Reader, find
from logrules.extract.familiar import Familiar
from logrules.extract.lines import Found
from logrules.extract.newlines import Count, count_newlines, fast_counter
from logrules.extract.scan import EVERYTHING, Detail, Scanner
from logrules.extract.window import Window, windows
from logrules.model.block import Block, End, Skipped, Tick
from logrules.model.event import Event, Stamp
from logrules.model.report import Report, SourceNote
from logrules.pack.capture import Captures
from logrules.pack.pack import Pack
from logrules.reason.clock import Clock
from logrules.reason.index import Index, index_of
from logrules.reason.session import Session
from logrules.sources.source import Source

# The head and the tail of a log are read in full detail; what lies between is sampled where it repeats.
FULL_WINDOWS = 2
# A literal with more hits than this in the head of a log tells of its routine, whatever its rule thinks.
COMMON_HITS = 1_000
# Between head and tail, one window in so many is asked for samples of the routine.
SAMPLED_WINDOWS = 8
# From here on a log is big: NumPy earns its import, and samples that lie further apart still draw every curve.
BIG_WINDOWS = 128
SAMPLED_BIG_WINDOWS = 32

Progress = Callable[[int], None]


@dataclass(slots=True)
class Tally:
    """What reading a job came to."""

    lines: int = 0
    bytes: int = 0


class Scanners:
    """Scanners for each thread and each degree of detail, made when first needed."""

    def __init__(self, pack: Pack, *, cache: bool = False) -> None:
        self._pack = pack
        self._cache = cache
        whole = Scanner(pack.signals, cache=cache)
        self._idle: dict[Detail, list[Scanner]] = {EVERYTHING: [whole]}
        self.signals_of = whole.signals_of
        self.sampled = whole.sampled
        self.reader = Reader(pack, self.signals_of)
        of_traces = _trace_signals(pack)
        self.of_traces = frozenset(
            entry for entry, asked in enumerate(self.signals_of) if of_traces.intersection(asked)
        )

    def find(self, window: Window, detail: Detail = EVERYTHING, count: Count = count_newlines) -> Found:
        """Scan a window with a scanner that no other thread is using."""
        idle = self._idle.setdefault(detail, [])
        try:
            scanner = idle.pop()
        except IndexError:
            # What one log is full of, few others are: only what serves every log is worth keeping.
            scanner = Scanner(self._pack.signals, detail, cache=self._cache and not detail.common)
        found = find(window, scanner, count)
        idle.append(scanner)
        return found


@dataclass(frozen=True, slots=True)
class Prepared:
    """A pack made ready to read many small logs: what is compiled once and shared by all.

    ``signals`` are the numbers of its signals by their id.
    """

    pack: Pack
    scanners: Scanners
    captures: Captures
    reader: Reader
    index: Index
    signals: Mapping[str, int]

    def session(self) -> Session:
        """A new session of the pack."""
        return Session(self.pack, index=self.index, captures=self.captures)


def prepared(pack: Pack, *, cache: bool = False) -> Prepared:
    """The pack with its literals compiled and its tables made."""
    scanners, captures = Scanners(pack, cache=cache), Captures()
    reader = Reader(pack, scanners.signals_of, captures)
    numbers = {signal.id: number for number, signal in enumerate(pack.signals)}
    return Prepared(pack, scanners, captures, reader, index_of(pack), numbers)


def replay(
    sources: Sequence[Source],
    pack: Pack,
    *,
    threads: int = 2,
    progress: Progress | None = None,
    notes: Iterable[SourceNote] = (),
    cache: bool = False,
    observe: Callable[[Event], None] | None = None,
) -> Report:
    """The report on saved logs, read to their end. ``progress`` is told the bytes read so far.

    With ``cache`` compiled literals are kept in the user's cache folder. ``observe`` sees every
    event in the order in which the session does.
    """
    with ThreadPoolExecutor(max(1, threads)) as pool:
        job = _Job(pack, Scanners(pack, cache=cache), pool, threads, Session(pack), Tally(), progress)
        return _read(job, sources, notes, observe)


def replay_prepared(
    on: Prepared,
    session: Session,
    sources: Sequence[Source],
    notes: Iterable[SourceNote] = (),
    observe: Callable[[Event], None] | None = None,
) -> Report:
    """The same on a prepared pack, into a session of it that can be asked more than its report."""
    with ThreadPoolExecutor(1) as pool:
        return _read(_Job(on.pack, on.scanners, pool, 1, session, Tally(), None, on.reader), sources, notes, observe)


def _read(
    job: "_Job", sources: Sequence[Source], notes: Iterable[SourceNote], observe: Callable[[Event], None] | None = None
) -> Report:
    for note in notes:
        job.session.note(note.source, note.note)
    alignment = aligned(sources, job.pack)
    for note in alignment.notes:
        job.session.note(note.source, note.note)
    for event in merged([map(alignment.corrected, _dated(_events(source, job), source)) for source in sources]):
        job.session.feed(event)
        if observe is not None:
            observe(event)
    job.session.feed(End())
    return job.session.report(job.tally.lines, tuple(source.name for source in sources))


@dataclass(frozen=True, slots=True)
class _Job:
    pack: Pack
    scanners: Scanners
    pool: ThreadPoolExecutor
    threads: int
    session: Session
    tally: Tally
    progress: Progress | None
    reader: Reader | None = None


def _trace_signals(pack: Pack) -> frozenset[int]:
    """The signals of lines that mean something only together with their neighbours."""
    trace = pack.trace
    return frozenset((trace.head, trace.frame, trace.stack_frame, trace.exception, trace.chain) if trace else ())


def _items(source: Source, job: _Job) -> Iterator[Block | Skipped | Tick | End]:
    """What the source yields until its end; what could not be read is noted, what was read counted."""
    while True:
        item = source.read(None)
        match item:
            case Block():
                job.tally.bytes += len(item.data)
                if job.progress is not None:
                    job.progress(job.tally.bytes)
            case Skipped():
                job.session.note(item.source, item.reason)
            case End():
                return
            case _:
                pass
        yield item


def _events(source: Source, job: _Job) -> Iterator[Event]:
    """The events of one source in order, its last line at the end."""
    reader = job.reader or job.scanners.reader.for_another()
    last: Window | None = None
    line = 1
    for window, found in _found(windows(_items(source, job)), job):
        yield from reader.events(found, line)
        line += found.line_count
        job.tally.lines += found.line_count + found.unfinished
        last = last if window.data.isspace() else window
    if last is not None:
        yield _last_line(reader, last, line)
    for sentence in reader.dropped:
        job.session.note(source.name, sentence)


def _found(cut: Iterable[Window], job: _Job) -> Iterator[tuple[Window, Found]]:
    """Windows scanned on the pool, in order: all detail at the head and the tail, samples between."""
    ahead: deque[tuple[Window, Future[Found], bool]] = deque()
    head: list[Future[Found]] = []
    held: deque[Window] = deque()
    thinned: Thinned | None = None
    familiar = Familiar(job.scanners.of_traces)

    def next_found() -> tuple[Window, Found]:
        window, future, between = ahead.popleft()
        return window, familiar.thinned(future.result()) if between else future.result()

    for window in cut:
        if window.index < FULL_WINDOWS:
            head.append(job.pool.submit(job.scanners.find, window))
            ahead.append((window, head[-1], False))
        else:
            held.append(window)
        if len(held) > FULL_WINDOWS:
            thinned = thinned or Thinned.after((future.result() for future in head), job.scanners.sampled)
            early = held.popleft()
            count = fast_counter() if early.index >= BIG_WINDOWS else count_newlines
            ahead.append((early, job.pool.submit(job.scanners.find, early, thinned.detail(early), count), True))
        while len(ahead) > 2 * job.threads:
            yield next_found()
    ahead.extend((window, job.pool.submit(job.scanners.find, window), False) for window in held)
    while ahead:
        yield next_found()


@dataclass(frozen=True, slots=True)
class Thinned:
    """The detail in which the middle of a log is read, given what its head is full of."""

    samples: Detail
    rest: Detail

    @classmethod
    def after(cls, head: Iterable[Found], sampled: frozenset[int]) -> "Thinned":
        """By the literals that the head is full of: those of its routine, whatever their rules think."""
        counts = Counter(entry for found in head for line in found.lines for _, entry in line.hits)
        common = frozenset(entry for entry, count in counts.items() if count > COMMON_HITS) - sampled
        return cls(Detail(None, common), Detail(False, common))

    def detail(self, window: Window) -> Detail:
        """Samples of the routine in every so many windows, nothing of it in the others."""
        apart = SAMPLED_WINDOWS if window.index < BIG_WINDOWS else SAMPLED_BIG_WINDOWS
        return self.samples if window.index % apart == 0 else self.rest


def _last_line(reader: Reader, window: Window, lines_before_end: int) -> Event:
    data = window.data.rstrip()
    start = max(data.rfind(b"\n") + 1, len(data) - 65_536)
    after = window.data.count(b"\n", start)
    number = lines_before_end - after
    return reader.last_event(window.source, max(number, 1), window.offset + start, data[start:])


def _dated(events: Iterable[Event], source: Source) -> Iterator[Event]:
    """Events whose stamps all have a year: the one nearest to the full dates around, or to the file's own."""
    clock = Clock(getattr(source, "modified", None))
    return (dated(event, clock) for event in events)


def dated(event: Event, clock: Clock) -> Event:
    """The event with a stamp that has a year, as ``clock`` reads it: the clock of the log, which it moves on."""
    time = clock.read(event)
    if time is not None and event.stamp is not None and not event.stamp.year_known:
        return replace(event, stamp=Stamp(time))
    return event


def merged(streams: Sequence[Iterator[Event]]) -> Iterator[Event]:
    """Several sources as one, by time; a line without a time goes with the line before it."""
    if len(streams) == 1:
        return streams[0]
    return (event for _, _, event in heapq.merge(*(_keyed(stream, n) for n, stream in enumerate(streams)), key=_key))


def _keyed(stream: Iterable[Event], number: int) -> Iterator[tuple[float, int, Event]]:
    latest = float("-inf")
    for event in stream:
        if event.stamp is not None:
            latest = max(latest, event.stamp.seconds)
        yield latest, number, event


def _key(item: tuple[float, int, Event]) -> tuple[float, int]:
    return item[0], item[1]
