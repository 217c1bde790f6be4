"""Where the lines below a traceback's frames begin: its exception stands there, whatever its name."""

from collections.abc import Iterable

# The source line of the frame and the exception. Marks under the source (Python 3.11 on) put it one line lower.
LINES_BELOW = 2
_MARKS = (b"^^", b"~~")
_MAX_MARK_BYTES = 4_096


def lines_below(data: bytes, frames: Iterable[int]) -> list[int]:
    """Offsets of the second bytes of the lines below these offsets, as a scan reports its hits (behind a match).

    ``data`` are whole lines but for the last one.
    """
    found: dict[int, None] = {}
    for at in frames:
        end, left = data.find(b"\n", at), LINES_BELOW
        while 0 <= end < len(data) - 1 and left:
            start = end + 1
            end = data.find(b"\n", start)
            stop = end if end >= 0 else len(data)
            if not any(mark in data[start : min(stop, start + _MAX_MARK_BYTES)] for mark in _MARKS):
                left -= 1
            if stop > start:
                found[start + 1] = None
    return sorted(found)
