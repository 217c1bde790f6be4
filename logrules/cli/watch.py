"""`logrules watch`: follows a live job and says the moment it gets stuck, and why."""

import argparse
import sys
from argparse import BooleanOptionalAction
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TextIO

from logrules.cli import shared_options as shared
from logrules.cli import watch_listeners
from logrules.cli.diagnose import exit_status, render_report
from logrules.cli.did_you_mean import forgotten_dashes
from logrules.model.errors import LogrulesError
from logrules.model.report import Status, Text

if TYPE_CHECKING:
    from logrules.cli.watched_job import Job
    from logrules.engine.follow import Following
    from logrules.model.report import Report
    from logrules.model.timeline import WorkerNow
    from logrules.notify.listener import Listener
    from logrules.notify.stall_tracker import StallTracker

_FINISHED = Text("Finished: exit status 0{after}", "已结束：退出码 0{after}")
_AFTER = Text(", last step {steps}", "，最后一步 {steps}")
# The tier of the causes that only say that a job was ended from outside.
_ENDED = "ended"


def _times(text: str) -> float:
    """How many times as fast; infinite for ``max``."""
    return float("inf") if text == "max" else float(text.removesuffix("x"))


def _seconds(text: str) -> float:
    from logrules.ruleset.duration import seconds

    return seconds(text)


_SPEED = shared.reading(_times, lambda speed: speed > 0, "a speed such as 60x, or max")
_DURATION = shared.reading(_seconds, lambda _: True, "a length of time such as 30s or 12m")
_FACTOR = shared.reading(float, lambda factor: 0 < factor < float("inf"), "a factor above 0, such as 0.5 or 2")

_EXAMPLES = """examples:
  logrules watch -- torchrun --nproc-per-node 8 train.py   start the job and watch it
  logrules watch --pty -- python train.py                  the job sees a terminal: progress bars stay as they are
  logrules watch train.log                                 follow a file, as tail -F does
  logrules watch 'runs/42/rank*.log' /tmp/ray/session_latest/logs
                                                           follow a pattern and a folder, new files too, as one job
  kubectl logs -f job/train | logrules watch               follow a pipe; the log passes through to standard output
  logrules watch --replay 60x train.log                    replay a saved log by its own times, 60 times as fast
  logrules watch --on-stall 'notify-me --urgent' --report now.json -- python train.py
  logrules watch --inspect --notify https://hooks.example.com/x -- torchrun train.py

The log goes to standard output (a command's standard error to standard error), and what logrules says to standard
error. If the log is not passed on, what logrules says goes to standard output.

exit status: that of the command after `--` (128 + n if signal n ended it); else 0 nothing wrong, 1 an error or a
stall was diagnosed, 2 the input was unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    parser.set_defaults(command=[], meant_by=forgotten_dashes)
    parser.usage = "logrules watch [options] [PATH ...] | [options] -- COMMAND [ARGUMENT ...]"
    add("paths", nargs="*", type=shared.named, metavar="PATH", help="files, patterns, folders, or - for standard input")
    add("--echo", action=BooleanOptionalAction, help="pass the log on to standard output (default: all but files)")
    add("-q", "--quiet", dest="echo", action="store_false", help="the same as --no-echo")
    add("--pty", action="store_true", help="give the command after `--` a terminal")
    add("--replay", type=_SPEED, metavar="SPEED", help="replay saved logs: 60x, or max for no waiting")
    add(
        "--then-quiet", type=_DURATION, default=0.0, metavar="TIME",
        help="with --replay: time to let pass after the last line, such as 15m",
    )  # fmt: skip
    add(
        "--patience", type=_FACTOR, default=1.0, metavar="FACTOR",
        help="multiply the time after which silence is a stall: 0.5, 2 (default: 1)",
    )  # fmt: skip
    add(
        "--format", choices=("text", "json", "jsonl"), default="text",
        help="format of the final report; jsonl: each event as it happens, on standard output",
    )  # fmt: skip
    shared.add_pack_options(parser)
    shared.add_language_options(parser, commands=True)
    shared.add_color_option(parser)
    add("--all", action="store_true", help="show every diagnosis in the final report")
    add("--no-cache", action="store_true", help="recompile the rules")
    watch_listeners.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Follow the job to its end and report; the exit status."""
    from logrules.cli.watch_rules import rules_of
    from logrules.cli.watch_targets import job_of
    from logrules.engine.follow import Following
    from logrules.engine.run import why_empty
    from logrules.notify.stall_tracker import StallTracker
    from logrules.ruleset.kept_values import keep_patterns

    # The threads that take in what comes need the interpreter for moments only, and must not wait 5 ms for it.
    sys.setswitchinterval(0.0001)
    if options.format == "jsonl" and options.echo:
        raise LogrulesError("--format jsonl and --echo both want standard output")
    shared.refuse_log(options.report, options.paths or ["-"])
    if options.format == "jsonl" or options.panel == "only":
        options.echo = False
    rules = rules_of(options)
    job = job_of(options, rules)
    out = shared.in_utf8(sys.stderr if job.echoes else sys.stdout)
    following = Following(
        job.source, rules, job.beat_s, job.backlog, job.dumps, beat_share=job.beat_share, cache=not options.no_cache
    )
    complain = partial(_complain, language=options.lang)
    watched = watch_listeners.watched_run(options, following, lambda: job.pid, complain)
    # A program reads the document on standard output: what people read goes aside.
    aside = out if options.format == "text" else sys.stderr
    told = [*watch_listeners.notifiers(options, watched), *watch_listeners.displays(options, watched, job, aside)]
    stalls = StallTracker(
        following.workers,
        lambda: [cause.id for cause in rules().tables.causes if cause.tier == _ENDED],
        lambda: job.asked_by,
        lambda: job.exit_status,
        lambda: job.pid,
    )
    report, status = _watched(job, following, told, stalls, complain)
    if report is not None:
        if status is None and not report.lines and not report.diagnoses:
            raise LogrulesError(why_empty(report, rules()) or "no line was received; nothing to diagnose")
        finished = _finished(following.workers(), options.lang) if status == 0 else ""
        _write(_with_paths(report, job), finished, options, out)
    if not options.no_cache:
        keep_patterns()
    if status is not None:
        return status
    return shared.EXIT_UNUSABLE if report is None else exit_status(report)


