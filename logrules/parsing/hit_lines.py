"""From hits to their lines: slices and numbers, without touching any other line; cut out when they are read."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from logrules.model.deferred import Deferred
from logrules.model.record import field, record
from logrules.model.stream import CONTINUED, JOINED, surplus_lines
from logrules.parsing.literal_matcher import Hits, Kind
from logrules.parsing.window import Window
from logrules.parsing.window_sample import WindowSample, opening_of

# No more than is shown and matched of one line: what a slice holds beyond that would never be looked at.
MAX_SLICE_BYTES = 32 * 1024
CONTEXT_LINES = 2
MAX_CONTEXT_BYTES = 400


class Stretch(NamedTuple):
    """Bytes of a window from ``start`` to ``end``, within one line and without its newline, with hits of one ``kind``.

    These are those of all hits from the place ``first`` to before the place ``behind``.
    """

    start: int
    end: int
    first: int
    behind: int
    kind: Kind


class HitLine(NamedTuple):
    """A physical line with hits, or a part of a very long one: ``number`` counts from 0 on in its window.

    ``part`` is at most 32 KiB of it round its hits, which lie in ``found``. The whole line lies at ``start`` to
    ``end`` of the window, so that its neighbours can be asked for. ``continued`` of the lines up to it are no lines of
    the file. Of the many that a flood has few are ever read, so nothing is cut out before. ``known_opening`` is how it
    begins where the window has no more than its end.
    """

    window: Window
    found: Hits
    part: Stretch
    start: int
    end: int
    number: int
    continued: int = 0
    known_opening: bytes | None = None

    @property
    def opening(self) -> bytes:
        """The first bytes of the line, whichever part of it this is."""
        if self.known_opening is not None:
            return self.known_opening
        return self.window.data[self.start : min(self.end, self.start + MAX_CONTEXT_BYTES)]

    @property
    def is_open(self) -> bool:
        """Whether it has no end in its window: it may go on."""
        return self.end >= len(self.window.data)

    @property
    def kind(self) -> Kind:
        """The entries of the scanner that it carries."""
        return self.part.kind

    @property
    def offset(self) -> int:
        """Where its part begins in the source, in bytes."""
        return self.window.offset + self.part.start

    @property
    def raw(self) -> bytes:
        """The bytes of its part."""
        return self.window.data[self.part.start : self.part.end]

    @property
    def hits(self) -> list[tuple[int, int]]:
        """For each hit the offset of its last byte within ``raw``, and the entry of the scanner."""
        part = self.part
        ends, entries = (column[part.first : part.behind] for column in (self.found.ends, self.found.numbers))
        return [(at - 1 - part.start, entry) for at, entry in zip(ends, entries, strict=True)]

    @property
    def before(self) -> tuple[bytes, ...]:
        """Up to two lines above it in the window."""
        data = self.window.data
        return tuple(data[start : min(end, start + MAX_CONTEXT_BYTES)] for start, end in _above(data, self.start))

    @property
    def joined_before(self) -> tuple[int, ...]:
        """How many more lines of the file each of those stands for; nothing where none does."""
        # Only behind lines that were joined are there fewer lines than in the file.
        data, lines = self.window.data, _above(self.window.data, self.start) if self.continued < 0 else ()
        return tuple(data.count(JOINED, start, end) for start, end in lines)

    @property
    def after(self) -> tuple[bytes, ...]:
        """Up to two lines below it in the window."""
        data, end = self.window.data, self.end
        found: list[bytes] = []
        while end + 1 < len(data) and len(found) < CONTEXT_LINES:
            start = end + 1
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            found.append(data[start : min(end, start + MAX_CONTEXT_BYTES)])
        return tuple(found)


def kind_of(hits: Iterable[tuple[int, int]]) -> Kind:
    """What lines with the same entries in the same order share."""
    return tuple(dict.fromkeys([entry for _, entry in hits]))


def parts_of(line: HitLine) -> Iterator[HitLine]:
    """Of a line longer than ``MAX_SLICE_BYTES`` the first and last stretch with hits, and what is new between.

    A bar that never ends its line says the same in each stretch; a record of a megabyte says it once, wherever.
    """
    seen: set[int] = set()
    for part in _stretches(line.part, line.found):
        if not seen.issuperset(part.kind) or part.behind == line.part.behind:
            seen.update(part.kind)
            yield line._replace(part=part)


def _stretches(span: Stretch, found: Hits) -> Iterator[Stretch]:
    """Stretches of ``MAX_SLICE_BYTES``, so that each hit lies in one. A line may have a hit for every byte."""
    start, end, place, behind, _ = span
    while place < behind:
        first = max(start, found.ends[place] - 1 - MAX_SLICE_BYTES // 2)
        last = min(end, first + MAX_SLICE_BYTES)
        next_place = bisect_right(found.ends, last, place, behind)
        yield Stretch(first, last, place, next_place, tuple(dict.fromkeys(found.numbers[place:next_place])))
        place = next_place


def _above(data: bytes, start: int) -> list[tuple[int, int]]:
    """Where up to two lines above this place begin and end, in order."""
    found: list[tuple[int, int]] = []
    while start > 0 and len(found) < CONTEXT_LINES:
        end = start - 1
        start = data.rfind(b"\n", 0, end) + 1
        found.append((start, end))
    return found[::-1]


@record
class Found:
    """The result of scanning a window: its hit lines and its number of lines; ``hits`` by entry, in all its lines.

    ``continued`` of its lines are not lines of the file. The first ``settled`` hit lines, or all if that is more, are
    read at once, those behind them may be held. Of the ``flooded`` kinds it has more lines than are read. A ``crowded``
    window has all its lines here, for their kinds are not worth comparing; they are made when somebody asks for them.
    ``thinned`` says that most repeated lines were left out.
    """

    source: str
    lines: Sequence[HitLine]
    line_count: int
    unfinished: bool
    hits: Mapping[int, int] = field(default_factory=dict)
    continued: int = 0
    settled: int = 0
    flooded: frozenset[Kind] = frozenset()
    crowded: bool = False
    thinned: bool = False


def hit_lines(window: Window, hits: Hits, sample: WindowSample | None = None, known: int = 0) -> Found:
    """The lines of the window in which something was found, and how many lines it has.

    With a ``sample``, most lines of one kind are left out before anything is made of them. The first ``known`` bytes
    were looked at before: they are lines above the others, which are counted from there.
    """
    data, found = window.data, _LinesWithHits(window, hits, known)
    spelt = found.spelt()
    by_entry = _counted(spelt)
    crowded = (sample or WindowSample()).is_crowded(by_entry)
    unfinished = bool(data) and not data.endswith(b"\n")
    continued = surplus_lines(data, known) if CONTINUED[:1] in data else 0
    if sample is None or crowded:
        # Of a window full of hits the lines take twenty times its memory, and it may be one of eight looked at ahead.
        every, total = Deferred(lambda: found.made(found.all())), data.count(b"\n", known)
        return Found(window.source, every, total, unfinished, by_entry, continued, len(hits), crowded=crowded)
    choice = sample.choose(_alike(spelt), found.opening)
    lines = found.made(choice.lines)
    settled = bisect_right(lines, found.start(choice.latest), key=_START) if choice.latest >= 0 else 0
    counted, number = (lines[-1].start, lines[-1].number) if lines else (known, 0)
    total = number + data.count(b"\n", counted)
    return Found(window.source, lines, total, unfinished, by_entry, continued, settled, choice.flooded)


_START = attrgetter("start")


class _LinesWithHits:
    """Lines with hits behind the ``known`` bytes of a window (maybe 100,000): by the index of the first hit of each."""

    def __init__(self, window: Window, hits: Hits, known: int) -> None:
        self._window, self._hits, self._known = window, hits, known
        self._bounds = array("i")
        line_end = known - 1
        for place, end in enumerate(hits.ends):
            if end > line_end:
                self._bounds.append(place)
                line_end = window.data.find(b"\n", end)
                if line_end < 0:
                    break
        self._bounds.append(len(hits))

    def all(self) -> Iterator[tuple[int, Kind]]:
        """All lines: used if there are too many kinds to group lines by them."""
        return enumerate(
            tuple(dict.fromkeys(self._hits.numbers[place:behind])) for place, behind in pairwise(self._bounds)
        )

    def spelt(self) -> "dict[bytes, array[int]]":
        """The lines by the bytes of the numbers of their hits: of a flood many lines share these."""
        spelt: dict[bytes, array[int]] = {}
        numbers, size = self._hits.numbers.tobytes(), self._hits.numbers.itemsize
        for nth, (place, behind) in enumerate(pairwise(self._bounds)):
            its = numbers[place * size : behind * size]
            if (known := spelt.get(its)) is None:
                known = spelt[its] = array("i")
            known.append(nth)
        return spelt

    def start(self, nth: int) -> int:
        """Where a line begins in the window."""
        return self._window.data.rfind(b"\n", 0, self._hits.ends[self._bounds[nth]] - 1) + 1

    def opening(self, nth: int) -> bytes | None:
        """How a line opens."""
        return opening_of(self._window.data, self.start(nth))

    def made(self, kept: Iterable[tuple[int, Kind]]) -> tuple[HitLine, ...]:
        """These lines, each with its number behind the known ones."""
        window, hits, data = self._window, self._hits, self._window.data
        counted = marks_counted = self._known
        number = continued = 0
        marked = CONTINUED[:1] in data
        lines: list[HitLine] = []
        for nth, kind in kept:
            start, end = self.start(nth), data.find(b"\n", hits.ends[self._bounds[nth]])
            span = Stretch(start, len(data) if end < 0 else end, self._bounds[nth], self._bounds[nth + 1], kind)
            number += data.count(b"\n", counted, start)
            counted = start
            if marked:
                continued += surplus_lines(data, marks_counted, start + len(CONTINUED))
                marks_counted = start + len(CONTINUED)
            line = HitLine(window, hits, span, start, span.end, number, continued)
            lines += [line] if span.end - start <= MAX_SLICE_BYTES else parts_of(line)
        return tuple(lines)


def _counted(spelt: "Mapping[bytes, array[int]]") -> Mapping[int, int]:
    """How often each entry was found."""
    counts: dict[int, int] = {}
    for spelling, lines in spelt.items():
        for entry in array("i", spelling):
            counts[entry] = counts.get(entry, 0) + len(lines)
    return counts


def _alike(spelt: "Mapping[bytes, array[int]]") -> dict[Kind, Sequence[int]]:
    """The lines by kind, whatever the order and number of their further hits."""
    alike: dict[Kind, Sequence[int]] = {}
    for spelling, lines in spelt.items():
        kind = tuple(dict.fromkeys(array("i", spelling)))
        alike[kind] = array("i", sorted((*alike[kind], *lines))) if kind in alike else lines
    return alike
