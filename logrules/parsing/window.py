"""Blocks cut anew at fixed offsets, so that how a source cut its bytes cannot matter.

A window holds the lines that start within one stretch of ``WINDOW_BYTES`` of a source's
absolute offsets. It is the unit of scanning and of sampling.
"""

from collections.abc import Iterable, Iterator

from logrules.model.record import record
from logrules.model.stream import MAX_LINE_BYTES, Block

WINDOW_BYTES = 1 << 20


@record
class Window:
    """Lines that start in the ``index``-th stretch of a source; ``offset`` is that of the first byte."""

    source: str
    index: int
    offset: int
    data: bytes


def windows(blocks: Iterable[Block], size: int = WINDOW_BYTES, max_line: int = MAX_LINE_BYTES) -> Iterator[Window]:
    """The windows of one saved source, in order. A line longer than a window makes its window longer.

    Of a line longer than ``max_line`` (bytes, ``size`` at least) each such length counts as a line: no window holds
    more than ``size + max_line``.
    """
    held: list[bytes] = []
    start = line = 0  # the offsets of the window, and of the last line in it that starts within its stretch
    source = ""
    for block in blocks:
        source, at, data = block.source, block.offset, block.data
        if not held:
            start = line = at
        while data:
            boundary = (start // size + 1) * size
            behind = max(boundary - 1 - at, 0)
            if ended := data.rfind(b"\n", 0, behind) + 1:
                line = at + ended
            most = line + max_line - at
            cut = data.find(b"\n", behind, most) + 1 or most
            if cut > len(data):
                held.append(data)
                break
            held.append(data[:cut])
            yield Window(source, start // size, start, b"".join(held))
            held = []
            at, data, start = at + cut, data[cut:], at + cut
            line = start
    if held:
        yield Window(source, start // size, start, b"".join(held))
