"""Bytes of a stream passed on before anybody looks at them."""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from threading import Lock, Thread

from logrules.sources.queue import EventQueue

_READ_BYTES = 1 << 20
# A stream is read this often at most, unless it comes in large pieces; its pipe holds what comes meanwhile. Each
# read has to wait for the interpreter, which the analysis is using.
_REST_S = 0.0005
_LARGE_BYTES = 512 << 10
_PIPE_BYTES = 1 << 20


class Passthrough(Thread):
    """Reads ``descriptor`` to its end in a thread: each piece goes to ``onward`` at once, then into the buffer.

    ``onward`` is a descriptor, or None where the log is not passed on. Where its reader has gone (SIGPIPE), or it
    cannot be written, reading goes on. ``waits`` says that all was passed on so far. Who else writes there takes the
    ``turn``.
    """

    def __init__(
        self,
        descriptor: int,
        onward: int | None,
        buffer: EventQueue,
        log: str,
        at_end: Callable[[], None] | None = None,
        turn: "Lock | None" = None,
    ) -> None:
        super().__init__(name=f"passing {log}", daemon=True)
        self._descriptor = descriptor
        self._onward = onward
        self._buffer = buffer
        self.log = log
        self.waits = False
        self._in_line = False
        self._at_end = at_end
        self._turn: AbstractContextManager[object] = turn or nullcontext()

    def run(self) -> None:
        """Pass everything on, to the end."""
        widen(self._descriptor)
        if self._onward is not None:
            widen(self._onward)
        try:
            while data := self._read():
                with self._turn:
                    self._pass_on(data)
                self._buffer.put(self.log, data)
                if len(data) < _LARGE_BYTES:
                    time.sleep(_REST_S)
        finally:
            if self._at_end is not None:
                self._at_end()

    def leave_line(self) -> bool:
        """Whether what was passed on last ends within a line, such as a bar; whoever asks ends that line."""
        open_line, self._in_line = self._in_line, False
        return open_line

    def _read(self) -> bytes:
        self.waits = True
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:
            # The other side of a pseudo-terminal is closed: that is how Linux says so.
            return b""
        finally:
            self.waits = False

    def _pass_on(self, data: bytes) -> None:
        self._in_line = self._onward is not None and not data.endswith(b"\n")
        if self._onward is not None:
            try:
                write_all(self._onward, data)
            except OSError:
                self._onward = None


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however little is taken at once. Raises OSError where nobody takes any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            time.sleep(_REST_S)


def widen(descriptor: int) -> None:
    """Let a pipe hold more, where the system knows how: its writer then waits less often."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl
    except ImportError:
        return
    with suppress(OSError):
        fcntl(descriptor, F_SETPIPE_SZ, _PIPE_BYTES)
