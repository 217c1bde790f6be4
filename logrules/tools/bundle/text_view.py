"""A text made of pieces of another one: what was found in it stands where its pieces came from."""

from bisect import bisect_right
from collections.abc import Iterable
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
