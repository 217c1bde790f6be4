"""From hits to their lines: slices and numbers, without touching any other line."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from logrules.model.record import field, record
from logrules.model.stream import CONTINUED, surplus_lines
from logrules.parsing.hit_line import MAX_SLICE_BYTES, HitLine, Kind, Stretch, parts_of
from logrules.parsing.hits import Hits
from logrules.parsing.line_writers import last_of_each
from logrules.parsing.window import Window

# A window in which more different entries of the scanner were found was written by no job: those of open logs have 140
# at most, those of eight jobs in one log 767.
MANY_ENTRIES = 1_024
# By how often each kind occurs in a window: how many first and last lines of a kind are kept.
Shares: TypeAlias = Callable[[Mapping[Kind, int]], Mapping[Kind, int]]
# Of the lines of a kind, of which so many of the last are kept, those that are the last of one of several writers.
LastOfWriters: TypeAlias = Callable[["array[int]", int], Collection[int]]


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
        return is_crowded(self.hits)


def is_crowded(hits: Collection[int]) -> bool:
    """Whether a window with these entries of the scanner has more than any job prints."""
    return len(hits) > MANY_ENTRIES


def hit_lines(window: Window, found: Hits, shares: Shares | None = None) -> Found:
    """The lines of the window in which something was found, and how many lines it has.

    With ``shares``, most lines of one kind are left out before anything is made of them. A window is a fixed range of
    its source, so the choice does not depend on block boundaries.
    """
    data = window.data
    bounds = _bounds(data, found)
    spelt = _spelt(found, bounds)
    by_entry = _counted(spelt)
    kept: Iterable[tuple[int, Kind]]
    if is_crowded(by_entry):
        kept, flooded = _all(found, bounds), frozenset[Kind]()
    else:
        kept, flooded = _kept(_alike(spelt), shares, partial(last_of_each, data, found, bounds))
    lines = _made(window, found, _spans(data, found, bounds, kept))
    counted, number = (lines[-1].start, lines[-1].number) if lines else (0, 0)
    total = number + data.count(b"\n", counted)
    unfinished = bool(data) and not data.endswith(b"\n")
    continued = surplus_lines(data) if CONTINUED[:1] in data else 0
    return Found(window.source, lines, total, unfinished, by_entry, continued, flooded)


def _made(window: Window, found: Hits, spans: Iterable[Stretch]) -> tuple[HitLine, ...]:
    """The lines of these spans, each with its number."""
    data = window.data
    counted = number = continued = marks_counted = 0
    marked = CONTINUED[:1] in data
    lines: list[HitLine] = []
    for span in spans:
        start, end, _, _, _ = span
        number += data.count(b"\n", counted, start)
        counted = start
        if marked:
            continued += surplus_lines(data, marks_counted, start + len(CONTINUED))
            marks_counted = start + len(CONTINUED)
        if end - start <= MAX_SLICE_BYTES:
            lines.append(HitLine(window, found, span, start, end, number, continued))
        else:
            lines += parts_of(window, span, found, number, continued)
    return tuple(lines)


def _spans(data: bytes, found: Hits, bounds: "array[int]", kept: Iterable[tuple[int, Kind]]) -> Iterator[Stretch]:
    """The spans of the lines with hits that are kept."""
    for nth, kind in kept:
        place, behind = bounds[nth], bounds[nth + 1]
        at = found.ends[place]
        end = data.find(b"\n", at)
        start = data.rfind(b"\n", 0, at - 1) + 1
        yield Stretch(start, len(data) if end < 0 else end, place, behind, kind)


def _bounds(data: bytes, found: Hits) -> "array[int]":
    """The index of the first hit of each line with hits (maybe 100,000), and the index after the last hit."""
    bounds = array("i")
    line_end = -1
    for place, end in enumerate(found.ends):
        if end > line_end:
            bounds.append(place)
            line_end = data.find(b"\n", end)
            if line_end < 0:
                break
    bounds.append(len(found))
    return bounds


def _all(found: Hits, bounds: "array[int]") -> Iterator[tuple[int, Kind]]:
    """All lines with hits, each with its kind: used if there are too many kinds to group lines by them."""
    for nth, (place, behind) in enumerate(pairwise(bounds)):
        yield nth, tuple(dict.fromkeys(found.numbers[place:behind]))


def _spelt(found: Hits, bounds: "array[int]") -> "dict[bytes, array[int]]":
    """The lines with hits by the bytes of the numbers of their hits: of a flood many lines share these."""
    spelt: dict[bytes, array[int]] = {}
    numbers, size = found.numbers.tobytes(), found.numbers.itemsize
    for nth, (place, behind) in enumerate(pairwise(bounds)):
        its = numbers[place * size : behind * size]
        if (known := spelt.get(its)) is None:
            known = spelt[its] = array("i")
        known.append(nth)
    return spelt


def _counted(spelt: "Mapping[bytes, array[int]]") -> Mapping[int, int]:
    """How often each entry was found."""
    counts: dict[int, int] = {}
    for spelling, lines in spelt.items():
        for entry in array("i", spelling):
            counts[entry] = counts.get(entry, 0) + len(lines)
    return counts


def _alike(spelt: "Mapping[bytes, array[int]]") -> "dict[Kind, array[int]]":
    """The lines by kind, whatever the order and number of their further hits."""
    alike: dict[Kind, array[int]] = {}
    for spelling, lines in spelt.items():
        kind = tuple(dict.fromkeys(array("i", spelling)))
        alike[kind] = array("i", sorted((*alike[kind], *lines))) if kind in alike else lines
    return alike


def _kept(
    alike: "Mapping[Kind, array[int]]", shares: Shares | None, last_of_writers: LastOfWriters
) -> tuple[list[tuple[int, Kind]], frozenset[Kind]]:
    """Which lines are kept: of each kind the first, the last, those where it has doubled, the last of each writer.

    Also the kinds of which some were dropped. Without ``shares`` all are kept.
    """
    counts = {kind: len(its) for kind, its in alike.items()}
    share_of = shares(counts) if shares is not None else counts
    kept = {kind: _of_kind(its, share_of[kind], last_of_writers) for kind, its in alike.items()}
    flooded = frozenset(kind for kind, its in kept.items() if len(its) < counts[kind])
    return sorted((nth, kind) for kind, its in kept.items() for nth in its), flooded


def _of_kind(alike: "array[int]", share: int, last_of_writers: LastOfWriters) -> Collection[int]:
    if len(alike) <= 2 * share:
        return alike
    doubled = (alike[(1 << power) - 1] for power in range(len(alike).bit_length()))
    return {*alike[:share], *doubled, *last_of_writers(alike, share), *alike[-share:]}
