"""A growing log to its events: what came is scanned at once, however little it is.

A saved log is read by windows of absolute offset, and where a window is full of the same, the first and the last
of it are read. A live reader cannot know what will be the last. So it reads the first in each window at once and
keeps back the latest of the others; these are read, in their order, before any line that is not routine, when the
window ends, and when the follower asks for them, which it does a few times a second. What is read live is therefore
never less than what is read of a saved log of up to two windows, in the same order. From the third window on it is
less: a share of each window, counted in absolute offsets, so that a flood costs a bounded part of a core, and the
last of each kind that is no routine.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import TypeAlias

from logrules.model.event import Event
from logrules.model.record import record, replace
from logrules.model.stream import CONTINUED, Block, surplus_lines
from logrules.parsing.clean import clean
from logrules.parsing.hit_line import CONTEXT_LINES, MAX_CONTEXT_BYTES, MAX_SLICE_BYTES, HitLine, Kind
from logrules.parsing.hit_lines import LAST_LINES, MAX_WRITERS, Found, opening_of
from logrules.parsing.log_ends import LogEnds
from logrules.parsing.reader import FLOOD_LINES, ROUTINE_LINES, Reader
from logrules.parsing.window import WINDOW_BYTES, Window

# The windows at the head of a log that are read in full.
HEAD_WINDOWS = 2

Find: TypeAlias = Callable[[Window], Found]
Numbered: TypeAlias = tuple[int, HitLine]


@record
class SampleBudget:
    """How much of a window is read: lines of the same at once and kept back, routine and other, and all kept back."""

    routine: int
    other: int
    kept_back: int


# The head of a log is read as a saved one is. Later what it is full of is known, and a flood must not cost more.
HEAD = SampleBudget(ROUTINE_LINES, FLOOD_LINES, 1 << 20)
LATER = SampleBudget(8, 32, 256)


class LiveSampler:
    """Which hit lines of a window are read at once, and which of the others are kept back for later."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._seen: Counter[Kind] = Counter()
        self._held: dict[Kind, deque[Numbered]] = {}
        # The latest of each writer among them, for each kind: as long as a saved log is read as fully.
        self._held_of: dict[Kind, dict[bytes, deque[Numbered]]] = {}
        self._share = HEAD
        self._left = HEAD.kept_back

    def __bool__(self) -> bool:
        return bool(self._held)

    def enter(self, window: int) -> None:
        """Count anew."""
        self._seen.clear()
        self._share = HEAD if window < HEAD_WINDOWS else LATER
        self._left = self._share.kept_back

    def take(self, number: int, line: HitLine) -> list[Numbered]:
        """The lines to read now that this one has come: none, or those kept back and this one."""
        alike = line.kind
        kept = self._share.routine if self._reader.is_routine(alike) else self._share.other
        self._seen[alike] = nth = self._seen[alike] + 1
        if nth > kept and nth & (nth - 1):
            self._hold(alike, kept, (number, line))
            return []
        return [*self.release(), (number, line)]

    def release(self) -> list[Numbered]:
        """The lines kept back, in their order; of more than a window's share the latest, and the last of each kind.

        Nobody knows which is the last that the log says of a failure; of routine it does not matter.
        """
        if not self._held:
            return []
        of_writers = (pairs for of_kind in self._held_of.values() for pairs in of_kind.values())
        held = {pair[0]: pair[1] for pairs in (*self._held.values(), *of_writers) for pair in pairs}
        lines = sorted(held.items(), key=itemgetter(0))
        last = {pairs[-1][0] for kind, pairs in self._held.items() if not self._reader.is_routine(kind)}
        self._held.clear()
        self._held_of.clear()
        left_out = max(len(lines) - self._left, 0)
        self._left -= len(lines) - left_out
        return [pair for nth, pair in enumerate(lines) if nth >= left_out or pair[0] in last]

    def _hold(self, kind: Kind, kept: int, line: Numbered) -> None:
        self._held.setdefault(kind, deque(maxlen=kept)).append(line)
        if self._share is not HEAD:
            return
        writers = self._held_of.setdefault(kind, {})
        opening = opening_of(line[1].opening)
        if opening is not None and (opening in writers or len(writers) < MAX_WRITERS):
            writers.setdefault(opening, deque(maxlen=LAST_LINES)).append(line)


