"""Files read within bounds, since strangers may have written them; and the tables that come with our packages."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem


def read_bounded(path: Path, limit: int) -> bytes:
    """The content of a regular file, or of one that a link leads to, of at most ``limit`` bytes.

    Raises OSError for any other: a device would be read without end, a named pipe waited for.
    """
    # Looked at before it is opened, since opening some devices does something; and again, since it may have changed.
    _check_regular(path.stat())
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        _check_regular(status)
        raw = b"" if status.st_size > limit else stream.read(limit + 1)
    if status.st_size > limit or len(raw) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit} bytes")
    return raw


def read_named(path: Path, limit: int) -> bytes:
    """The same of a file that a person named. Raises PackError, with its path, where it cannot be read."""
    try:
        return read_bounded(path, limit)
    except OSError as fault:
        raise PackError([Problem(Position(str(path), 0), f"cannot be read: {fault.strerror or fault}")]) from None


def packaged_table(package: str, name: str) -> dict[str, Any]:
    """What a table of ours says, a TOML file of that name in a package."""
    import tomllib
    from importlib.resources import files

    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))


def decoded(raw: bytes, shown: str) -> str:
    """The text of a file, named ``shown`` in messages. Raises PackError, with the line, where it is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise PackError([Problem(Position(shown, line), "is not UTF-8 text", "save it as UTF-8")]) from None


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
