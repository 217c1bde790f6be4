"""Bytes of a stream passed on before anybody looks at them: by a thread of ours, where no relay does."""

import os
import time
from threading import Thread

from logrules.sources.descriptors import LARGE_BYTES, READ_BYTES, REST_S, widen, write_all
from logrules.sources.queue import EventQueue
from logrules.sources.turn import Turn


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
        turn: Turn,
    ) -> None:
        super().__init__(name=f"passing {log}", daemon=True)
        self._descriptor = descriptor
        self.onward = onward
        self._buffer = buffer
        self.log = log
        self.waits = False
        self._in_line = False
        self._turn = turn

    def run(self) -> None:
        """Pass everything on, to the end."""
        widen(self._descriptor)
        if self.onward is not None:
            widen(self.onward)
        while data := self._read():
            with self._turn:
                self._pass_on(data)
            self._buffer.put(self.log, data)
            if len(data) < LARGE_BYTES:
                time.sleep(REST_S)

    def leave_line(self) -> bool:
        """Whether what was passed on last ends within a line, such as a bar; whoever asks ends that line."""
        open_line, self._in_line = self._in_line, False
        return open_line

    def _read(self) -> bytes:
        self.waits = True
        try:
            return os.read(self._descriptor, READ_BYTES)
        except OSError:
            # The other side of a pseudo-terminal is closed: that is how Linux says so.
            return b""
        finally:
            self.waits = False

    def _pass_on(self, data: bytes) -> None:
        self._in_line = self.onward is not None and not data.endswith(b"\n")
        if self.onward is not None:
            try:
                write_all(self.onward, data)
            except OSError:
                self.onward = None
