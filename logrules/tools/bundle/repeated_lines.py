"""The lines of a text without those that only tell other numbers: of a log of training one in three or fewer.

Two lines are alike if they are the same but for digits, of about as many. Where one of them holds a secret, all that
are like it are looked at; where one names a secret, each is, since numbers may be secrets there.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from logrules.tools.bundle.text_view import Piece, TextView, view_of

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_NOT = bytes.maketrans(b"\0\1", b"\1\0")
# Of lines that are alike so many are looked at, and of all others so many round them: what stands there may tell.
_ENOUGH, _CONTEXT = 2, 3


class RepeatedLines:
    """The lines of a text by what they are like. ``telling`` are places of which the lines are no repetitions."""

    def __init__(self, text: str, telling: Iterable[int]) -> None:
        self._text = text
        self._shapes = _shapes(text)
        self._starts = [*accumulate((len(line) + 1 for line in text.split("\n")), initial=0)]
        self._left_out = bytearray(b"\1" * len(self._shapes))
        seen: Counter[str] = Counter()
        for at, shape in enumerate(self._shapes):
            seen[shape] += 1
            if seen[shape] <= _ENOUGH:
                self._take(at)
        for at in {self._line_of(place) for place in telling}:
            self._take(at)

    def distinct(self) -> TextView | None:
        """The text but for lines that are like several before, as are those round them; None if all are."""
        pieces = list(_pieces(self._text, self._starts, self._left_out.translate(_NOT)))
        return view_of(pieces, joint=0) if pieces else None

    def like(self, spans: Iterable[tuple[int, int, str]]) -> TextView | None:
        """The distinct lines with those that are like one that holds a span, and what is round them; None without any.

        All that was looked at is in it: what makes a value a secret may be the head of its column or of its block.
        """
        lines = {at for start, end, _ in spans for at in range(self._line_of(start), self._line_of(end - 1) + 1)}
        found = {self._shapes[at] for at in lines}
        alike = [at for at, shape in enumerate(self._shapes) if self._left_out[at] and shape in found]
        for at in alike:
            self._take(at)
        return self.distinct() if alike else None

    def _line_of(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _take(self, at: int) -> None:
        first, end = max(0, at - _CONTEXT), min(len(self._left_out), at + _CONTEXT + 1)
        self._left_out[first:end] = bytes(end - first)


def _shapes(text: str) -> list[str]:
    """Each line with digits alike, of which 1 to 3, 4, 5 to 7 … count as as many."""
    flat = text.encode("utf-8", "surrogatepass").translate(_DIGITS)
    short = flat.replace(b"0000", b"4").replace(b"000", b"0").replace(b"00", b"0")
    return short.decode("utf-8", "surrogatepass").split("\n")


def _pieces(text: str, starts: list[int], kept: bytearray) -> Iterator[Piece]:
    at = kept.find(1)
    while at >= 0:
        behind = kept.find(0, at)
        start, end = starts[at], min(len(text), starts[behind if behind >= 0 else -1])
        if start < end:
            yield text[start:end], start, end
        at = kept.find(1, behind) if behind >= 0 else -1
