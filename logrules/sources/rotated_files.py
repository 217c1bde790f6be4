"""Files that had a log's name for a moment: rotated away again before anybody looked."""

import os
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

# What rotation puts behind a name: numbers and dates.
_SUFFIX = re.compile(r"[.-][\dT._-]{1,40}")
_MOST_SUFFIX_CHARS = 41
_MOST_FILES = 1_000


# Its device and its number there.
FileId: TypeAlias = tuple[int, int]


class FileState(NamedTuple):
    """Which file it is, and when it was last written (nanoseconds)."""

    file: FileId
    written: int


def state_of(file: FileIO | None) -> FileState | None:
    """The state of an open file; None if it cannot be told."""
    try:
        return None if file is None else _state(os.fstat(file.fileno()))
    except OSError:
        return None


def first_names(name: str) -> Iterator[str]:
    """The names that a log may have had before rotation gave it this one."""
    for at in range(max(1, len(name) - _MOST_SUFFIX_CHARS), len(name)):
        if _SUFFIX.fullmatch(name, at):
            yield name[:at]


def rotated_between(path: Path, old: FileState, new: FileState, read: AbstractSet[FileId]) -> dict[FileId, Path]:
    """Those written after the ``old`` file of the name and before the ``new`` one, in order; not those ``read``."""
    found: list[tuple[FileState, Path]] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            suffix = entry.name.removeprefix(path.name)
            if suffix == entry.name or not _SUFFIX.fullmatch(suffix) or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):
                state = _state(entry.stat(follow_symlinks=False))
                is_unread = state.file not in {old.file, new.file} and state.file not in read
                if is_unread and old.written <= state.written <= new.written:
                    found.append((state, Path(entry.path)))
    # Names that count up, in a tie of their times: 9 is before 10.
    found.sort(key=lambda one: (one[0].written, len(one[1].name), one[1].name))
    return {state.file: path for state, path in found[-_MOST_FILES:]}


def file_of(status: os.stat_result) -> FileId:
    """Which file has this status."""
    return status.st_dev, status.st_ino


def _state(status: os.stat_result) -> FileState:
    return FileState(file_of(status), status.st_mtime_ns)
