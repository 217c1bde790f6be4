"""A growing log to its events: what came is scanned at once, however little it is.

The sampler is that of a saved log, which is fed by whole windows. Here it is fed by what has come, and what it holds is
read when a window ends and when the follower asks, which it does a few times a second: what is read live is never less
than what is read of the head of a saved log, in the same order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from logrules.model.event import Event
from logrules.model.record import replace
from logrules.model.stream import CONTINUED, Block
from logrules.parsing.clean import clean
from logrules.parsing.hit_lines import CONTEXT_LINES, MAX_CONTEXT_BYTES, MAX_SLICE_BYTES, Found, HitLine
from logrules.parsing.log_ends import LogEnds
from logrules.parsing.reader import Reader
from logrules.parsing.sampler import Sampler
from logrules.parsing.window import WINDOW_BYTES, Window
from logrules.parsing.window_sample import WindowSample


class Find(Protocol):
    """Scans a window behind its first ``known`` bytes, which were looked at before."""

    def __call__(self, window: Window, *, sample: WindowSample, known: int) -> Found: ...  # noqa: D102 - the class says it


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
        lines = [*self.above.split(b"\n")[:-1], *text.rsplit(b"\n", CONTEXT_LINES + 1)[:-1]]
        self.above = b"".join(line[:MAX_CONTEXT_BYTES] + b"\n" for line in lines[-CONTEXT_LINES:])


class GrowingLog:
    """One log while it grows.

    ``lines`` is how many complete lines it has, ``continued`` of which are none of the file; ``read_lines`` is how many
    of the file were read since it was first seen. ``offset`` is where the next bytes belong, ``below`` what came below
    earlier events, by line.
    """

    def __init__(self, source: str, reader: Reader, find: Find, sampler: Callable[[], Sampler]) -> None:
        self._source = source
        self._reader = reader
        self._find = find
        self._new_sampler = sampler
        self.read_lines = 0
        self._begin(0, 0, 0)

    def _begin(self, offset: int, lines: int, continued: int) -> None:
        self.lines = lines
        self.continued = continued
        self.below: dict[int, tuple[str, ...]] = {}
        self.offset = offset
        self._sampler = self._new_sampler()
        self._enter(offset // WINDOW_BYTES)
        self._open = b""  # the unfinished line, as far as it has come
        self._opening: bytes | None = None  # how it begins, where that is more than is kept of it
        self._told: set[tuple[int, int]] = set()  # (offset, signal) of the events that it has given already
        self._drawn = (0, 0)  # the number of the unfinished line, and the offset of the last of its events
        self._ends = LogEnds()
        self._arrived: float | None = None

    @property
    def unfinished(self) -> bool:
        """Whether the last line lacks its newline."""
        return bool(self._open)

    @property
    def holds(self) -> bool:
        """Whether lines are held."""
        return self._sampler.holds

    def skip(self, offset: int, lines: int) -> list[Event]:
        """Bytes up to ``offset`` with so many line ends are not looked at; the events held until there."""
        events = self.held()
        self._begin(offset, self.lines + lines, self.continued)
        return events

    def read(self, block: Block) -> Iterator[Event]:
        """The events of the next block. One that does not follow what was read begins the log anew."""
        if block.offset < self.offset:
            yield from self.held()
            self._begin(block.offset, 0, 0)
        self._arrived = block.arrived
        data = block.data
        while data:
            if not self._open and (index := self.offset // WINDOW_BYTES) != self._window:
                yield from self.held()
                self._enter(index)
            boundary = (self._window + 1) * WINDOW_BYTES
            cut = data.find(b"\n", max(boundary - 1 - self.offset, 0)) + 1 or len(data)
            yield from self._part(data[:cut])
            data = data[cut:]

    def held(self) -> list[Event]:
        """The events of the lines that are held, in their order."""
        return list(self._events(self._sampler.release()))

    def ends(self) -> Iterator[Event]:
        """The last lines, whether or not a signal asked for them, and behind them the first."""
        for event in self._reader.tail_events(self._source, self._ends.last_lines(self.lines, self.continued)):
            yield replace(event, arrived=self._arrived)
        for line in self._ends.first_lines():
            yield replace(self._reader.head_event(self._source, line), arrived=self._arrived)

    def _enter(self, window: int) -> None:
        self._window = window
        self._sampler.enter(window)
        self._around = LineContext()

    def _part(self, data: bytes) -> Iterator[Event]:
        """The events of bytes of one window, which may end within a line."""
        text, first, start = self._open + data, self.lines + 1, self.offset - len(self._open)
        self.below.update(self._around.grown(text, first))
        above = self._around.above
        window = Window(self._source, self._window, start - len(above), above + text)
        found = self._find(window, sample=self._sampler.window, known=len(above))
        before = self.continued - self._open.startswith(CONTINUED)
        self._ends.add(self.offset, data)
        self.offset += len(data)
        self.lines += found.line_count
        self.read_lines += found.line_count - (before + found.continued - self.continued)
        self.continued = before + found.continued
        lines = [
            line._replace(
                number=first + line.number,
                continued=before + line.continued,
                known_opening=None if line.number else self._opening,
            )
            for line in found.lines
        ]
        yield from self._events(self._sampler.take(replace(found, lines=lines)))
        self._remember(text)

    def _events(self, lines: Iterable[HitLine]) -> Iterator[Event]:
        for line in lines:
            yield from self._line_events(line)

    def _line_events(self, line: HitLine) -> Iterator[Event]:
        number = line.number
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
            self._told = {told for told in self._told if told[0] >= self.offset - len(self._open)}
        self._around.pass_over(text)
