"""A job that we start ourselves: its output passes through, its signals and its exit status too."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import Thread

from logrules.model.errors import SourceError, reason_of
from logrules.model.stream import End
from logrules.sources.job_output import JobOutput, Output
from logrules.sources.pseudo_terminal import Terminal
from logrules.sources.queue import EventQueue
from logrules.sources.turn import Turn
from logrules.sources.wall_clock import now

OUT, ERR = 1, 2
# Where a command has ended and what it left behind holds its output open, that is listened to for so long.
_LEFT_BEHIND_S = 0.4
_SIGNALLED = 128


class ChildProcess:
    """A running command. Its output goes to ours as it comes, where ``echo`` is set, and into the buffer.

    Output and error output that go to the same place share one pipe, so that their order is kept to the byte. With
    ``pty`` the command sees a terminal. Raises SourceError where it cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        buffer: EventQueue,
        *,
        echo: bool = True,
        pty: bool = False,
        turn: Turn,
    ) -> None:
        self._buffer = buffer
        self._terminal = Terminal() if pty else None
        shared = pty or not echo or _same_place()
        self._process = _started(words, self._terminal, shared=shared)
        self._output = JobOutput(self._outputs(echo=echo, shared=shared), buffer, turn)
        self._waiting = Thread(target=self._wait, name=f"waiting for {words[0]}", daemon=True)
        self._waiting.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """Its exit status, or 128 + n where signal n ended it; None while it runs."""
        return None if self._process.poll() is None else self._status()

    def aside(self, place: int) -> AbstractContextManager[bool]:
        """Nothing of what it writes is passed on to ``place``; whether that stands within a line."""
        return self._output.aside(place)

    def send(self, number: int) -> None:
        """Pass a signal on, unless the command has ended."""
        if self._process.poll() is None:
            self._process.send_signal(number)

    def resize(self) -> None:
        """Tell the command that our terminal has another size."""
        if self._terminal is not None:
            self._terminal.resize()
            self.send(signal.SIGWINCH)

    def wait(self) -> int:
        """Wait until it has ended and all was passed on; its exit status, or 128 + n where signal n ended it."""
        self._waiting.join()
        return self._status()

    def _status(self) -> int:
        status = self._process.wait()
        return status if status >= 0 else _SIGNALLED - status

    def _outputs(self, *, echo: bool, shared: bool) -> list[Output]:
        if self._terminal is not None:
            return [Output(self._terminal.ours, OUT if echo else None, "output")]
        pipes = [pipe.fileno() for pipe in (self._process.stdout, self._process.stderr) if pipe is not None]
        if shared:
            return [Output(pipes[0], OUT if echo else None, "output")]
        return [Output(pipes[0], OUT, "stdout"), Output(pipes[1], ERR, "stderr")]

    def _wait(self) -> None:
        status = self._status()
        self._buffer.hurry()
        if self._output.wait(now() + _LEFT_BEHIND_S):
            self._output.release()  # else it passes on what they write, once we are gone
        else:
            for log in self._output.open_logs():
                self._buffer.note(log, "the command has ended, but processes that it left hold its output open")
        self._buffer.end(End(exit_status=status))


def _same_place() -> bool:
    """Whether our output and our error output are one file, pipe or terminal."""
    try:
        return os.path.sameopenfile(OUT, ERR)
    except (OSError, AttributeError):
        return False


def _started(words: Sequence[str], terminal: Terminal | None, *, shared: bool) -> "subprocess.Popen[bytes]":
    into = subprocess.PIPE if terminal is None else terminal.theirs
    errors = subprocess.STDOUT if shared else subprocess.PIPE
    try:
        process = subprocess.Popen(words, stdout=into, stderr=errors, bufsize=0)  # noqa: S603 (what the user asked for)
    except OSError as fault:
        raise SourceError(f"{words[0]}: cannot be started ({reason_of(fault)})") from None
    finally:
        if terminal is not None:
            terminal.hand_over()
    return process