def _watched(
    job: "Job", following: "Following", told: "list[Listener]", stalls: "StallTracker", complain: Callable[[str], None]
) -> "tuple[Report | None, int | None]":
    """The last report, None where the analysis broke down; the exit status to end with, where the job decides it."""
    from logrules.cli.follow_loop import follow
    from logrules.cli.signal_relay import signals_of

    with signals_of(job):
        job.hand_dumps_to(following.ingest_dump)
        job.start()
        if job.pid is not None:  # steps can name the process
            following.tell("job_pid", str(job.pid))
        with ThreadPoolExecutor(1, "analysis") as pool:
            work = pool.submit(follow, following, told, stalls, complain, lambda: job.exit_status is not None)
            report = work.result()
        if report is None:
            job.unwatched()
        return report, job.wait()


def _with_paths(report: "Report", job: "Job") -> "Report":
    """The report with the files that are followed in its commands."""
    from logrules.output.shell import with_paths

    found = ((source, job.path_of(source)) for source in report.sources)
    return with_paths(report, {source: str(path) for source, path in found if path is not None})


def _finished(workers: "Sequence[WorkerNow]", language: str) -> str:
    """How a command ended whose exit status is 0, with the number of its last step where lines count them."""
    from logrules.notify.stall_tracker import step_of

    steps = max((step for one in workers if (step := step_of(one.step)) is not None), default=None)
    after = "" if steps is None else _AFTER.of(language).format(steps=steps)
    return _FINISHED.of(language).format(after=after)


def _complain(sentence: str, language: str) -> None:
    from logrules.output.escape import safe_lines

    with suppress(OSError):
        print(f"logrules: {safe_lines(shared.in_language(sentence, language))}", file=sys.stderr, flush=True)


def _write(report: "Report", finished: str, options: argparse.Namespace, out: TextIO) -> None:
    """Write the last report, behind how a command ended well (``finished``); of jsonl the last event holds it."""
    if options.format == "jsonl":
        return
    with suppress(OSError):  # nobody reads us any more; the job's exit status still counts
        if options.format == "text":
            out.write(f"\n{finished}\n\n" if finished and report.status is Status.COMPLETED else "\n")
        render_report(report, options, out)
        out.flush()
