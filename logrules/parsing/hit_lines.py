"""Hits to the lines they lie in: slices and numbers, without touching any other line."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from logrules.model.record import field, record
from logrules.model.stream import CONTINUED
from logrules.parsing.hits import Hits
from logrules.parsing.line_writers import last_of_each
from logrules.parsing.newlines import Count, count_newlines
from logrules.parsing.window import Window

# No more than is shown and matched of one line: what a slice holds beyond that would never be looked at.
MAX_SLICE_BYTES = 32 * 1024
CONTEXT_LINES = 2
MAX_CONTEXT_BYTES = 400

# The entries of the scanner that a line carries, each once, in their order.
Kind: TypeAlias = tuple[int, ...]
# By how often each kind comes in a window: of lines of one kind the first and the last so many are kept.
Shares: TypeAlias = Callable[[Mapping[Kind, int]], Mapping[Kind, int]]
# Of the lines of a kind, of which so many of the last are kept, those that are the last of one of several writers.
LastOfWriters: TypeAlias = Callable[["array[int]", int], Collection[int]]


class Stretch(NamedTuple):
    """Bytes of a window from ``start`` to ``end``, within one line and without its newline, with hits of one ``kind``.

    These are those of all hits from the place ``first`` to before the place ``behind``.
    """

    start: int
    end: int
    first: int
    behind: int
    kind: Kind


@record
class HitLine:
    """A physical line with hits, or a part of a very long one: ``number`` counts from 0 within its window.

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
        return [(at - 1 - part.start, entry) for at, entry in self.found[part.first : part.behind]]

    @property
    def before(self) -> tuple[bytes, ...]:
        """Up to two lines above it in the window."""
        return _before(self.window.data, self.start)

    @property
    def after(self) -> tuple[bytes, ...]:
        """Up to two lines below it in the window."""
        return _after(self.window.data, self.end)


@record
class Found:
    """What one scan of a window gave: its hit lines and its number of lines; ``hits`` by entry, of all its lines.

    ``continued`` of its lines are no lines of the file. Of the ``flooded`` kinds it has more lines than are looked at;
    ``thinned`` says that of what repeats the bulk was left out.
    """

    source: str
    lines: tuple[HitLine, ...]
    line_count: int
    unfinished: bool
    hits: Mapping[int, int] = field(default_factory=dict)
    continued: int = 0
    flooded: frozenset[Kind] = frozenset()
    thinned: bool = False


def hit_lines(window: Window, found: Hits, count: Count = count_newlines, shares: Shares | None = None) -> Found:
    """The lines of the window in which something was found, and how many lines it has.

    With ``shares`` the bulk of those of one kind is left out, before anything is made of it. A window is a fixed
    stretch of its source, so which lines these are does not depend on any cut.
    """
    data = window.data
    bounds = _bounds(data, found)
    alike = _alike(found, bounds)
    kept, flooded = _kept(alike, shares, partial(last_of_each, data, found, bounds))
    counted, number, continued = 0, 0, 0
    marked = CONTINUED[:1] in data
    marks_counted = 0
    lines: list[HitLine] = []
    for span in _spans(data, found, bounds, kept):
        number += count(data, counted, span[0])
        counted = span[0]
        if marked:
            continued += data.count(CONTINUED, marks_counted, span[0] + len(CONTINUED))
            marks_counted = span[0] + len(CONTINUED)
        lines += _bounded(window, span, found, number, continued)
    total = number + count(data, counted, len(data))
    by_entry = Counter(found.numbers)
    unfinished = bool(data) and not data.endswith(b"\n")
    continued = data.count(CONTINUED) if marked else 0
    return Found(window.source, tuple(lines), total, unfinished, by_entry, continued, flooded)


