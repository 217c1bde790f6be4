"""The first and the last lines of a log, whether or not a rule asked for them.

The last tell how it ended and what nobody knows; who opens with the first again has begun anew.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from logrules.model.record import record
from logrules.model.stream import CONTINUED, JOINED

# What a program says of itself before it sets to work is told within so much.
HEAD_BYTES = 8 * 1024
HEAD_LINES = 16
# Enough to see what a process wrote after its last telling line, few enough to cost milliseconds.
TAIL_BYTES = 32 * 1024
TAIL_LINES = 160


@record
class RawLine:
    """A line as it lies in its source: ``number`` counts from 1, ``offset`` is that of its first byte.

    ``continued`` of the lines up to it are no lines of the file.
    """

    number: int
    offset: int
    raw: bytes
    continued: int = 0


class LogEnds:
    """Keeps the first and the last bytes of a source while it is read, in one piece or in many."""

    def __init__(self) -> None:
        self._first = b""
        self._last = b""
        self._end = 0

    def add(self, offset: int, data: bytes) -> None:
        """Take the bytes that lie at ``offset``; the end of a source that begins anew is forgotten."""
        if offset == len(self._first) < HEAD_BYTES:
            self._first += data[: HEAD_BYTES - offset]
        if offset != self._end:
            self._last = b""
        self._last = data[-TAIL_BYTES:] if len(data) >= TAIL_BYTES else (self._last + data)[-TAIL_BYTES:]
        self._end = offset + len(data)

    def first_lines(self) -> Iterator[RawLine]:
        """The first whole lines that are not blank."""
        lines = _numbered(self._first.split(b"\n")[:-1], 1, 0, 0)
        yield from islice((line for line in lines if line.raw.strip()), HEAD_LINES)

    def last_lines(self, ended: int, continued: int = 0) -> list[RawLine]:
        """The last lines that are not blank, where the source has ``ended`` line ends in all.

        ``continued`` of its lines are no lines of the file.
        """
        pieces = self._last.split(b"\n")
        above = ended - (len(pieces) - 1)
        continued -= sum(piece.startswith(CONTINUED) - piece.count(JOINED) for piece in pieces)
        start = self._end - len(self._last)
        lines = list(_numbered(pieces, above + 1, start, continued))
        # The first piece may be the end of a line whose head was let go: only a lone line is shown so.
        whole = lines[1:] if start > 0 and len(lines) > 1 else lines
        return [line for line in whole if line.raw.strip()][-TAIL_LINES:]


def _numbered(pieces: Iterable[bytes], number: int, offset: int, continued: int) -> Iterator[RawLine]:
    """Pieces that follow each other as lines, the first with this number and at this offset."""
    for nth, piece in enumerate(pieces, number):
        continued += piece.startswith(CONTINUED)
        yield RawLine(nth, offset, piece, continued)
        continued -= piece.count(JOINED)
        offset += len(piece) + 1
