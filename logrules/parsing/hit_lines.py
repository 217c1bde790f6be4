"""From hits to their lines: slices and numbers, without touching any other line."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter

from logrules.model.deferred import Deferred
from logrules.model.record import field, record
from logrules.model.stream import CONTINUED, surplus_lines
from logrules.parsing.hit_line import MAX_SLICE_BYTES, HitLine, Kind, Stretch, parts_of
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window
from logrules.parsing.window_sample import WindowSample, opening_of


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
    were looked at before: their lines are counted, no more.
    """
    data, found = window.data, _LinesWithHits(window, hits, known)
    spelt = found.spelt()
    by_entry = _counted(spelt)
    crowded = (sample or WindowSample()).is_crowded(by_entry)
    unfinished = bool(data) and not data.endswith(b"\n")
    continued = surplus_lines(data) if CONTINUED[:1] in data else 0
    if sample is None or crowded:
        # Of a window full of hits the lines take twenty times its memory, and it may be one of eight looked at ahead.
        every, total = Deferred(lambda: found.made(found.all())), data.count(b"\n")
        return Found(window.source, every, total, unfinished, by_entry, continued, len(hits), crowded=crowded)
    choice = sample.choose(_alike(spelt), found.opening)
    lines = found.made(choice.lines)
    settled = bisect_right(lines, found.start(choice.latest), key=_START) if choice.latest >= 0 else 0
    counted, number = (lines[-1].start, lines[-1].number) if lines else (0, 0)
    total = number + data.count(b"\n", counted)
    return Found(window.source, lines, total, unfinished, by_entry, continued, settled, choice.flooded)


_START = attrgetter("start")


class _LinesWithHits:
    """The lines of a window that have hits, counted from 0 (maybe 100,000): by the index of the first hit of each."""

    def __init__(self, window: Window, hits: Hits, known: int) -> None:
        self._window, self._hits = window, hits
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
        """These lines, each with its number."""
        window, hits, data = self._window, self._hits, self._window.data
        counted = number = continued = marks_counted = 0
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
