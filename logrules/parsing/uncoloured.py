"""A window as it is searched: without colours, so that a literal is found where a program coloured a part of it."""

from array import array
from bisect import bisect_right
from itertools import accumulate

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
        self._cuts = array("q", accumulate(map(len, texts[:-1])))
        self._left_out = array("q", accumulate(map(len, pieces[1::2]), initial=0))

    def in_window(self, found: Hits) -> Hits:
        """The same hits by their offsets in the window."""
        cuts, left_out = self._cuts, self._left_out
        moved = Hits()
        moved.ends = array("q", [end + left_out[bisect_right(cuts, end - 1)] for end in found.ends])
        moved.numbers = found.numbers
        return moved


def uncoloured(window: bytes) -> Uncoloured | None:
    """None for a window without colours, as most are."""
    return Uncoloured(window) if b"\x1b" in window else None
