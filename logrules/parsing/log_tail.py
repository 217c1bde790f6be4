"""The last lines of a log, whether or not a rule asked for them: they tell how it ended and what nobody knows."""

from collections.abc import Iterator

from logrules.model.record import record
from logrules.model.stream import CONTINUED

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


class LogTail:
    """Keeps the last bytes of a source while it is read, in one piece or in many."""

    def __init__(self) -> None:
        self._kept = b""
        self._end = 0

    def add(self, offset: int, data: bytes) -> None:
        """Take the bytes that lie at ``offset``; a source that begins anew is forgotten."""
        if offset != self._end:
            self._kept = b""
        self._kept = data[-TAIL_BYTES:] if len(data) >= TAIL_BYTES else (self._kept + data)[-TAIL_BYTES:]
        self._end = offset + len(data)

    def lines(self, ended: int, continued: int = 0) -> Iterator[RawLine]:
        """The last lines that are not blank, where the source has ``ended`` line ends in all.

        ``continued`` of its lines are no lines of the file.
        """
        pieces = self._kept.split(b"\n")
        number = ended + 1 - (len(pieces) - 1)
        offset = self._end - len(self._kept)
        continued -= sum(piece.startswith(CONTINUED) for piece in pieces)
        begins_within = self._end > len(self._kept)
        found: list[RawLine] = []
        for place, piece in enumerate(pieces):
            # The first piece may be the end of a line whose head was let go: only a lone line is shown so.
            continued += piece.startswith(CONTINUED)
            whole = place > 0 or not begins_within or len(pieces) == 1
            if whole and piece.strip():
                found.append(RawLine(number, offset, piece, continued))
            number += 1
            offset += len(piece) + 1
        yield from found[-TAIL_LINES:]
