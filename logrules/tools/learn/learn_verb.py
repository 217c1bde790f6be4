"""`logrules learn`: drafts of rules for the failures that nothing explains."""

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli import shared_options as shared
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack
    from logrules.tools.fleet.jobs import FoundJob
    from logrules.tools.learn.draft_trials import LearnedGroup
    from logrules.tools.learn.drafting import FailureGroup
    from logrules.tools.learn.read_job import ReadJob

ABOUT = "draft rules for unexplained failures, the costliest first"
_EXAMPLES = """examples:
  logrules learn                              unexplained failures in the history that `logrules scan` keeps
  logrules learn --since 30d -o my-rules      write the drafts to my-rules/learned/
  logrules learn runs/                        every file and folder in runs/ is a job
  logrules learn bad1.log bad2.log --healthy good/    named logs; those in good/ are known to be healthy
  logrules learn --most 3 --format json       the three costliest kinds with their drafts, for programs

Failures are grouped by fingerprint; the kinds that cost most GPU-hours come first. A draft has a pattern, a near miss
from healthy logs, and a question that only a person can answer. It is kept only if it fires on at least half of the
jobs of its kind, and its pattern is on no line of a healthy log. Then answer the question, write the sentences that
`logrules check` names, and run `logrules test`.

exit status: 0 every kind that was looked at has a draft, 1 one has none, 2 the logs, rules or history are unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("paths", nargs="*", type=shared.named, metavar="PATH", help="logs, or folders of jobs (default: the history)")
    add(
        "--jobs",
        type=shared.named,
        metavar="PATTERN",
        default="*",
        help="what is a job in a folder (default: each folder and log in it)",
    )
    add("--since", metavar="WHEN", help="only jobs of the history after this: 24h, 7d, a date")
    add(
        "--healthy",
        action="append",
        type=shared.named,
        default=[],
        metavar="PATH",
        help="logs of runs known to be healthy; repeatable",
    )
    add("--most", type=int, default=20, metavar="N", help="kinds of failures to draft for (default: 20)")
    add("-o", "--output", type=shared.named, metavar="DIR", help="write the drafts to this folder of rules")
    add("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    shared.add_history_option(parser)
    shared.add_processes_option(parser)
    shared.add_pack_options(parser)


def run(options: argparse.Namespace) -> int:
    """Read, group, draft, try; list and write what holds."""
    from logrules.cli.progress_bar import progress_bar
    from logrules.engine.resilient_pool import default_processes
    from logrules.tools.fleet.jobs import named_jobs, without_twins
    from logrules.tools.learn.chosen_jobs import MOST_FILES
    from logrules.tools.learn.drafting import groups_of
    from logrules.tools.learn.learn_text import Extent, render_json, render_text
    from logrules.tools.learn.read_job import jobs_read

    if options.most < 1:
        raise LogrulesError("--most must be at least 1")
    shared.refuse_log(options.output, [*options.paths, *options.healthy])
    pack = shared.chosen_pack(options)
    well = without_twins(named_jobs(options.healthy, options.jobs, MOST_FILES))
    known_well = {str(job.whole_path) for job in well}
    jobs = [job for job in without_twins(_jobs(options)) if str(job.whole_path) not in known_well]
    processes = options.processes or default_processes()
    read: list[ReadJob] = []
    with progress_bar("reading jobs", len(jobs)) as advance:
        for job in jobs_read(jobs, pack, processes):
            read.append(job)
            advance()
    # As they were named, not as they came: the drafts do not depend on which process was quicker.
    order = {job.path: place for place, job in enumerate(jobs)}
    read.sort(key=lambda one: order[one.job.path])
    _say_what_is_unread(read)
    groups = groups_of(read, time.time())  # noqa: TID251 (the command line looks at the clock)
    healthy = [*(one.job for one in read if one.healthy), *well]
    learned = _learned(groups[: options.most], pack, read, healthy, processes)
    extent = Extent(len(read), sum(one.unexplained for one in read), len(healthy), max(0, len(groups) - options.most))
    (render_json if options.format == "json" else render_text)(learned, extent, sys.stdout)
    if options.output:
        _write(learned, Path(options.output))
    return 1 if any(one.draft is None and not one.known_by for one in learned) else 0


def _jobs(options: argparse.Namespace) -> "Sequence[FoundJob]":
    from logrules.tools.fleet.history import history_in
    from logrules.tools.fleet.jobs import named_jobs
    from logrules.tools.fleet.listing import moment
    from logrules.tools.learn.chosen_jobs import MOST_FILES, jobs_of_history

    if options.paths:
        if options.since:
            raise LogrulesError("--since chooses among the jobs of the history: name no logs with it")
        return list(named_jobs(options.paths, options.jobs, MOST_FILES))
    since = moment(options.since) if options.since else None
    with history_in(options.history) as history:
        jobs, gone = jobs_of_history(history, since)
    if gone:
        are = "job of the history is" if gone == 1 else "jobs of the history are"
        shared.say(f"{gone} {are} no longer where they were read")
    return jobs


def _say_what_is_unread(read: "Sequence[ReadJob]") -> None:
    unread = [one for one in read if one.summary.unread is not None]
    if unread:
        first = f"{unread[0].job.name}: {unread[0].summary.unread}"
        more = f", and {len(unread) - 1} more" if unread[1:] else ""
        shared.say(f"cannot be read: {first}{more}")


def _learned(
    groups: "Sequence[FailureGroup]",
    pack: "Pack",
    read: "Sequence[ReadJob]",
    healthy: "Sequence[FoundJob]",
    processes: int,
) -> "tuple[LearnedGroup, ...]":
    from logrules.cli.progress_bar import progress_bar
    from logrules.tools.learn.chosen_jobs import healthy_cases, healthy_lines
    from logrules.tools.learn.draft_trials import ProofSetup, learned_groups
    from logrules.tools.learn.drafting import Background

    if not groups:
        return ()
    if not healthy:
        shared.say("no job is healthy: drafts are compared with those that come with logrules alone")
    cases = healthy_cases()
    failed = tuple(one.job for one in read if one.unexplained)
    setup = ProofSetup(pack, failed, (*healthy, *cases), processes)
    logs = tuple(job.path for job in cases)
    background = Background(healthy_lines(str(job.path) for job in healthy), logs)
    return learned_groups(groups, background, setup, partial(progress_bar, "trying drafts"))


def _write(learned: "Sequence[LearnedGroup]", folder: Path) -> None:
    from logrules.output.atomic_write import write_new
    from logrules.output.numbers import counted

    count = 0
    for one in learned:
        if one.draft is None:
            continue
        path = folder / one.draft.file
        if path.exists():
            shared.say(f"{path}: exists already and is kept")
            continue
        write_new(path, one.draft.text.encode())
        count += 1
    if not count:
        shared.say(f"no draft to write; {folder} is left as it is")
        return
    shared.say(f"wrote {counted(count, 'draft')}; now `logrules check {folder}` and `logrules test {folder}`")
