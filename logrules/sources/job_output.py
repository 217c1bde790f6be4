"""What a job writes, on its way to who reads its log, and to the analysis."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import NamedTuple

from logrules.sources.descriptors import READ_BYTES, write_all
from logrules.sources.queue import EventQueue
from logrules.sources.relay import Relay, Turn
from logrules.sources.relay_feed import FrameKind, RelayFrame
from logrules.sources.relay_process import IDLE
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

    A relay passes them on, and goes on doing so if we are killed; where it is killed itself, another one takes over.
    ``at_end`` is called when all have ended.
    """

    def __init__(
        self, outputs: Sequence[Output], buffer: EventQueue, turn: Turn, at_end: Callable[[], None] = lambda: None
    ) -> None:
        self._outputs = outputs
        self._buffer = buffer
        self._turn = turn
        self._at_end = at_end
        self._ended: set[int] = set()
        # In which nothing has come since all of it was passed on, as far as threads of ours see.
        self._still: set[int] = set()
        self._released = False
        self._relay = self._begun()
        self._reading = Thread(target=self._read, name="reading the job's output", daemon=True)
        self._reading.start()

    def _begun(self, *, by_thread: bool = False) -> Relay | None:
        """A relay for the outputs that have not ended; None where there are none (Windows), or no descriptors left."""
        left = [(number, one.ours, one.onward) for number, one in enumerate(self._outputs) if number not in self._ended]

        def begin() -> Relay | None:
            try:
                return Relay(left, by_thread=by_thread) if os.name == "posix" else None
            except OSError:
                return None

        return self._turn.share_with(begin)

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
            self._turn.end_line()
            yield any(self._turn.standing >> number & 1 for number in there)

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
            self._turn.share_with(lambda: None)
            self._relay.release()
            self._relay = None

    def _is_idle(self) -> bool:
        if not self._turn.acquire(timeout=_ANSWER_S):
            return False
        nothing_comes = len(self._ended | self._still) == len(self._outputs)
        idle = nothing_comes if self._relay is None else bool(self._turn.standing & IDLE)
        self._turn.release()
        return idle

    def _read(self) -> None:
        try:
            while (relay := self._relay) is not None:
                for frame in relay.frames():
                    self._take(frame)
                if self._released or not self.open_logs():
                    return
                self._relay = None if relay.process is None else self._begun(by_thread=True)
                relay.release()
            if not self._released:
                self._turn.share_with(lambda: None)
                self._pass_on_ourselves()
        finally:
            self._at_end()

    def _take(self, frame: RelayFrame) -> None:
        log = self._outputs[frame.output].log
        match frame.kind:
            case FrameKind.PIECE:
                self._buffer.put(log, frame.data, frame.arrived)
            case FrameKind.LEFT_OUT:
                self._buffer.leave_out(log, frame.size, frame.lines)
            case FrameKind.FAULT:
                self._buffer.note(log, f"a part could not be passed on ({frame.data.decode()})")
            case FrameKind.END:
                self._ended.add(frame.output)

    def _pass_on_ourselves(self) -> None:
        """Where there is no relay: threads pass on, and the job waits where the analysis lags far behind."""
        left = [number for number in range(len(self._outputs)) if number not in self._ended]
        threads = [Thread(target=self._copy, args=(number,), daemon=True) for number in left]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _copy(self, number: int) -> None:
        one = self._outputs[number]
        while data := self._come(number):
            with self._turn, suppress(OSError):  # its reader may have gone; the log is read on
                if one.onward is not None:
                    self._turn.stand(number, in_line=not data.endswith(b"\n"))
                    write_all(one.onward, data)
            self._buffer.put(one.log, data, now())
        self._ended.add(number)

    def _come(self, number: int) -> bytes:
        self._still.add(number)
        try:
            return os.read(self._outputs[number].ours, READ_BYTES)
        except OSError:  # a terminal that nobody has open any more
            return b""
        finally:
            self._still.discard(number)


def same_place(onward: int | None, place: int) -> bool:
    """Whether two descriptors are one file, pipe or terminal."""
    try:
        return onward is not None and os.path.sameopenfile(onward, place)
    except (OSError, AttributeError):
        return False
