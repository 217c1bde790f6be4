"""Standard input, output and error as a program must expect them: closed, full, slow, or with nobody reading."""

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_STDOUT, _STDERR = 1, 2


class _GuardedStream(io.FileIO):
    """A standard stream that is written to for as long as anybody reads it.

    A reader that has gone (``| head``) is no fault: the rest is dropped, so that the exit status still says what was
    found. Any other fault of standard output is raised once; one of standard error could not be told to anybody.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._told = descriptor == _STDOUT
        self._gone = False

    def write(self, data: "memoryview | bytes", /) -> int:  # type: ignore[override]
        """All or some of the data, or as if, where nobody is there to read it."""
        while not self._gone:
            try:
                done = super().write(data)
            except BrokenPipeError:
                self._gone = True
            except OSError as fault:
                self._gone = True
                if self._told:
                    raise OSError(fault.errno, fault.strerror, "standard output") from None
            else:
                if done is not None:
                    return done
                select.select([], [self], [])
        return len(data)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """While this lasts, the process's own standard streams are as above; streams put in their place stay."""
    _fill_closed()
    before = sys.stdin, sys.stdout, sys.stderr
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stdout = _guarded(sys.stdout, sys.__stdout__, _STDOUT)
    sys.stderr = _guarded(sys.stderr, sys.__stderr__, _STDERR)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = before


def _fill_closed() -> None:
    """Put the null device where a descriptor is closed: else the next file that is opened would take its number."""
    for descriptor in (0, _STDOUT, _STDERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _guarded(stream: TextIO | None, own: TextIO | None, descriptor: int) -> TextIO:
    if stream is not None and (stream is not own or not _writes_to(stream, descriptor)):
        return stream
    if stream is not None:
        with suppress(OSError):
            stream.flush()
    by_line = descriptor == _STDERR or bool(stream is not None and stream.line_buffering)
    return io.TextIOWrapper(
        io.BufferedWriter(_GuardedStream(descriptor)),  # type: ignore[type-var]
        encoding=stream.encoding if stream is not None else "utf-8",
        errors="backslashreplace",
        line_buffering=by_line,
    )


def _writes_to(stream: TextIO, descriptor: int) -> bool:
    try:
        return stream.fileno() == descriptor
    except (OSError, ValueError):
        return False
