"""Turns a scanned window into events: lines cleaned, prefixes stripped, patterns matched. The entry to this package."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import lru_cache, partial
from operator import itemgetter

from logrules.model.event import Event, Hit, Level, Stance, Worker
from logrules.model.record import record, replace
from logrules.parsing.captures import Captures
from logrules.parsing.clean import clean, may_be_redrawn, redraws
from logrules.parsing.header import Header, HeaderParser, worker_of_name
from logrules.parsing.hit_lines import Found, HitLine, kind_of
from logrules.parsing.literal_matcher import Kind
from logrules.parsing.log_ends import RawLine
from logrules.parsing.stance import StanceJudge
from logrules.parsing.window_sample import FLOOD_LINES
from logrules.ruleset.pack import Pack, Signal

# The part of a line that evidence can show; patterns see up to MAX_PATTERN_TEXT of it.
MAX_EVENT_TEXT = 32_768
# Each may be a step: enough of them to see who goes on after an error.
ROUTINE_REDRAWS = 16
# Enough of them to see that a run lives on; there are many such lines.
THINNED_REDRAWS = 3
# So many of the latest lines are recognised if they are repeated; long ones rarely are.
KEPT_LINES = 8_192
MAX_KEPT_BYTES = 512
# Of so many kinds of such lines it is kept who asks for them.
KEPT_KINDS = 256
_TRACEBACK = "Traceback (most recent call last)"


@record
class LineReading:
    """What a line says by itself: its text, its parsed prefixes, its signals."""

    text: str
    header: Header
    hits: tuple[Hit, ...]


class Reader:
    """Turns hit lines into events. Keeps compiled patterns (``captures``) and recently read lines.

    None of this is state of the log: the reading of a line depends on the line alone.
    """

    def __init__(self, pack: Pack, signals_of: Sequence[Sequence[int]]) -> None:
        self._pack = pack
        self._signals_of = signals_of
        self._peeler = HeaderParser(pack)
        self._judge = StanceJudge(pack.tables.stances)
        self.captures = Captures()
        self._from_names: dict[str, Worker] = {}
        self._forget()

    def _forget(self) -> None:
        # Closures, not methods: so that nothing of a log stays in memory once its reader is gone.
        asked_of = partial(_asked_of, self._pack.signals, self._signals_of)
        self._read = partial(_reading_of, asked_of, self._peeler, self.captures)
        known = lru_cache(KEPT_KINDS)(asked_of)
        self._read_before = lru_cache(KEPT_LINES)(partial(_reading_of, known, self._peeler, self.captures))

    def for_another(self) -> "Reader":
        """A reader for another log: tables are shared; what is compiled or dropped on the way is its own."""
        twin = copy(self)
        twin._peeler, twin.captures, twin._from_names = self._peeler.for_another(), Captures(), {}  # noqa: SLF001 - as below
        twin._forget()  # noqa: SLF001 - as below
        return twin

    def over(self, pack: Pack) -> "Reader":
        """The same for a pack that differs only in its signals' patterns; compiled patterns are shared."""
        twin = copy(self)
        twin._pack = pack  # noqa: SLF001 - a copy of its own kind
        twin._forget()  # noqa: SLF001 - a copy of its own kind
        return twin

    @property
    def dropped(self) -> Iterable[str]:
        """Patterns that exceeded their time limit, a sentence each."""
        return (*self.captures.dropped.values(), *self._peeler.dropped, *self._judge.dropped)

    def events(self, found: Found, first_line: int, continued: int = 0) -> Iterator[Event]:
        """The events of a window whose first line has this number; ``continued`` lines before it are not the file's."""
        most = THINNED_REDRAWS if found.thinned else FLOOD_LINES
        for line in found.lines:
            yield from self.line_events(found.source, first_line + line.number, line, continued, most)

    def unasked(self, source: str, line: RawLine) -> Event:
        """A line without signals in the tail of a log: it shows how the log ends. Of one drawn over, the last state."""
        drawn = _last_drawn(line)
        carrier = None if drawn is line else self._carrier(line.raw)
        event = self._event(source, drawn, self._reading(drawn.raw, ()), carrier)
        if event.level is None or event.level < Level.ERROR:
            return event
        return replace(event, stance=self._judge.of(event))

    def tail_events(self, source: str, lines: Iterable[RawLine]) -> Iterator[Event]:
        """The last lines of a log. One with nothing behind its prefix shows no more than a blank one."""
        events = (self.unasked(source, line) for line in lines)
        return (event for event in events if event.message.strip())

    def head_event(self, source: str, line: RawLine) -> Event:
        """A line of the head of a log, delivered after its tail: it says what was printed, but no longer when."""
        return replace(self._event(source, line, self._reading(line.raw, ())), stamp=None)

    def bears_context(self, hits: Iterable[Hit]) -> bool:
        """Whether the lines around a line with these hits are kept: not if it is only sampled."""
        return not all(self._pack.signals[hit.signal].sampled for hit in hits)

    def line_events(
        self, source: str, number: int, line: HitLine, continued: int = 0, most: int = FLOOD_LINES
    ) -> Iterator[Event]:
        """The events of one hit line: one, or several where it was redrawn, the first and last ``most`` of a kind."""
        whole = line.raw
        redrawn = may_be_redrawn(whole)
        parts = self._redrawn(line, whole, most) if redrawn else [(0, whole, line.kind)]
        carrier = self._carrier(line.opening) if redrawn else None
        for start, raw, kind in parts:
            reading = self._reading(raw, kind)
            if not reading.hits:
                continue
            part = RawLine(number, line.offset + start, raw, continued + line.continued)
            event = self._event(source, part, reading, carrier)
            if not self.bears_context(reading.hits):
                yield event
                continue
            before, after = _cleaned(line.before), _cleaned(line.after)
            judged = self._judged(replace(event, before=before, after=after, joined_before=line.joined_before))
            if judged.hits:
                yield self._announced(judged)

    def _judged(self, event: Event) -> Event:
        """The line with its stance, without the signals that need another one."""
        # An exception was found by its position, not by its words, which may still say that it was intended.
        raised = self._pack.trace.exception if self._pack.trace is not None else None
        if not any(hit.signal == raised or self._pack.signals[hit.signal].stances for hit in event.hits):
            return event
        stance = self.stance_of(event)
        hits = tuple(hit for hit in event.hits if stance in (self._pack.signals[hit.signal].stances or (stance,)))
        if stance is event.stance and len(hits) == len(event.hits):
            return event
        return replace(event, stance=stance, hits=hits)

    def stance_of(self, event: Event) -> Stance:
        """What kind of statement a line is."""
        return self._judge.of(self._as_written(event))

    def _as_written(self, event: Event) -> Event:
        """The line without the level of a process that forwarded it: the line above, after its prefix, is indented.

        A logged exception is one message of many lines; a process that forwards another's output logs each line.
        """
        if event.level is None or event.level > Level.INFO or not event.before:
            return event
        above = self._peeler.peel(event.before[-1])
        passed_on = above.level is event.level and above.message[:1].isspace()
        return replace(event, level=None) if passed_on else event

    def _announced(self, event: Event) -> Event:
        """A traceback's bare first line, attributed to the writer of the line above (``logging.exception``).

        The line above may be the routine of another process: it has to report trouble, or to be an error.
        """
        trace = self._pack.trace
        if trace is None or event.worker.is_process or not event.before or not event.message.startswith(_TRACEBACK):
            return event
        if not any(hit.signal == trace.head for hit in event.hits):
            return event
        above = self._peeler.peel(event.before[-1])
        names = any(part is not None for part in (above.host, above.role, above.pid, above.rank))
        # A message does not continue across hosts or containers.
        names = names and event.worker.host in (None, above.host) and event.worker.role in (None, above.role)
        tells = self._judge.tells_trouble(above.message) if above.level is None else above.level >= Level.ERROR
        return replace(event, worker=self._worker(event.source, above)) if names and tells else event

    def _redrawn(self, line: HitLine, whole: bytes, most: int) -> list[tuple[int, bytes, Kind]]:
        """The redraws that have hits; of each kind the first ones and the last."""
        kinds: dict[Kind, list[tuple[int, bytes]]] = {}
        hits = deque(line.hits)
        for start, raw in redraws(whole):
            inside = []
            while hits and hits[0][0] < start + len(raw):
                hit = hits.popleft()
                if hit[0] >= start:
                    inside.append(hit)
            if inside:
                kinds.setdefault(kind_of(inside), []).append((start, raw))
        parts = []
        for kind, alike in kinds.items():
            # Signals that share an entry of the scanner are either all sampled (progress, metrics), or none.
            is_routine = all(self._pack.signals[self._signals_of[entry][0]].sampled for entry in kind)
            share = min(ROUTINE_REDRAWS if is_routine else FLOOD_LINES, most)
            kept = alike if len(alike) <= 2 * share else [*alike[:share], *alike[-share:]]
            parts += [(start, raw, kind) for start, raw in kept]
        return sorted(parts, key=itemgetter(0))

    def _carrier(self, opening: bytes) -> Header:
        """Who forwarded all parts of a redrawn line: the first part shows it, once another has begun."""
        _, first = next(redraws(opening), (0, b""))
        # A bar that begins with a carriage return leaves the prefix alone, including its last blank.
        return self._peeler.carrier(clean(first) + " ")

    def _reading(self, raw: bytes, kind: Kind) -> LineReading:
        """What a line says, wherever it is: the ranks of a job print the same lines, and a job prints them again."""
        return self._read_before(raw, kind) if len(raw) <= MAX_KEPT_BYTES else self._read(raw, kind)

    def _event(self, source: str, line: RawLine, reading: LineReading, carrier: Header | None = None) -> Event:
        header = reading.header
        return Event(
            source, line.number, line.offset, reading.text, header.message, self._worker(source, header, carrier),
            reading.hits, header.stamp, level=header.level, repeat=header.repeat, group=header.group,
            continued=line.continued, headers=header.forms,
        )  # fmt: skip

    def _worker(self, source: str, header: Header, carrier: Header | None = None) -> Worker:
        """Who wrote a line: by its prefixes, else by who forwarded it, else by the name of its file."""
        known = self._from_names.get(source)
        if known is None:
            known = self._from_names[source] = worker_of_name(source, self._pack.names)
        if carrier is not None and carrier.carried:
            known = Worker(
                source, carrier.host or known.host, carrier.role or known.role, carrier.pid or known.pid,
                carrier.rank if carrier.rank is not None else known.rank,
            )  # fmt: skip
        rank = header.rank if header.rank is not None else known.rank
        return Worker(source, header.host or known.host, header.role or known.role, header.pid or known.pid, rank)