# The lines that anybody can lack: two below the last line, or below the unfinished one.
_WANTED_LINES = CONTEXT_LINES + 2


class LineContext:
    """What lies above the next bytes of a window, and who lacks lines below."""

    def __init__(self) -> None:
        self.above = b""
        self._lacking: dict[int, tuple[bytes, ...]] = {}

    def expect(self, number: int, known: tuple[bytes, ...]) -> None:
        """The event of this line is to be shown with what comes below the lines already ``known``."""
        self._lacking[number] = known

    def grown(self, text: bytes, first: int) -> Mapping[int, tuple[str, ...]]:
        """What now lies below the lines that lacked it; ``text`` begins with line ``first``."""
        if not self._lacking:
            return {}
        pieces = text.split(b"\n", _WANTED_LINES)
        whole = len(pieces) - 1
        found: dict[int, tuple[str, ...]] = {}
        for number, known in list(self._lacking.items()):
            at = number + 1 + len(known) - first
            new = pieces[max(at, 0) : max(at + CONTEXT_LINES - len(known), 0)]
            shown = (*known, *(line[:MAX_CONTEXT_BYTES] for line in new))
            if shown and not shown[-1] and at + len(new) > whole:
                shown = shown[:-1]  # nothing of the last line has come yet
            found[number] = tuple(clean(line) for line in shown)
            complete = shown[: len(known) + max(0, min(len(new), whole - at))]
            if len(complete) < CONTEXT_LINES:
                self._lacking[number] = complete
            else:
                del self._lacking[number]
        return found

    def pass_over(self, text: bytes) -> None:
        """Keep the last complete lines of ``text`` as what lies above."""
        end = text.rfind(b"\n") + 1
        start = end
        for _ in range(CONTEXT_LINES):
            start = text.rfind(b"\n", 0, max(start - 1, 0)) + 1 if start else 0
        lines = [*_split(self.above), *_split(text[start:end])][-CONTEXT_LINES:]
        self.above = b"".join(line[:MAX_CONTEXT_BYTES] + b"\n" for line in lines)


def _split(whole_lines: bytes) -> list[bytes]:
    return whole_lines.split(b"\n")[:-1]


