"""A window as it is searched: without colours, so that a literal is found where a program coloured a part of it."""

from array import array
from bisect import bisect_left
from itertools import accumulate, repeat
from operator import add

from logrules.model.late_pattern import late_pattern
from logrules.parsing.hits import Hits

_COLOUR = late_pattern(rb"(\x1b\[[\d;]*m)")


class Uncoloured:
    """The ``data`` of a window without its colours, and where in the window each byte of it stands."""

    def __init__(self, window: bytes) -> None:
        pieces = _COLOUR.split(window)
        texts = pieces[::2]
        self.data = b"".join(texts)
        # Behind so many bytes of the data so many of the window were left out.
        self._cuts = list(accumulate(map(len, texts[:-1])))
        self._left_out = list(accumulate(map(len, pieces[1::2]), initial=0))

    def in_window(self, found: Hits) -> Hits:
        """The same hits by their offsets in the window."""
        cuts_before = map(bisect_left, repeat(self._cuts), found.ends)
        moved = Hits()
        moved.ends = array("q", map(add, found.ends, map(self._left_out.__getitem__, cuts_before)))
        moved.numbers = found.numbers
        return moved


def uncoloured(window: bytes) -> Uncoloured | None:
    """None for a window without colours, as most are."""
    return Uncoloured(window) if b"\x1b" in window else None