def _spans(data: bytes, found: Hits, bounds: "array[int]", kept: Iterable[tuple[int, Kind]]) -> Iterator[Stretch]:
    """The spans of the lines with hits that are kept."""
    for nth, kind in kept:
        place, behind = bounds[nth], bounds[nth + 1]
        at = found.ends[place]
        end = data.find(b"\n", at)
        start = data.rfind(b"\n", 0, at - 1) + 1
        yield Stretch(start, len(data) if end < 0 else end, place, behind, kind)


def _bounds(data: bytes, found: Hits) -> "array[int]":
    """The place of the first hit of each line with hits, of which a window may have 100,000, and that behind all."""
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


def _alike(found: Hits, bounds: "array[int]") -> "dict[Kind, array[int]]":
    """The lines with hits by their kinds. Most of a kind are alike in the bytes of what was found, in its order."""
    spelt: dict[bytes, array[int]] = {}
    numbers, size = found.numbers.tobytes(), found.numbers.itemsize
    for nth, (place, behind) in enumerate(pairwise(bounds)):
        its = numbers[place * size : behind * size]
        if (known := spelt.get(its)) is None:
            known = spelt[its] = array("i")
        known.append(nth)
    alike: dict[Kind, array[int]] = {}
    for lines in spelt.values():
        kind = tuple(dict.fromkeys(found.numbers[bounds[lines[0]] : bounds[lines[0] + 1]]))
        alike[kind] = array("i", sorted((*alike[kind], *lines))) if kind in alike else lines
    return alike


def _kept(
    alike: "Mapping[Kind, array[int]]", shares: Shares | None, last_of_writers: LastOfWriters
) -> tuple[list[tuple[int, Kind]], frozenset[Kind]]:
    """Which lines are kept: of each kind the first, the last, those where it has doubled, the last of each writer.

    With the kinds of which others are not. Without ``shares`` all are kept.
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


def kind_of(hits: Iterable[tuple[int, int]]) -> Kind:
    """What lines with the same entries in the same order share."""
    return tuple(dict.fromkeys([entry for _, entry in hits]))


def _bounded(window: Window, span: Stretch, found: Hits, number: int, continued: int) -> Iterator[HitLine]:
    """The line; of one longer than ``MAX_SLICE_BYTES`` the first and last stretch with hits, and what is new between.

    A bar that never ends its line says the same in each stretch; a record of a megabyte says it once, wherever.
    """
    if span.end - span.start <= MAX_SLICE_BYTES:
        yield HitLine(window, found, span, span.start, span.end, number, continued)
        return
    seen: set[int] = set()
    for part in _stretches(span, found):
        if not seen.issuperset(part.kind) or part.behind == span.behind:
            seen.update(part.kind)
            yield HitLine(window, found, part, span.start, span.end, number, continued)


def _stretches(span: Stretch, found: Hits) -> Iterator[Stretch]:
    """Stretches of ``MAX_SLICE_BYTES``, so that each hit lies in one. A line may have a hit for every byte."""
    start, end, place, behind, _ = span
    while place < behind:
        first = max(start, found.ends[place] - 1 - MAX_SLICE_BYTES // 2)
        last = min(end, first + MAX_SLICE_BYTES)
        next_place = bisect_right(found.ends, last, place, behind)
        yield Stretch(first, last, place, next_place, tuple(dict.fromkeys(found.numbers[place:next_place])))
        place = next_place


def _before(data: bytes, start: int) -> tuple[bytes, ...]:
    found: list[bytes] = []
    while start > 0 and len(found) < CONTEXT_LINES:
        end = start - 1
        start = data.rfind(b"\n", 0, end) + 1
        found.append(data[start : min(end, start + MAX_CONTEXT_BYTES)])
    return tuple(reversed(found))


def _after(data: bytes, end: int) -> tuple[bytes, ...]:
    found: list[bytes] = []
    while end + 1 < len(data) and len(found) < CONTEXT_LINES:
        start = end + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        found.append(data[start : min(end, start + MAX_CONTEXT_BYTES)])
    return tuple(found)
