"""One file followed by its name, through growth, rotation, truncation and replacement."""

import os
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

from logrules.model.errors import reason_of
from logrules.model.record import record
from logrules.sources.archive import MAGIC_BYTES, codec_of
from logrules.sources.holes import behind_hole, may_be_in_hole
from logrules.sources.rotated_files import FileId, FileState, file_of, rotated_between, state_of

READ_BYTES = 1 << 20
# What was read last is compared with what stands there now: a file may be written anew up to the same size.
_MARK_BYTES = 64


@record
class Grown:
    """Further bytes, and when the file was last written (seconds since the epoch)."""

    data: bytes
    written: float


@record
class Anew:
    """The next bytes are the first of a new file, and why."""

    reason: str


ROTATED = "was replaced by a new file (rotated); lines count from the start of the new one"
TRUNCATED = "was truncated or written anew; lines count from its new start"


class Tail:
    """Follows ``path``, which need not exist yet. Reads what is there, from the start.

    ``fault`` says what stood against reading at the last look, if anything, ``is_deleted`` that the file had no name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: str | None = None
        self.is_deleted = False
        self._file: FileIO | None = None
        self._at = 0
        self._mark = b""
        # When the file was last written as of the last look, and which files were read under its name before it.
        self._written = 0
        self._before: set[FileId] = set()

    def look(self) -> Iterator[Grown | Anew]:
        """What has come since the last look."""
        if self._file is None and not self._open():
            return
        yield from self._rest()
        if self._is_another():
            # Its writer may have gone on for a moment after renaming it.
            yield from self._rest()
            old = state_of(self._file)
            self.close()
            if self._open():
                yield from self._between(old, state_of(self._file))
                yield Anew(ROTATED)
                yield from self._rest()

    def _between(self, old: FileState | None, new: FileState | None) -> Iterator[Grown | Anew]:
        """What was written to files that have had the name since the last look, and have lost it again."""
        if old is None or new is None:
            return
        between = rotated_between(self.path, old, new, self._before)
        self._before |= {old.file, *between}
        for path in between.values():
            rotated = Tail(path)
            pieces = list(rotated.look())
            rotated.close()
            if pieces:
                yield Anew(ROTATED)
                yield from pieces

    def back(self, count: int) -> None:
        """Read the last ``count`` bytes again with the next look."""
        if count:
            self._at, self._mark = self._at - count, b""

    def has_read(self, path: Path) -> bool:
        """Whether the file of another name is one that was read here: it was renamed since."""
        with suppress(OSError):
            file = file_of(path.stat())
            return file in self._before or (self._file is not None and file == file_of(os.fstat(self._file.fileno())))
        return False

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
        self._file, self._at, self._mark, self.is_deleted = None, 0, b"", False

    def _open(self) -> bool:
        try:
            file = FileIO(self.path)
        except OSError as fault:
            self.fault = reason_of(fault)
            return False
        try:
            head = _read_at(file, MAGIC_BYTES, 0)
        except OSError as fault:
            file.close()
            self.fault = f"reading failed ({reason_of(fault)})"
            return False
        if codec_of(head):
            file.close()
            self.fault = "is compressed, and a compressed log does not grow: use `logrules diagnose`"
            return False
        self.fault, self._file = None, file
        return True

    def _is_another(self) -> bool:
        """Whether another file has the name now; where none has, ours is still the one."""
        try:
            named = self.path.stat()
        except OSError:
            return False
        return self._file is not None and not os.path.samestat(named, os.fstat(self._file.fileno()))

    def _rest(self) -> Iterator[Grown | Anew]:
        assert self._file is not None  # noqa: S101 (only called with an open file)
        file = self._file
        try:
            status = os.fstat(file.fileno())
            if status.st_size < self._at or self._was_overwritten(file, status):
                self._at, self._mark = 0, b""
                yield Anew(TRUNCATED)
            self._written, self.is_deleted = status.st_mtime_ns, not status.st_nlink
            while data := _read_at(file, READ_BYTES, self._at):
                self._at += len(data)
                self._mark = (self._mark + data)[-_MARK_BYTES:]
                yield Grown(data, os.fstat(file.fileno()).st_mtime)
                if may_be_in_hole(data):
                    self._pass_hole(file)
        except OSError as fault:
            self.fault = f"reading failed ({reason_of(fault)})"

    def _pass_hole(self, file: FileIO) -> None:
        behind = behind_hole(file.fileno(), self._at)
        if behind > self._at:
            self._at, self._mark = behind, b""

    def _was_overwritten(self, file: FileIO, status: os.stat_result) -> bool:
        """Whether a file that was written is not the one that we read: what we read last is not in it."""
        is_untouched = status.st_size == self._at and status.st_mtime_ns == self._written
        if is_untouched or not self._mark:
            return False
        return _read_at(file, len(self._mark), self._at - len(self._mark)) != self._mark


def _read_at(file: FileIO, size: int, at: int) -> bytes:
    file.seek(at)
    return file.read(size) or b""
