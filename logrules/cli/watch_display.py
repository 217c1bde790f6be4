"""What `logrules watch` shows while it watches: a panel on a terminal, a line an event elsewhere."""

import argparse
import os
import signal
import sys
from typing import TYPE_CHECKING, TextIO

from logrules.notify.listener import Listener

if TYPE_CHECKING:
    from logrules.cli.watched_job import Job
    from logrules.engine.follow import Following
    from logrules.notify.panel import Panel


def add_options(parser: argparse.ArgumentParser) -> None:
    """The option for the panel."""
    parser.add_argument(
        "--panel",
        choices=("under", "only", "off"),
        help="a live panel under the log, or instead of it (default: under the log, on a terminal)",
    )


def listeners(options: argparse.Namespace, following: "Following", job: "Job", out: TextIO) -> list[Listener]:
    """The panel, where there is a terminal for it, with its keys where nobody else reads them; else lines."""
    from logrules.notify.notifications import job_name

    name = options.job_name or job_name(os.environ)
    if not _has_panel(options, out):
        return [_lines(options, job, out, name)]
    from logrules.notify.event_lines import IncidentHistory
    from logrules.notify.notifications import NotificationPolicy
    from logrules.notify.panel import Panel

    history = IncidentHistory(NotificationPolicy(name), options.lang)
    panel = Panel(
        out.fileno(), job.turn, following.workers, options.lang,
        keys=_has_keys(options), history=history.lines, job=name,
    )  # fmt: skip
    return [history, panel, *_keys(options, following, job, panel)]


def _has_panel(options: argparse.Namespace, out: TextIO) -> bool:
    if options.panel == "off" or os.environ.get("TERM", "dumb") == "dumb" or os.name != "posix":
        return False
    return out.isatty()


def _lines(options: argparse.Namespace, job: "Job", out: TextIO, name: str) -> Listener:
    """Lines of ours between those of the log, where both go to one place."""
    from logrules.notify.event_lines import Lines

    try:
        place = out.fileno()
    except (OSError, ValueError):
        return Lines(out, options.lang, job.zone, name)
    return Lines(out, options.lang, job.zone, name, lambda: job.aside(place))


def _has_keys(options: argparse.Namespace) -> bool:
    """Whether the keyboard is ours: a command that we start reads the terminal itself."""
    if options.command:
        return False
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def _keys(options: argparse.Namespace, following: "Following", job: "Job", panel: "Panel") -> list[Listener]:
    if not _has_keys(options):
        return []
    from logrules.notify.panel import Keys

    def dump() -> None:
        from logrules.output.text import render_text

        with job.turn:
            report = following.report()
            render_text(report, sys.stderr, options.lang, options.shell or report.shell, all_diagnoses=True)
            sys.stderr.flush()

    def evidence() -> None:
        from logrules.notify.panel import evidence_file, lines_around, open_pager

        place = evidence_file(following.report(), job.path_of)
        if place is None:
            return
        if not job.echoes:
            with keys.away(), panel.away():
                if open_pager(*place, os.environ):
                    return
        # A pager would hold up the log that passes through.
        with job.turn:
            print("", *lines_around(*place), sep="\n", file=sys.stderr, flush=True)

    actions = {
        "q": lambda: job.signalled(signal.SIGINT),
        "d": dump,
        "h": panel.toggle_history,
        "f": panel.next_worker,
        "e": evidence,
    }
    keys = Keys(actions)
    return [keys]
