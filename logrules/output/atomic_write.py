"""The one place that writes files: a regular file is replaced as a whole, anything else is written to.

Nobody ever reads half of a report, and a full disk costs no older one. What is no regular file (a device, a named
pipe, a terminal, a descriptor that a shell opened for us) cannot be replaced without destroying it.
"""

import contextlib
import io
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from logrules.model.errors import LogrulesError, reason_of
from logrules.sources.descriptors import write_all

_READABLE = 0o666
_MODE_BITS = 0o7777
# The longest name that file systems take is 255 bytes; ours is put around it.
_NAME_BYTES = 180


class UnwritableError(LogrulesError):
    """A file cannot be written; the sentence names it and says why. What stood there before still does."""

    def __init__(self, path: Path, fault: OSError) -> None:
        super().__init__(f"{path}: cannot be written ({reason_of(fault)})")


def write_file(path: Path, content: bytes, *, new_mode: int = _READABLE) -> None:
    """Write the whole content to ``path``. Raises UnwritableError; a regular file is then as it was.

    Links are followed. An existing file keeps its mode and, where that is possible, its owner; a new one gets
    ``new_mode`` as far as the user's mask allows.
    """
    try:
        status = _status(path)
        if status is not None and (not stat.S_ISREG(status.st_mode) or _names_descriptor(path)):
            _write_into(path, content)
        else:
            _replace(Path(os.path.realpath(path)), content, status, new_mode)
    except OSError as fault:
        raise UnwritableError(path, fault) from None


def write_page(path: str | Path, render: Callable[[TextIO], None]) -> None:
    """Write what ``render`` writes. Raises UnwritableError."""
    page = io.StringIO()
    render(page)
    write_file(Path(path), page.getvalue().encode(errors="backslashreplace"))


def write_new(path: Path, content: bytes) -> None:
    """Write a file, and the folders above it that are not there. Raises UnwritableError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UnwritableError(path, fault) from None
    write_file(path, content)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _names_descriptor(path: Path) -> bool:
    """Whether the path is ``/dev/stdout``, ``/dev/fd/63`` or the like: its opener reads on by position."""
    seen = 0
    while path.is_symlink() and seen < 40:  # noqa: PLR2004 (as many links as the kernel follows)
        if path.parent.resolve().match("/proc/*/fd") or path.parent == Path("/dev/fd"):
            return True
        path, seen = path.parent / path.readlink(), seen + 1
    return path.parent == Path("/dev/fd")


def _write_into(path: Path, content: bytes) -> None:
    """Write to what is there. A pipe that nobody reads is an error, not a wait."""
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        write_all(handle, content)
    finally:
        os.close(handle)


def _replace(path: Path, content: bytes, old: os.stat_result | None, new_mode: int) -> None:
    stem = os.fsdecode(os.fsencode(path.name)[:_NAME_BYTES])
    unfinished = path.with_name(f".{stem}-{secrets.token_hex(6)}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), new_mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        if old is not None:
            with contextlib.suppress(OSError, AttributeError):
                os.chown(unfinished, old.st_uid, old.st_gid)
            unfinished.chmod(old.st_mode & _MODE_BITS)
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
