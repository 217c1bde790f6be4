"""What a job writes, on its way to who reads its log, and to the analysis."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import NamedTuple

from logrules.sources.descriptors import LARGE_BYTES, READ_BYTES, REST_S, widen, write_all
from logrules.sources.queue import EventQueue
from logrules.sources.relay import Relay
from logrules.sources.relay_feed import FrameKind, RelayFrame
from logrules.sources.relay_process import IDLE
from logrules.sources.turn import Turn
from logrules.sources.wall_clock import now

_LOOK_S = 0.02
_ANSWER_S = 0.2


class Output(NamedTuple):
    """One output of a job: ``ours`` is where we read it, ``onward`` where it goes on to, ``log`` what it is called.

    It does not go on where ``onward`` is None.
    """

    ours: int
    onward: int | None
    log: str


class JobOutput:
    """Passes ``outputs`` on and puts them into the buffer.

    A relay passes them on, and goes on doing so if we are killed; where it cannot be started, or is killed itself,
    threads of ours do. ``at_end`` is called when all have ended.
    """

    def __init__(
        self, outputs: Sequence[Output], buffer: EventQueue, turn: Turn, at_end: Callable[[], None] = lambda: None
    ) -> None:
        self._outputs = outputs
        self._buffer = buffer
        self._turn = turn
        self._at_end = at_end
        self._ended: set[int] = set()
        self._released = False
        self._threads: list[_Passthrough] = []
        try:
            self._relay: Relay | None = Relay([(one.ours, one.onward) for one in outputs])
        except OSError:
            self._relay = None
        self._turn.share_with(self._relay)
        self._reading = Thread(target=self._read, name="reading the job's output", daemon=True)
        self._reading.start()

    @contextmanager
    def aside(self, place: int) -> Iterator[bool]:
        """While this lasts, nothing is passed on to where ``place`` leads.

        Whether that stands within a line, such as a bar; whoever asks ends that line.
        """
        there = [number for number, one in enumerate(self._outputs) if same_place(one.onward, place)]
        if not there:
            yield False
            return
        with self._turn:
            by_threads = [one.leave_line() for one in self._threads if same_place(one.onward, place)]
            self._turn.end_line()
            yield True in by_threads or any(self._turn.standing >> number & 1 for number in there)

    def wait(self, until: float) -> bool:
        """Wait for the end of all outputs; one in which nothing comes is waited for ``until`` then (by the clock)."""
        while self._reading.is_alive():
            if now() >= until and self._is_idle():
                return False
            self._reading.join(_LOOK_S)
        return True

    def open_logs(self) -> list[str]:
        """Those that have not ended."""
        return [one.log for number, one in enumerate(self._outputs) if number not in self._ended]

    def join(self) -> None:
        """Wait for the end, however long that takes."""
        self._reading.join()

    def release(self) -> None:
        """Pass nothing on any more."""
        self._released = True
        if self._relay is not None:
            self._turn.share_with(None)
            self._relay.release()
            self._relay = None

    def _is_idle(self) -> bool:
        if self._threads:
            return all(one.waits for one in self._threads if one.is_alive())
        if not self._turn.acquire(timeout=_ANSWER_S):
            return False
        idle = bool(self._turn.standing & IDLE)
        self._turn.release()
        return idle

    def _read(self) -> None:
        try:
            if self._relay is not None:
                for frame in self._relay.frames():
                    self._take(frame)
            if not self._released:
                self._pass_on_ourselves()
        finally:
            self._at_end()

    def _take(self, frame: RelayFrame) -> None:
        log = self._outputs[frame.output].log
        match frame.kind:
            case FrameKind.PIECE:
                self._buffer.put_patiently(log, frame.data, frame.arrived)
            case FrameKind.LEFT_OUT:
                self._buffer.leave_out(log, frame.size, frame.lines)
            case FrameKind.END:
                self._ended.add(frame.output)

    def _pass_on_ourselves(self) -> None:
        self._turn.share_with(None)
        self._threads = [
            _Passthrough(one, self._buffer, self._turn)
            for number, one in enumerate(self._outputs)
            if number not in self._ended
        ]
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()


class _Passthrough(Thread):
    """Reads an output to its end in a thread: each piece goes on at once, then into the buffer.

    Where its reader has gone (SIGPIPE), or it cannot be written, reading goes on. ``waits`` says that all was passed
    on so far. Who else writes there takes the ``turn``.
    """

    def __init__(self, output: Output, buffer: EventQueue, turn: Turn) -> None:
        super().__init__(name=f"passing {output.log}", daemon=True)
        self._descriptor = output.ours
        self.onward = output.onward
        self._log = output.log
        self._buffer = buffer
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
            self._buffer.put(self._log, data)
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


def same_place(onward: int | None, place: int) -> bool:
    """Whether two descriptors are one file, pipe or terminal."""
    try:
        return onward is not None and os.path.sameopenfile(onward, place)
    except (OSError, AttributeError):
        return False
