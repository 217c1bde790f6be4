"""Standard input as a saved log: read to its end before anything is said."""

import os
import stat
from io import FileIO

from logrules.model.errors import SourceError
from logrules.model.stream import Block, End, Skipped
from logrules.sources.file import saved_items
from logrules.sources.source import BLOCK_BYTES
from logrules.sources.wall_clock import now

STDIN_NAME = "<stdin>"


class StdinSource:
    """The pipe or file on ``descriptor``, plain or compressed; the descriptor stays open."""

    name = STDIN_NAME

    def __init__(self, block_bytes: int = BLOCK_BYTES, descriptor: int = 0) -> None:
        self._items = saved_items(self.name, lambda: _opened(descriptor), block_bytes)
        self._end = End()
        self._descriptor = descriptor

    @property
    def modified(self) -> float:
        """When the file behind it was last written; of a pipe, now: by it, times without a year are read."""
        try:
            status = os.fstat(self._descriptor)
        except OSError:
            return now()
        return status.st_mtime if stat.S_ISREG(status.st_mode) else now()

    def read(self, until: float | None) -> Block | Skipped | End:  # noqa: ARG002 (saved input never waits)
        """The next block, what had to be left out, or the end. The end carries no time of writing."""
        item = next(self._items, self._end)
        return self._end if isinstance(item, End) else item


def _opened(descriptor: int) -> FileIO:
    try:
        return FileIO(descriptor, closefd=False)
    except OSError:
        raise SourceError("standard input is closed; name a log file or pipe one in") from None
