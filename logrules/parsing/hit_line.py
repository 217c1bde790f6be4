"""A line in which something was found: the part of it round its hits, its neighbours, cut out when they are read."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from logrules.model.stream import JOINED
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window

# No more than is shown and matched of one line: what a slice holds beyond that would never be looked at.
MAX_SLICE_BYTES = 32 * 1024
CONTEXT_LINES = 2
MAX_CONTEXT_BYTES = 400

# The entries of the scanner that a line carries, each once, in their order.
Kind: TypeAlias = tuple[int, ...]


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
        return _after(self.window.data, self.end)


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


def _after(data: bytes, end: int) -> tuple[bytes, ...]:
    found: list[bytes] = []
    while end + 1 < len(data) and len(found) < CONTEXT_LINES:
        start = end + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        found.append(data[start : min(end, start + MAX_CONTEXT_BYTES)])
    return tuple(found)
