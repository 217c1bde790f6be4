"""Standard input as a saved log: read to its end before anything is said."""

import os
import stat
from io import FileIO

from logrules.model.errors import SourceError
from logrules.sources.file import saved_items
from logrules.sources.source import BLOCK_BYTES, SavedSource
from logrules.sources.wall_clock import now

STDIN_NAME = "<stdin>"


class StdinSource(SavedSource):
    """The pipe or file on ``descriptor``, plain or compressed; the descriptor stays open."""

    def __init__(self, block_bytes: int = BLOCK_BYTES, descriptor: int = 0) -> None:
        super().__init__(STDIN_NAME, saved_items(STDIN_NAME, lambda: _opened(descriptor), block_bytes))
        self._descriptor = descriptor

    @property
    def modified(self) -> float:
        """When the file behind it was last written; of a pipe, now: by it, times without a year are read."""
        try:
            status = os.fstat(self._descriptor)
        except OSError:
            return now()
        return status.st_mtime if stat.S_ISREG(status.st_mode) else now()


def _opened(descriptor: int) -> FileIO:
    try:
        return FileIO(descriptor, closefd=False)
    except OSError:
        raise SourceError("standard input is closed; name a log file or pipe one in") from None
