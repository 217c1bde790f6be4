"""Who is told while a job is watched: the options that ask for it, and the listeners that they come to."""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from logrules.cli.extension import WatchedRun, watch_extensions
from logrules.cli.shared_options import named
from logrules.model.errors import LogrulesError
from logrules.notify.listener import Listener

if TYPE_CHECKING:
    from logrules.cli.watched_job import Job
    from logrules.engine.follow import Following
    from logrules.model.report import Report
    from logrules.notify.panel import Keys, Panel

Complain = Callable[[str], None]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The panel, the report in a file, the job's name, and what packages add."""
    parser.add_argument(
        "--panel",
        choices=("under", "only", "off"),
        help="a live panel under the log, or instead of it (default: under the log, on a terminal)",
    )
    parser.add_argument(
        "--report",
        type=named,
        metavar="FILE",
        help="keep an up-to-date report in FILE: JSON, or HTML if it is called FILE.html",
    )
    parser.add_argument(
        "--job-name",
        metavar="NAME",
        help="the job's name in messages, events and metrics (default: $LOGRULES_JOB, the scheduler's id)",
    )
    for extension in watch_extensions():
        extension.add_options(parser)


def watched_run(
    options: argparse.Namespace, following: "Following", pid: Callable[[], int | None], complain: Complain
) -> WatchedRun:
    """What all listeners work with."""
    from logrules.notify.notifications import NotificationPolicy, job_name

    job = options.job_name or job_name(os.environ)
    return WatchedRun(following, job, NotificationPolicy(job), pid, complain)


def notifiers(options: argparse.Namespace, run: WatchedRun) -> list[Listener]:
    """The listeners that the options ask for. Raises LogrulesError where one cannot work."""
    found: list[Listener] = []
    if options.format == "jsonl":
        from logrules.notify.event_lines import EventStream

        found.append(EventStream(sys.stdout, options.lang, run.policy, run.job))
    if options.report:
        from logrules.notify.kept_file import ReportFile

        path = Path(options.report)
        if not path.parent.is_dir():
            raise LogrulesError(f"--report {path}: there is no folder {path.parent}")
        if path.is_dir():
            raise LogrulesError(f"--report {path}: is a folder")
        found.append(ReportFile(path, options.lang, run.complain))
    for extension in watch_extensions():
        found += extension.listeners(options, run)
    return found


def displays(options: argparse.Namespace, run: WatchedRun, job: "Job", out: TextIO) -> list[Listener]:
    """The panel, where there is a terminal for it, with its keys where nobody else reads them; else lines."""
    if not _has_panel(options, out):
        return [_lines(options, job, out, run.job)]
    from logrules.notify.event_lines import IncidentHistory
    from logrules.notify.panel import Panel
    from logrules.notify.panel_view import PanelView

    history = IncidentHistory(run.policy, options.lang)
    view = PanelView(options.lang, _has_keys(options), run.job, options.color)
    panel = Panel(out.fileno(), job.turn, run.following.workers, view, history.lines)
    return [history, panel, *_keys(options, run.following, job, panel)]


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

    keys = Keys(
        {
            "q": lambda: job.signalled(signal.SIGINT),
            "d": lambda: _print_report(options, following.report(), job),
            "h": panel.toggle_history,
            "f": panel.next_worker,
            "e": lambda: _show_evidence(following.report(), job, keys, panel),
        }
    )
    return [keys]


def _print_report(options: argparse.Namespace, report: "Report", job: "Job") -> None:
    """Print the report of this moment between the lines of the log."""
    from logrules.output.text import render_text

    with job.turn:
        shell = options.shell or report.shell
        render_text(report, sys.stderr, options.lang, shell, all_diagnoses=True, color=options.color)
        sys.stderr.flush()


def _show_evidence(report: "Report", job: "Job", keys: "Keys", panel: "Panel") -> None:
    """Show the log where the first evidence is: in a pager, unless that would hold up a log that passes through."""
    from logrules.notify.evidence_pager import evidence_file, lines_around, open_pager

    place = evidence_file(report, job.path_of)
    if place is None:
        return
    if not job.echoes:
        with keys.away(), panel.away():
            if open_pager(*place, os.environ):
                return
    with job.turn:
        print("", *lines_around(*place), sep="\n", file=sys.stderr, flush=True)
