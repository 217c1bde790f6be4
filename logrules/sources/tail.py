"""One file followed by its name, through growth, rotation, truncation and replacement."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

from logrules.model.errors import reason_of
from logrules.model.record import record
from logrules.sources.archive import MAGIC_BYTES, codec_of
from logrules.sources.chunking import behind_hole

READ_BYTES = 1 << 20
# What was read last is compared with what stands there now: a file may be written anew up to the same size.
_MARK_BYTES = 64
# What rotation puts behind a name: numbers and dates.
_SUFFIX = re.compile(r"[.-][\dT._-]{1,40}")
_MOST_SUFFIX_CHARS = 41
_MOST_FILES = 1_000

# Its device and its number there.
FileId: TypeAlias = tuple[int, int]


class _State(NamedTuple):
    """Which file it is, and when it was last written (nanoseconds)."""

    file: FileId
    written: int


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
        # The file as it was at the last look, and which files were read under its name before it.
        self._read: _State | None = None
        self._before: set[FileId] = set()

    def look(self) -> Iterator[Grown | Anew]:
        """What has come since the last look."""
        if (self._file is None and not self._open()) or self._is_untouched():
            return
        yield from self._rest()
        if self._is_another():
            # Its writer may have gone on for a moment after renaming it.
            yield from self._rest()
            old = self._state()
            self.close()
            if self._open():
                yield from self._between(old, self._state())
                yield Anew(ROTATED)
                yield from self._rest()

    def _between(self, old: _State | None, new: _State | None) -> Iterator[Grown | Anew]:
        """What was written to files that have had the name since the last look, and have lost it again."""
        if old is None or new is None:
            return
        between = _rotated_between(self.path, old, new, self._before)
        self._before |= {old.file, *between}
        for path in between.values():
            rotated = Tail(path)
            pieces = list(rotated.look())
            rotated.close()
            if pieces:
                yield Anew(ROTATED)
                yield from pieces

    def has_read(self, path: Path) -> bool:
        """Whether the file of another name is one that was read here: it was renamed since."""
        with suppress(OSError):
            file = _file_of(path.stat())
            return file in self._before or (self._file is not None and file == _file_of(os.fstat(self._file.fileno())))
        return False

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
        self._file, self._at, self._mark, self._read, self.is_deleted = None, 0, b"", None, False

    def _open(self) -> bool:
        try:
            if stat.S_ISFIFO(self.path.stat().st_mode):  # opening it would wait until somebody writes to it
                self.fault = "is a named pipe, which has no place to go back to: use `logrules watch < PIPE`"
                return False
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

    def _state(self) -> _State | None:
        """Which file it is that is open, and when it was written; None where that cannot be told."""
        try:
            return None if self._file is None else _state_of(os.fstat(self._file.fileno()))
        except OSError:
            return None

    def _is_untouched(self) -> bool:
        """Whether the file that was read to its end has its name still, and was not written since."""
        try:
            named = os.stat(self.path)  # noqa: PTH116 (asked ten times a second: a method of Path takes twice as long)
        except OSError:
            return False
        if named.st_size != self._at or _state_of(named) != self._read:
            return False
        self.is_deleted = False
        return True

    def _is_another(self) -> bool:
        """Whether another file has the name now; where none has, ours is still the one."""
        if self._file is None:
            return False
        try:
            named = self.path.stat()
        except OSError as fault:
            self.is_deleted = isinstance(fault, FileNotFoundError) and _is_nameless(self._file)
            return False
        self.is_deleted = False
        try:
            return not os.path.samestat(named, os.fstat(self._file.fileno()))
        except OSError as fault:
            return fault.errno == errno.ESTALE  # on NFS: another machine has deleted ours

    def _rest(self) -> Iterator[Grown | Anew]:
        assert self._file is not None  # noqa: S101 (only called with an open file)
        file = self._file
        try:
            status = os.fstat(file.fileno())
            if status.st_size < self._at or self._was_overwritten(file, status):
                self._at, self._mark = 0, b""
                yield Anew(TRUNCATED)
            self._read = _state_of(status)
            while data := _read_at(file, READ_BYTES, self._at):
                self._at += len(data)
                self._mark = (self._mark + data)[-_MARK_BYTES:]
                yield Grown(data, os.fstat(file.fileno()).st_mtime)
                if (behind := behind_hole(file.fileno(), self._at, data)) > self._at:
                    self._at, self._mark = behind, b""
        except OSError as fault:
            self.fault = f"reading failed ({reason_of(fault)})"

    def _was_overwritten(self, file: FileIO, status: os.stat_result) -> bool:
        """Whether a file that was written is not the one that we read: what we read last is not in it."""
        is_untouched = status.st_size == self._at and _state_of(status) == self._read
        if is_untouched or not self._mark:
            return False
        return _read_at(file, len(self._mark), self._at - len(self._mark)) != self._mark


def _is_nameless(file: FileIO) -> bool:
    """Whether an open file was deleted. On NFS such a one is called `.nfs…`, and keeps its room, until all let go."""
    with suppress(OSError):
        if not os.fstat(file.fileno()).st_nlink:
            return True
        return Path(f"/proc/self/fd/{file.fileno()}").readlink().name.startswith(".nfs")
    return False


def _read_at(file: FileIO, size: int, at: int) -> bytes:
    file.seek(at)
    return file.read(size) or b""


def first_names(name: str) -> Iterator[str]:
    """The names that a log may have had before rotation gave it this one."""
    for at in range(max(1, len(name) - _MOST_SUFFIX_CHARS), len(name)):
        if _SUFFIX.fullmatch(name, at):
            yield name[:at]


def _rotated_between(path: Path, old: _State, new: _State, read: AbstractSet[FileId]) -> dict[FileId, Path]:
    """Files that had the name for a moment, after the ``old`` one and before the ``new`` one; not those ``read``."""
    found: list[tuple[_State, Path]] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            suffix = entry.name.removeprefix(path.name)
            if suffix == entry.name or not _SUFFIX.fullmatch(suffix) or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):
                state = _state_of(entry.stat(follow_symlinks=False))
                is_unread = state.file not in {old.file, new.file} and state.file not in read
                if is_unread and old.written <= state.written <= new.written:
                    found.append((state, Path(entry.path)))
    # Names that count up, in a tie of their times: 9 is before 10.
    found.sort(key=lambda one: (one[0].written, len(one[1].name), one[1].name))
    return {state.file: path for state, path in found[-_MOST_FILES:]}


def _file_of(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino


def _state_of(status: os.stat_result) -> _State:
    return _State(_file_of(status), status.st_mtime_ns)