def _last_drawn(line: RawLine) -> RawLine:
    """What is still seen of a line that was drawn over, such as a bar."""
    if not may_be_redrawn(line.raw):
        return line
    drawn = [(start, raw) for start, raw in redraws(line.raw) if raw.strip()]
    start, raw = drawn[-1] if drawn else (0, b"")
    return replace(line, offset=line.offset + start, raw=raw)


def _asked_of(
    signals: Sequence[Signal], signals_of: Sequence[Sequence[int]], kind: Kind
) -> Sequence[tuple[int, Signal]]:
    """The signals that ask for lines of a kind, each with its number."""
    numbers = dict.fromkeys(number for entry in kind for number in signals_of[entry])
    return [(number, signals[number]) for number in numbers]


def _reading_of(
    asked_of: Callable[[Kind], Sequence[tuple[int, Signal]]],
    peeler: HeaderParser,
    captures: Captures,
    raw: bytes,
    kind: Kind,
) -> LineReading:
    text = clean(raw)[:MAX_EVENT_TEXT]
    header = peeler.peel(text)
    hits = tuple(
        Hit(number, found)
        for number, signal in asked_of(kind)
        if (found := captures.of(signal, header.message, text, header.carried)) is not None
    )
    return LineReading(text, header, hits)


# The lines of a traceback are neighbours: all but one are needed again at once.
_clean_neighbour = lru_cache(maxsize=64)(clean)


def _cleaned(lines: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(_clean_neighbour(line) for line in lines)
