"""What there is to watch: a command, a pipe, files, a saved log that is replayed."""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import say
from logrules.cli.watched_job import STDOUT, Job
from logrules.model.errors import LogrulesError
from logrules.ruleset.pack import Pack
from logrules.sources.relay import Turn

if TYPE_CHECKING:
    from logrules.engine.replay_source import ReplaySource
    from logrules.sources.followed_files import FollowedFiles
    from logrules.sources.source import RecordSource


class Followed(Job):
    """Files, patterns and folders."""

    source: "FollowedFiles"

    def __init__(self, options: argparse.Namespace) -> None:
        from logrules.sources.followed_files import FollowedFiles

        super().__init__()
        self.echoes = bool(options.echo)
        shown = [partial(_show, self.turn)] if self.echoes else []
        self.source = FollowedFiles(options.paths, *shown)
        self.backlog = self.source.backlog

    def hand_dumps_to(self, take: "Callable[[RecordSource, float], None]") -> None:
        """Those that lie in the folders that are followed, and those that come."""
        self.source.take_dump = take

    def start(self) -> None:
        """Say what there is to wait for."""
        for path in self.source.missing():
            say(f"waiting for {path}")

    def path_of(self, source: str) -> Path | None:
        """The file that is followed by this name."""
        return self.source.path_of(source)

    def unwatched(self) -> None:
        """There is nothing to pass on to anybody."""
        self.source.give_up()


class Replayed(Job):
    """Saved logs on a clock of their own."""

    source: "ReplaySource"
    zone = UTC

    def __init__(self, options: argparse.Namespace, rules: Callable[[], Pack]) -> None:
        from logrules.engine.replay_source import ReplaySource
        from logrules.sources.discover import discover
        from logrules.sources.source import RecordSource

        super().__init__()
        speed = None if options.replay == float("inf") else options.replay
        # A beat of a second of ours; without sleep, as fine as it is worth.
        self.beat_s = speed or 30.0
        # Of a log whose clock was set on the way, decades may pass between two lines.
        self.beat_share = 0.0 if speed else 0.02
        sources = discover(options.paths).sources
        self.dumps = [source for source in sources if isinstance(source, RecordSource)]
        self.source = ReplaySource(sources, rules(), speed, options.then_quiet)


def job_of(options: argparse.Namespace, rules: Callable[[], Pack]) -> Job:
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
        return Replayed(options, rules)
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
