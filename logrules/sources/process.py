"""A job that we start ourselves: its output passes through, its signals and its exit status too."""

import os
import signal
import subprocess
from collections.abc import Sequence
from threading import Lock, Thread

from logrules.model.errors import SourceError, reason_of
from logrules.model.stream import End
from logrules.sources.output_keeper import OutputKeeper
from logrules.sources.passthrough import Passthrough
from logrules.sources.pseudo_terminal import Terminal
from logrules.sources.queue import EventQueue
from logrules.sources.wall_clock import now

OUT, ERR = 1, 2
# Where a command has ended and what it left behind holds its output open, that is listened to for so long.
_LEFT_BEHIND_S = 0.4
_LOOK_S = 0.02
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
        turn: "Lock | None" = None,
    ) -> None:
        self._buffer = buffer
        self._terminal = Terminal() if pty else None
        shared = pty or not echo or _same_place()
        self._process = _started(words, self._terminal, shared=shared)
        outputs = self._outputs(echo=echo, shared=shared)
        self._keeper = OutputKeeper([(ours, onward) for ours, onward, _ in outputs])
        self._streams = [Passthrough(ours, onward, buffer, name, turn=turn) for ours, onward, name in outputs]
        for stream in self._streams:
            stream.start()
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

    def leave_line(self) -> bool:
        """Whether its output ends within a line just now; whoever asks ends that line."""
        asked = [stream.leave_line() for stream in self._streams]
        return True in asked

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

    def _outputs(self, *, echo: bool, shared: bool) -> list[tuple[int, int | None, str]]:
        """Our end of each of its outputs, where that goes on to, and its name."""
        if self._terminal is not None:
            return [(self._terminal.ours, OUT if echo else None, "output")]
        pipes = [pipe.fileno() for pipe in (self._process.stdout, self._process.stderr) if pipe is not None]
        if shared:
            return [(pipes[0], OUT if echo else None, "output")]
        return list(zip(pipes, (OUT, ERR), ("stdout", "stderr"), strict=True))

    def _wait(self) -> None:
        status = self._status()
        left = [stream for stream in self._streams if not _passed_on(stream, now() + _LEFT_BEHIND_S)]
        for stream in left:
            self._buffer.note(stream.log, "the command has ended, but processes that it left hold its output open")
        if not left:
            self._keeper.release()  # else it passes on what they write, once we are gone
        self._buffer.end(End(exit_status=status))


def _passed_on(stream: Passthrough, until: float) -> bool:
    """Whether a stream came to its end; one that only waits for more is given up at ``until`` (by the clock)."""
    while stream.is_alive():
        if stream.waits and now() >= until:
            return False
        stream.join(_LOOK_S)
    return True


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
