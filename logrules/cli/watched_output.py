"""A command that we start, and standard input: what comes passes through, its signals and its exit status too."""

import argparse
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import Thread

from logrules.cli.watched_job import ENDING, STDIN, STDOUT, Job
from logrules.engine.needed_threads import need_threads
from logrules.model.errors import SourceError, reason_of
from logrules.model.stream import End
from logrules.sources.job_output import JobOutput, Output, same_place
from logrules.sources.pseudo_terminal import Terminal
from logrules.sources.queue import EventQueue
from logrules.sources.source import STDIN_NAME
from logrules.sources.wall_clock import now, steady

_STDERR = 2
# Where a command has ended and what it left behind holds its output open, that is listened to for so long.
_LEFT_BEHIND_S = 0.4
_SIGNALLED = 128
# What reads its output, what waits for its end, and what analyses.
_THREADS = 3
# With a terminal in front, the kernel has told the whole group: the command too.
_FROM_TERMINAL = ("SIGINT", "SIGQUIT")


class Streamed(Job):
    """A job whose output goes to ours as it comes, unless it is not to be shown, and into ``source``."""

    source: EventQueue
    _output: JobOutput | None = None

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        super().__init__()
        self.echoes = options.echo is not False
        self.source = EventQueue(name)

    def aside(self, place: int) -> AbstractContextManager[bool]:
        """Hold what comes."""
        return super().aside(place) if self._output is None else self._output.aside(place)

    def unwatched(self) -> None:
        """Go on passing it through."""
        self.source.give_up()


class Pipe(Streamed):
    """Standard input."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options, STDIN_NAME)

    def start(self) -> None:
        """Read it."""
        output = Output(STDIN, STDOUT if self.echoes else None, STDIN_NAME)
        self._output = JobOutput([output], self.source, self.turn, self.source.stop)

    def unwatched(self) -> None:
        """Go on passing it through, to its end."""
        super().unwatched()
        if self._output is not None:
            self._output.join()

    def wait(self) -> int | None:
        """Whoever writes to it is told that nobody reads any more."""
        if self._output is not None:
            self._output.release()
        return None


class Command(Streamed):
    """A command that we start.

    Output and error output that go to the same place share one pipe, so that their order is kept to the byte. With
    ``--pty`` the command sees a terminal.
    """

    signals = (*ENDING, "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options, " ".join(options.command))
        self._words: Sequence[str] = options.command
        self._terminal = Terminal() if options.pty else None
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting = Thread(target=self._wait, name=f"waiting for {self._words[0]}", daemon=True)
        self._early: list[int] = []

    @property
    def pid(self) -> int | None:
        """Its process id, once it was started."""
        return None if self._process is None else self._process.pid

    @property
    def exit_status(self) -> int | None:
        """Its exit status, or 128 + n where signal n ended it; None while it runs."""
        status = None if self._process is None else self._process.poll()
        return status if status is None or status >= 0 else _SIGNALLED - status

    def start(self) -> None:
        """Start it. Raises SourceError where it cannot be, and RuntimeError where it could not be watched."""
        need_threads(_THREADS)
        shared = self._terminal is not None or not self.echoes or same_place(STDOUT, _STDERR)
        process = self._process = _started(self._words, self._terminal, shared=shared)
        self._output = JobOutput(self._outputs(process, shared=shared), self.source, self.turn)
        self._waiting.start()
        for number in self._early:
            process.send_signal(number)

    def signalled(self, number: int) -> bool:
        """Pass the signal on; the command decides when it ends."""
        name = signal.Signals(number).name
        if name in _FROM_TERMINAL and _in_front():
            return False
        if self._process is None:
            self._early.append(number)
            return False
        if number == getattr(signal, "SIGWINCH", None):
            if self._terminal is None:
                return False
            self._terminal.resize()
        self._process.send_signal(number)  # none is sent to one that has ended
        return False

    def wait(self) -> int | None:
        """Wait until it has ended and all was passed on; its exit status."""
        self._waiting.join()
        return self.exit_status

    def _outputs(self, process: "subprocess.Popen[bytes]", *, shared: bool) -> list[Output]:
        onward = STDOUT if self.echoes else None
        if self._terminal is not None:
            return [Output(self._terminal.ours, onward, "output")]
        pipes = [pipe.fileno() for pipe in (process.stdout, process.stderr) if pipe is not None]
        if shared:
            return [Output(pipes[0], onward, "output")]
        return [Output(pipes[0], STDOUT, "stdout"), Output(pipes[1], _STDERR, "stderr")]

    def _wait(self) -> None:
        if self._process is None or self._output is None:
            return
        self._process.wait()
        self._ended = steady()
        self.source.hurry()
        if self._output.wait(now() + _LEFT_BEHIND_S):
            self._output.release()  # else it passes on what they write, once we are gone
            for pipe in (self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()
        else:
            for log in self._output.open_logs():
                self.source.note(log, "the command has ended, but processes that it left hold its output open")
        asked = self.asked_by
        self.source.end(End(self.exit_status, signal.Signals[asked] if asked is not None else None))


def _started(words: Sequence[str], terminal: Terminal | None, *, shared: bool) -> "subprocess.Popen[bytes]":
    into = subprocess.PIPE if terminal is None else terminal.theirs
    errors = subprocess.STDOUT if shared else subprocess.PIPE
    try:
        return subprocess.Popen(words, stdout=into, stderr=errors, bufsize=0)  # noqa: S603 (what the user asked for)
    except OSError as fault:
        raise SourceError(f"{words[0]}: cannot be started ({reason_of(fault)})") from None
    finally:
        if terminal is not None:
            terminal.hand_over()


def _in_front() -> bool:
    """Whether a terminal has us in front, so that what is typed there reaches our command by itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except (OSError, AttributeError):
        return False
    finally:
        os.close(terminal)
