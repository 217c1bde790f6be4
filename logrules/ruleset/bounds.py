"""Bounds of rule files and of the texts in them, and files that strangers may have written, read within bounds."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record

# Of a rule file, and of all of a pack; and how many files a pack may have.
MAX_FILE_BYTES = 1_000_000
MAX_PACK_BYTES = 50_000_000
MAX_PACK_FILES = 10_000


@record
class LooksLike:
    """How a text looks, as a pattern: the same for Pydantic."""

    pattern: str

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from pydantic import StringConstraints

        yield from StringConstraints(pattern=self.pattern)


@record
class Compiles:
    """A text is a pattern that may be used, with the flags ``before`` it: the same for Pydantic."""

    before: str = ""

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True

    def __iter__(self) -> Iterator[Any]:
        """The check that it stands for."""
        from pydantic import AfterValidator

        from logrules.ruleset.pattern import compiled

        yield AfterValidator(lambda pattern: compiled(self.before + pattern) and pattern)


@record
class Len:
    """Between how many characters a text has. Pydantic asks for its parts by the protocol of `annotated_types`."""

    shortest: int
    longest: int

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True

    def __iter__(self) -> Iterator[Any]:
        """The bounds that make it up."""
        from annotated_types import MaxLen, MinLen

        yield MinLen(self.shortest)
        yield MaxLen(self.longest)


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
        raise PackError([Problem(Position(str(path)), f"cannot be read: {fault.strerror or fault}")]) from None


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
