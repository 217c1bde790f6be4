"""The way of a flood that nobody can analyse: moved by the kernel, its lines counted by `wc`. Linux only.

Python before 3.13 counts the lines of a piece more slowly than ``cat`` passes it on, and a count that lags behind holds
the job up.
"""

import os
import struct
import subprocess
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from logrules.sources.descriptors import widen, write_all

if TYPE_CHECKING:
    import ctypes

# Less than this is read and written. So is the end of what waits: of that we know how it ends.
_LEAST_BYTES, KEPT_BYTES = 512 << 10, 64 << 10
# The system's own: another `wc` that the job has on its PATH could hold it up.
_COUNTER = ("/usr/bin/wc", "-l")
_COUNT = struct.Struct("i")


def readable_bytes(descriptor: int) -> int:
    """How much a pipe or terminal holds just now; nothing for what cannot say so."""
    import fcntl
    import termios

    try:
        return int(_COUNT.unpack(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(_COUNT.size)))[0])
    except OSError:
        return 0


class FloodPath:
    """Moves most of what waits in the pipe ``ours``, where the system can; else nothing."""

    def __init__(self, ours: int) -> None:
        self._ours = ours
        self._works = sys.platform.startswith("linux") and sys.version_info < (3, 13)
        self._counter: subprocess.Popen[bytes] | None = None
        self._moved = 0

    def pass_on(self, onward: int) -> bool:
        """Move what waits on, where that is much; whether that was done, and only little may be read next."""
        waiting = readable_bytes(self._ours) if self._works else 0
        if waiting < _LEAST_BYTES:
            return False
        left = 0
        try:
            left = self._handed_to_counter(waiting - KEPT_BYTES)
            self._moved += left
            while left:
                left -= os.splice(self._ours, onward, left)
        # Where it is written to takes no pages, such as a file that is appended to; a Python without ctypes.
        except (OSError, ImportError):
            self._works = False
            while left and (data := os.read(self._ours, left)):
                left -= len(data)
                with suppress(OSError):  # whoever writes there next is told of it
                    write_all(onward, data)
        return True

    def taken(self) -> tuple[int, int]:
        """How many bytes, and how many lines, were moved since this was asked last."""
        lines = 0
        if self._counter is not None:
            said, _ = self._counter.communicate()
            self._counter = None
            lines = int(said.split()[0]) if said.strip() else 0
        moved, self._moved = self._moved, 0
        return moved, lines

    def _handed_to_counter(self, size: int) -> int:
        """Let so much of what waits be counted, at the most; how much. It still waits. Raises OSError."""
        if self._counter is None:
            self._counter = subprocess.Popen(_COUNTER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (fixed words)
            widen(_input_of(self._counter))
        copied = _library().tee(self._ours, _input_of(self._counter), size, 0)
        if copied < 0:
            raise OSError("tee")
        return int(copied)


def _input_of(process: "subprocess.Popen[bytes]") -> int:
    assert process.stdin is not None  # noqa: S101 (it was started so)
    return process.stdin.fileno()


@cache
def _library() -> "ctypes.CDLL":
    """The C library: Python knows splice(2), but not tee(2)."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
