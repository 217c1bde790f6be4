"""Parts of a text: lines round places, and texts made of pieces of another one, which know where these stand in it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

# A text, and from where to where it stands in what it is a view of. What has another length there is spelt otherwise.
Piece = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class TextView:
    """``starts`` are the places of the pieces in ``text``, ``origins`` where each stands in the other text.

    Pieces no more than ``joint`` characters apart there are one stretch with what lies between.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[tuple[int, int], ...]
    joint: int

    def spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where a stretch of this text stands in the other one, in parts where it is made of parts."""
        found: list[tuple[int, int]] = []
        for at in range(bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1)):
            first, last = self._origin(at, start, end)
            if found and 0 <= first - found[-1][1] <= self.joint:
                found[-1] = (found[-1][0], last)
            elif last > first:
                found.append((first, last))
        return found

    def _origin(self, at: int, start: int, end: int) -> tuple[int, int]:
        first, last = self.origins[at]
        begin = self.starts[at]
        stop = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        if stop - begin != last - first:
            return first, last
        return first + max(0, start - begin), last - max(0, stop - end)


def view_of(pieces: Iterable[Piece], joint: int) -> TextView:
    """The view that the pieces make, those without text left out."""
    kept = [piece for piece in pieces if piece[0]]
    starts = accumulate((len(text) for text, _, _ in kept), initial=0)
    return TextView(
        "".join(text for text, _, _ in kept), tuple(starts)[:-1], tuple((start, end) for _, start, end in kept), joint
    )


def lines_round(text: str, places: Iterable[int], above: int = 0, below: int = 0) -> Iterator[tuple[int, int]]:
    """From where to where the lines with the places stand, which are in order, with so many round them.

    Those that overlap are one stretch. Each ends behind the end of its line.
    """
    start = end = line_end = -1
    for place in places:
        if place < line_end:
            continue
        line_end = text.find("\n", place) + 1 or len(text)
        first = place
        for _ in range(above + 1):
            first = text.rfind("\n", 0, max(first, 0))
        if first + 1 >= end:
            if end >= 0:
                yield start, end
            start = first + 1
        end = line_end
        for _ in range(below):
            end = text.find("\n", end) + 1 or len(text)
    if end >= 0:
        yield start, end


def starts_of(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """Where it matches."""
    return (found.start() for found in pattern.finditer(text))
