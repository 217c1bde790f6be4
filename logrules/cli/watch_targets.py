"""What there is to watch: a command, a pipe, files, a saved log that is replayed."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, tzinfo
from functools import partial
from typing import TYPE_CHECKING

from logrules.model.errors import LogrulesError
from logrules.output.escape import safe
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source
from logrules.sources.turn import Turn

if TYPE_CHECKING:
    from pathlib import Path

    from logrules.engine.replay_source import ReplaySource
    from logrules.sources.followed_files import FollowedFiles

STDIN, STDOUT = 0, 1
STDIN_NAME = "<stdin>"
ENDING: tuple[str, ...] = ("SIGTERM", "SIGINT", "SIGHUP")


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
        from logrules.cli.watched_output import Command

        return Command(options)
    if options.replay:
        return Replayed(options, pack)
    if options.paths and options.paths != ["-"]:
        if "-" in options.paths:
            raise LogrulesError("standard input (-) cannot be followed together with files")
        return Followed(options)
    if not options.paths and sys.stdin.isatty():
        raise LogrulesError("nothing to watch: name a log, pipe one in, or start the job behind `--` (see --help)")
    from logrules.cli.watched_output import Pipe

    return Pipe(options)


def _show(turn: Turn, data: bytes) -> None:
    from logrules.sources.descriptors import write_all

    with turn, suppress(OSError):
        write_all(STDOUT, data)


def _show_not(data: bytes) -> None:
    """The log stays in its file."""
