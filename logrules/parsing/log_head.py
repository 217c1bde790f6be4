"""The first lines of a log, whether or not a rule asked for them: who opens with them again has begun anew."""

from collections.abc import Iterator

from logrules.model.stream import CONTINUED
from logrules.parsing.log_tail import RawLine

# What a program says of itself before it sets to work is told within so much.
HEAD_BYTES = 8 * 1024
HEAD_LINES = 16


class LogHead:
    """Keeps the first bytes of a source, in one piece or in many."""

    def __init__(self) -> None:
        self._kept = b""

    def add(self, offset: int, data: bytes) -> None:
        """Take the bytes that lie at ``offset``."""
        if offset == len(self._kept) < HEAD_BYTES:
            self._kept += data[: HEAD_BYTES - offset]

    def lines(self) -> Iterator[RawLine]:
        """The first whole lines that are not blank."""
        offset, continued, found = 0, 0, 0
        for number, piece in enumerate(self._kept.split(b"\n")[:-1], 1):
            continued += piece.startswith(CONTINUED)
            if piece.strip():
                yield RawLine(number, offset, piece, continued)
                found += 1
            if found == HEAD_LINES:
                return
            offset += len(piece) + 1
