"""What there is to watch: a command, a pipe, files, a saved log that is replayed."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, tzinfo
from functools import partial
from typing import TYPE_CHECKING

from logrules.model.errors import LogrulesError
from logrules.model.stream import End
from logrules.output.escape import safe
from logrules.ruleset.pack import Pack
from logrules.sources.queue import EventQueue
from logrules.sources.source import Source
from logrules.sources.turn import Turn

if TYPE_CHECKING:
    from pathlib import Path

    from logrules.engine.replay_source import ReplaySource
    from logrules.sources.followed_files import FollowedFiles
    from logrules.sources.job_output import JobOutput
    from logrules.sources.process import ChildProcess

STDIN, STDOUT = 0, 1
STDIN_NAME = "<stdin>"
ENDING: tuple[str, ...] = ("SIGTERM", "SIGINT", "SIGHUP")
# With a terminal in front, the kernel has told the whole group: the command too.
_FROM_TERMINAL = ("SIGINT", "SIGQUIT")


class Job:
    """Something to watch; what is said here holds where a kind of job says nothing else.

    ``signals`` are those that it is told of, ``backlog`` what there is to read before it is live; ``echoes`` says
    that its log goes to standard output; ``zone`` is that of its times, ``beat_s`` how often it is looked at in
    silence, by its own clock. ``source`` is what is followed; whoever writes to where that is passed on takes
    the ``turn``.
    """

    signals: tuple[str, ...] = ENDING
    backlog: Sequence[Source] = ()
    echoes: bool = False
    zone: tzinfo | None = None
    beat_s: float | None = 1.0
    source: Source

    def __init__(self) -> None:
        self.turn = Turn()

    @property
    def pid(self) -> int | None:
        """The process that was started, if any was."""
        return None

    @property
    def exit_status(self) -> int | None:
        """How the command ended, if there is one and it has."""
        return None

    def path_of(self, source: str) -> "Path | None":  # noqa: ARG002 (most lie nowhere)
        """Where a log of this name lies on disk; None where it does not."""
        return None

    def start(self) -> None:
        """Begin: from here on bytes come."""

    def signalled(self, number: int) -> bool:
        """We were sent a signal; whether that is the end of watching."""
        raise NotImplementedError

    def aside(self, place: int) -> AbstractContextManager[bool]:  # noqa: ARG002 (most pass on nothing)
        """Let nothing be passed on to where ``place`` leads; whether that is within a line, which whoever asks ends."""
        return nullcontext(False)

    def unwatched(self) -> None:
        """Nobody analyses any more: only pass on."""

    def wait(self) -> int | None:
        """Wait until all was passed on; the exit status to end with, where the job decides it."""
        return None


class Command(Job):
    """A command that we start."""

    source: EventQueue
    signals = (*ENDING, "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.echoes = options.echo is not False
        self.source = EventQueue(" ".join(options.command))
        self._words = options.command
        self._pty = options.pty
        self._child: ChildProcess | None = None
        self._early: list[int] = []

    @property
    def pid(self) -> int | None:
        """Its process id, once it was started."""
        return None if self._child is None else self._child.pid

    @property
    def exit_status(self) -> int | None:
        """Its exit status, once it has ended."""
        return None if self._child is None else self._child.exit_status

    def start(self) -> None:
        """Start it."""
        from logrules.sources.process import ChildProcess

        child = self._child = ChildProcess(self._words, self.source, echo=self.echoes, pty=self._pty, turn=self.turn)
        for number in self._early:
            child.send(number)

    def signalled(self, number: int) -> bool:
        """Pass the signal on; the command decides when it ends."""
        if signal.Signals(number).name in _FROM_TERMINAL and _in_front():
            return False
        if self._child is None:
            self._early.append(number)
        elif number == getattr(signal, "SIGWINCH", None):
            self._child.resize()
        else:
            self._child.send(number)
        return False

    def aside(self, place: int) -> AbstractContextManager[bool]:
        """Hold its output."""
        return super().aside(place) if self._child is None else self._child.aside(place)

    def unwatched(self) -> None:
        """Go on passing its output through."""
        self.source.give_up()

    def wait(self) -> int | None:
        """Its exit status."""
        return None if self._child is None else self._child.wait()


class Pipe(Job):
    """Standard input."""

    source: EventQueue

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.echoes = options.echo is not False
        self.source = EventQueue(STDIN_NAME)
        self._output: JobOutput | None = None

    def _end(self) -> None:
        self.source.end(End())

    def start(self) -> None:
        """Read it."""
        from logrules.sources.job_output import JobOutput, Output

        output = Output(STDIN, STDOUT if self.echoes else None, STDIN_NAME)
        self._output = JobOutput([output], self.source, self.turn, self._end)

    def signalled(self, number: int) -> bool:  # noqa: ARG002 (any that reaches us ends it)
        """Watch no longer."""
        self._end()
        return True

    def aside(self, place: int) -> AbstractContextManager[bool]:
        """Hold what comes."""
        return super().aside(place) if self._output is None else self._output.aside(place)

    def unwatched(self) -> None:
        """Go on passing it through, to its end."""
        self.source.give_up()
        if self._output is not None:
            self._output.join()

    def wait(self) -> int | None:
        """Whoever writes to it is told that nobody reads any more."""
        if self._output is not None:
            self._output.release()
        return None


class Followed(Job):
    """Files, patterns and folders."""

    source: "FollowedFiles"

    def __init__(self, options: argparse.Namespace) -> None:
        from logrules.sources.followed_files import FollowedFiles

        super().__init__()
        self.echoes = bool(options.echo)
        show = partial(_show, self.turn) if self.echoes else _show_not
        self.source = FollowedFiles(options.paths, show)
        self.backlog = self.source.backlog

    def start(self) -> None:
        """Say what there is to wait for."""
        for path in self.source.missing():
            print(f"logrules: waiting for {safe(path)}", file=sys.stderr, flush=True)

    def path_of(self, source: str) -> "Path | None":
        """The file that is followed by this name."""
        return self.source.path_of(source)

    def signalled(self, number: int) -> bool:  # noqa: ARG002 (any that reaches us ends it)
        """Follow no longer."""
        self.source.stop()
        return True

    def unwatched(self) -> None:
        """There is nothing to pass on to anybody."""
        self.source.give_up()


class Replayed(Job):
    """Saved logs on a clock of their own."""

    source: "ReplaySource"
    zone = UTC

    def __init__(self, options: argparse.Namespace, pack: Pack) -> None:
        from logrules.engine.replay_source import ReplaySource
        from logrules.sources.discover import discover

        super().__init__()
        speed = None if options.replay == float("inf") else options.replay
        # A beat of a second of ours; without sleep, as fine as it is worth.
        self.beat_s = speed or 30.0
        self.source = ReplaySource(discover(options.paths).sources, pack, speed, options.then_quiet)

    def signalled(self, number: int) -> bool:  # noqa: ARG002 (any that reaches us ends it)
        """Replay no further."""
        self.source.stop()
        return True


def job_of(options: argparse.Namespace, pack: Pack) -> Job:
    """What the command line asks to watch. Raises LogrulesError where that is nothing, or too much."""
    if options.command and (options.paths or options.replay):
        raise LogrulesError("either follow logs or start a command behind `--`, not both")
    if options.pty and not options.command:
        raise LogrulesError("--pty is for a command: logrules watch --pty -- COMMAND")
    if options.then_quiet and not options.replay:
        raise LogrulesError("--then-quiet is for a saved log: logrules watch --replay 60x --then-quiet 15m LOG")
    if options.command:
        return Command(options)
    if options.replay:
        return Replayed(options, pack)
    if options.paths and options.paths != ["-"]:
        if "-" in options.paths:
            raise LogrulesError("standard input (-) cannot be followed together with files")
        return Followed(options)
    if not options.paths and sys.stdin.isatty():
        raise LogrulesError("nothing to watch: name a log, pipe one in, or start the job behind `--` (see --help)")
    return Pipe(options)


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


def _show(turn: Turn, data: bytes) -> None:
    from logrules.sources.descriptors import write_all

    with turn, suppress(OSError):
        write_all(STDOUT, data)


def _show_not(data: bytes) -> None:
    """The log stays in its file."""
