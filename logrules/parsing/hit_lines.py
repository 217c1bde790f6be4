"""From hits to their lines: slices and numbers, without touching any other line."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, record
from logrules.model.stream import CONTINUED, surplus_lines
from logrules.parsing.hit_line import MAX_SLICE_BYTES, HitLine, Kind, Stretch, parts_of
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window

# A window in which more different entries of the scanner were found was written by no job: those of open logs have 140
# at most, those of eight jobs in one log 767.
MANY_ENTRIES = 1_024
# By how often each kind occurs in a window: how many first and last lines of a kind are kept.
Shares: TypeAlias = Callable[[Mapping[Kind, int]], Mapping[Kind, int]]
# So many of the last lines of each writer are read, as far as its lines are alike.
LAST_LINES = 4
# More openings are none of writers.
MAX_WRITERS = 32
# What a collector or a logger puts in front of that: the time, in the forms that most give it.
_TIME = rb"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d[.,\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]{1,2}"
_OPENING = late_pattern(rb"(?:" + _TIME + rb")?([^\s:\])>|][^:\])>|\r\n]{0,62}[:\])>|])")
# Who writes is read off so many lines at the beginning, in which a writer comes twice.
_READ, _TWICE = 4 * MAX_WRITERS, 2


def opening_of(line: bytes, at: int = 0) -> bytes | None:
    """How the line at this place opens behind a time, up to its first colon or closing bracket; None with none near."""
    found = _OPENING.match(line, at)
    return found[1] if found is not None else None


@record
class Found:
    """The result of scanning a window: its hit lines and its number of lines; ``hits`` by entry, in all its lines.

    ``continued`` of its lines are not lines of the file. Of the ``flooded`` kinds it has more lines than are read;
    ``thinned`` says that most repeated lines were left out. A ``crowded`` window has all its hit lines here.
    """

    source: str
    lines: tuple[HitLine, ...]
    line_count: int
    unfinished: bool
    hits: Mapping[int, int] = field(default_factory=dict)
    continued: int = 0
    flooded: frozenset[Kind] = frozenset()
    thinned: bool = False

    @property
    def crowded(self) -> bool:
        """Whether so many different things were found that kinds of lines are not worth comparing."""
        return len(self.hits) > MANY_ENTRIES


def hit_lines(window: Window, hits: Hits, shares: Shares | None = None) -> Found:
    """The lines of the window in which something was found, and how many lines it has.

    With ``shares``, most lines of one kind are left out before anything is made of them. A window is a fixed range of
    its source, so the choice does not depend on block boundaries.
    """
    data, found = window.data, _LinesWithHits(window, hits)
    spelt = found.spelt()
    by_entry = _counted(spelt)
    if len(by_entry) > MANY_ENTRIES:
        lines, flooded = found.made(found.all()), frozenset[Kind]()
    else:
        kept = _alike(spelt)
        counts = {kind: len(its) for kind, its in kept.items()}
        if shares is not None:
            share_of = shares(counts)
            kept = {kind: found.some(its, share_of[kind]) for kind, its in kept.items()}
        flooded = frozenset(kind for kind, its in kept.items() if len(its) < counts[kind])
        lines = found.made(sorted((nth, kind) for kind, its in kept.items() for nth in its))
    counted, number = (lines[-1].start, lines[-1].number) if lines else (0, 0)
    total = number + data.count(b"\n", counted)
    unfinished = bool(data) and not data.endswith(b"\n")
    continued = surplus_lines(data) if CONTINUED[:1] in data else 0
    return Found(window.source, lines, total, unfinished, by_entry, continued, flooded)


class _LinesWithHits:
    """The lines of a window that have hits, counted from 0 (maybe 100,000): by the index of the first hit of each."""

    def __init__(self, window: Window, hits: Hits) -> None:
        self._window, self._hits = window, hits
        self._bounds = array("i")
        line_end = -1
        for place, end in enumerate(hits.ends):
            if end > line_end:
                self._bounds.append(place)
                line_end = window.data.find(b"\n", end)
                if line_end < 0:
                    break
        self._bounds.append(len(hits))

    def all(self) -> Iterator[tuple[int, Kind]]:
        """All lines, each with its kind: used if there are too many kinds to group lines by them."""
        for nth, (place, behind) in enumerate(pairwise(self._bounds)):
            yield nth, tuple(dict.fromkeys(self._hits.numbers[place:behind]))

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

    def some(self, alike: Sequence[int], share: int) -> Sequence[int]:
        """Of lines of a kind the first, the last, those where it has doubled, the last of each writer."""
        if len(alike) <= 2 * share:
            return alike
        doubled = (alike[(1 << power) - 1] for power in range(len(alike).bit_length()))
        return tuple({*alike[:share], *doubled, *self._last_of_writers(alike, share), *alike[-share:]})

    def _last_of_writers(self, alike: Sequence[int], share: int) -> set[int]:
        """Of lines of a kind the last of each writer, where the last ``share`` of all hold fewer of its.

        Who fell silent is to be seen again: where a window is full of lines of a kind, the last of them are those of
        whoever writes still. The first ``share`` are read anyway.
        """
        openings = [self._opening(nth) for nth in alike[:_READ]]
        writers = {each for each in openings if each is not None}
        if not 1 < len(writers) <= min(MAX_WRITERS, len(openings) // _TWICE):
            return set()
        late = Counter(map(self._opening, alike[-share:]))
        missing = {writer: LAST_LINES - late[writer] for writer in writers if late[writer] < LAST_LINES}
        kept: set[int] = set()
        for nth in reversed(alike[share:-share]):
            if not missing:
                break
            writer = self._opening(nth)
            if writer in missing:
                kept.add(nth)
                missing[writer] -= 1
                if not missing[writer]:
                    del missing[writer]
        return kept

    def _start(self, nth: int) -> int:
        return self._window.data.rfind(b"\n", 0, self._hits.ends[self._bounds[nth]] - 1) + 1

    def _opening(self, nth: int) -> bytes | None:
        return opening_of(self._window.data, self._start(nth))

    def made(self, kept: Iterable[tuple[int, Kind]]) -> tuple[HitLine, ...]:
        """These lines, each with its number."""
        window, hits, data = self._window, self._hits, self._window.data
        counted = number = continued = marks_counted = 0
        marked = CONTINUED[:1] in data
        lines: list[HitLine] = []
        for nth, kind in kept:
            start, end = self._start(nth), data.find(b"\n", hits.ends[self._bounds[nth]])
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
