"""What `logrules watch` shows while it watches: a panel on a terminal, a line an event elsewhere."""

import argparse
import os
import signal
import sys
from typing import TYPE_CHECKING, TextIO

from logrules.notify.listener import Listener

if TYPE_CHECKING:
    from logrules.cli.watch_targets import Job
    from logrules.engine.follow import Following


def add_options(parser: argparse.ArgumentParser) -> None:
    """The option for the panel."""
    parser.add_argument(
        "--panel",
        choices=("under", "only", "off"),
        help="a live panel under the log, or instead of it (default: under the log, on a terminal)",
    )


def listeners(options: argparse.Namespace, following: "Following", job: "Job", out: TextIO) -> list[Listener]:
    """The panel, where there is a terminal for it, with its keys where nobody else reads them; else lines."""
    from logrules.notify.event_lines import Lines

    if not _has_panel(options, out):
        beside = job.echoes and _one_place(out)
        return [Lines(out, options.lang, job.zone, job.leave_line if beside else lambda: False)]
    from logrules.notify.panel import Panel

    keys = _keys(options, following, job)
    panel = Panel(out.fileno(), options.turn, following.workers, options.lang, keys=bool(keys))
    return [panel, *keys]


def _has_panel(options: argparse.Namespace, out: TextIO) -> bool:
    if options.panel == "off" or os.environ.get("TERM", "dumb") == "dumb" or os.name != "posix":
        return False
    return out.isatty()


def _one_place(out: TextIO) -> bool:
    """Whether our lines go to where the log is passed on to."""
    try:
        return os.path.sameopenfile(out.fileno(), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def _keys(options: argparse.Namespace, following: "Following", job: "Job") -> list[Listener]:
    # A command that we start reads the terminal itself.
    if options.command:
        return []
    from logrules.notify.keys import Keys

    def dump() -> None:
        from logrules.output.text import render_text

        with options.turn:
            render_text(following.report(), sys.stderr, options.lang, options.shell, all_diagnoses=True)
            sys.stderr.flush()

    try:
        return [Keys({"q": lambda: _quit(job), "d": dump})]
    except OSError:
        return []


def _quit(job: "Job") -> None:
    job.signalled(signal.SIGINT)