class GrowingLog:
    """One log while it grows.

    ``lines`` is how many complete lines it has, ``continued`` of which are none of the file; ``read_lines`` is how many
    of the file were read since it was first seen.
    ``below`` is what came below earlier events, by line.
    """

    def __init__(self, source: str, reader: Reader, find: Find) -> None:
        self._source = source
        self._reader = reader
        self._find = find
        self.read_lines = 0
        self._begin(0, 0, 0)

    def _begin(self, offset: int, lines: int, continued: int) -> None:
        self.lines = lines
        self.continued = continued
        self.below: dict[int, tuple[str, ...]] = {}
        self._offset = offset
        self._sieve = LiveSampler(self._reader)
        self._enter(offset // WINDOW_BYTES)
        self._open = b""  # the unfinished line, as far as it has come
        self._opening: bytes | None = None  # how it begins, where that is more than is kept of it
        self._told: set[tuple[int, int]] = set()  # (offset, signal) of the events that it has given already
        self._drawn = (0, 0)  # the number of the unfinished line, and the offset of the last of its events
        self._ends = LogEnds()
        self._arrived: float | None = None

    @property
    def offset(self) -> int:
        """Where the next bytes belong."""
        return self._offset

    @property
    def unfinished(self) -> bool:
        """Whether the last line lacks its newline."""
        return bool(self._open)

    @property
    def holds(self) -> bool:
        """Whether routine lines are kept back."""
        return bool(self._sieve)

    def skip(self, offset: int, lines: int) -> list[Event]:
        """Bytes up to ``offset`` with so many line ends are not looked at; the events kept back until there."""
        events = self.held()
        self._begin(offset, self.lines + lines, self.continued)
        return events

    def read(self, block: Block) -> Iterator[Event]:
        """The events of the next block. One that does not follow what was read begins the log anew."""
        if block.offset < self._offset:
            yield from self.held()
            self._begin(block.offset, 0, 0)
        self._arrived = block.arrived
        data = block.data
        while data:
            if not self._open and (index := self._offset // WINDOW_BYTES) != self._window:
                yield from self.held()
                self._enter(index)
            boundary = (self._window + 1) * WINDOW_BYTES
            cut = data.find(b"\n", max(boundary - 1 - self._offset, 0)) + 1 or len(data)
            yield from self._part(data[:cut])
            data = data[cut:]

    def held(self) -> list[Event]:
        """The routine lines kept back, read now, in their order."""
        return [event for number, line in self._sieve.release() for event in self._events(number, line)]

    def ends(self) -> Iterator[Event]:
        """The last lines, whether or not a signal asked for them, and behind them the first."""
        for event in self._reader.ending(self._source, self._ends.last_lines(self.lines, self.continued)):
            yield replace(event, arrived=self._arrived)
        for line in self._ends.first_lines():
            yield replace(self._reader.opening(self._source, line), arrived=self._arrived)

    def _enter(self, window: int) -> None:
        self._window = window
        self._sieve.enter(window)
        self._around = LineContext()

    def _part(self, data: bytes) -> Iterator[Event]:
        """The events of bytes of one window, which may end within a line."""
        text, first, start = self._open + data, self.lines + 1, self._offset - len(self._open)
        self.below.update(self._around.grown(text, first))
        above = self._around.above
        found = self._find(Window(self._source, self._window, start - len(above), above + text))
        passed, marked = above.count(b"\n"), surplus_lines(above)
        known = self.continued - self._open.startswith(CONTINUED) - marked
        self._ends.add(self._offset, data)
        self._offset += len(data)
        self.lines += found.line_count - passed
        self.read_lines += found.line_count - passed - (known + found.continued - self.continued)
        self.continued = known + found.continued
        for line in found.lines:
            if line.number >= passed:
                placed = line._replace(continued=known + line.continued) if known or line.continued else line
                if line.number == passed and self._opening is not None:
                    placed = placed._replace(known_opening=self._opening)
                for number, ready in self._sieve.take(first + line.number - passed, placed):
                    yield from self._events(number, ready)
        self._remember(text)

    def _events(self, number: int, line: HitLine) -> Iterator[Event]:
        drawn = self._drawn[1] if number == self._drawn[0] and b"\r" in line.raw else 0
        for event in self._reader.line_events(self._source, number, line):
            if event.offset < drawn:
                continue  # it was drawn over before that: what stood there then is no news
            new = tuple(hit for hit in event.hits if (event.offset, hit.signal) not in self._told)
            if not new:
                continue
            if number > self.lines:
                self._told.update((event.offset, hit.signal) for hit in new)
                self._drawn = (number, event.offset)
            below = self.lines - number  # complete lines below it
            if below < CONTEXT_LINES and self._reader.bears_context(event.hits):
                self._around.expect(number, line.after[: max(below, 0)])
            yield replace(event, hits=new, arrived=self._arrived)

    def _remember(self, text: bytes) -> None:
        """Keep the unfinished line, and the last lines as context of the next."""
        unfinished = text[text.rfind(b"\n") + 1 :]
        if len(unfinished) <= MAX_SLICE_BYTES:
            self._opening = None
        elif self._opening is None or b"\n" in text:
            self._opening = unfinished[:MAX_CONTEXT_BYTES]
        self._open = unfinished[-MAX_SLICE_BYTES:]
        if self._told:
            self._told = {told for told in self._told if told[0] >= self._offset - len(self._open)}
        self._around.pass_over(text)
