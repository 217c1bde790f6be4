"""`logrules scan`: all jobs below a folder, a line each."""

import argparse
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli import shared_options as shared
from logrules.cli.progress_bar import progress_bar
from logrules.model.errors import LogrulesError
from logrules.tools.cluster import engine_option
from logrules.tools.fleet.listing import add_list_options, print_jobs

if TYPE_CHECKING:
    from logrules.ruleset.pack import Pack
    from logrules.tools.fleet.history import History
    from logrules.tools.fleet.job import JobSummary
    from logrules.tools.fleet.jobs import FoundJob

ABOUT = "diagnose many jobs and list the results"
_EXAMPLES = """examples:
  logrules scan runs/                              every file and folder in runs/ is a job
  logrules scan /data --jobs 'runs/*/logs'         what a pattern matches below the folder
  logrules scan runs/41 runs/42 --jobs .           each of these folders is a job
  logrules scan runs/ --since 24h --group host     hosts on which jobs failed: the worst first
  logrules scan runs/ --group fingerprint          kinds of failures, known or not: how often, where, what they cost
  logrules scan runs/ -o jobs.html                 a page with trends, to forward
  logrules scan runs/ --format jsonl > jobs.jsonl  one job per line, as JSON; `logrules schema job`
  logrules scan /shared/runs --engine ray          on an existing Ray cluster that shares the folder
  logrules scan /scratch/runs --engine ray --on-node    jobs on the local disks of its nodes

Lost time is how long a failed or stalled job was idle: from its last progress to the last line of its logs, including
a time-out that it waited for. GPU-hours are that times its ranks, if its logs say how many there are.
Results are kept; a job that has not changed since is not read again.

exit status: 0 no job failed or stalled, 1 some did, 2 the folder, the rules or the history are unusable"""

# The disk takes as long for one as for many.
_KEPT_TOGETHER = 100


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("roots", nargs="+", type=shared.named, metavar="ROOT", help="folders of jobs, or logs")
    about = "what is a job in ROOT, . for itself (default: each folder and log in it)"
    parser.add_argument("--jobs", type=shared.named, metavar="PATTERN", default="*", help=about)
    parser.add_argument("--since", metavar="WHEN", help="only jobs that were active after this: 24h, 7d, a date")
    add_list_options(parser)
    shared.add_pack_options(parser)
    parser.add_argument("--again", action="store_true", help="also read jobs again that have not changed")
    parser.add_argument("--no-history", action="store_true", help="keep no results, and use none that were kept")
    engine_option.add_options(parser)
    shared.add_processes_option(parser)


def run(options: argparse.Namespace) -> int:
    """Scan, keep and list."""
    from logrules.tools.fleet.history import seen_job
    from logrules.tools.fleet.listing import moment

    shared.refuse_log(options.output, options.roots)
    since = moment(options.since) if options.since else None
    jobs = [job for job in _found(options) if since is None or job.modified >= since]
    pack = shared.chosen_pack(options)
    with _history(options) as kept:
        summaries = _summaries(jobs, pack, kept, options)
        remarks = {} if kept is None else kept.remarks()
    if since is not None:
        summaries = [one for one in summaries if one.ended is None or one.ended >= since]
    now = time.time()  # noqa: TID251 (the command line looks at the clock)
    print_jobs([seen_job(one.job, one, now) for one in summaries], remarks, options)
    return 1 if any(one.troubled for one in summaries) else 0


def _history(options: argparse.Namespace) -> "AbstractContextManager[History | None]":
    """Where results are kept; None where that is not wanted, or nobody named a place and the usual one is none."""
    from logrules.tools.fleet.history import has_history, history_in

    if options.no_history:
        return nullcontext()
    try:
        return history_in(options.history)
    except LogrulesError as fault:
        if options.history or has_history():
            raise
        shared.say(shared.in_language(f"{fault}; results are not kept", options.lang))
        return nullcontext()


def _found(options: argparse.Namespace) -> "Sequence[FoundJob]":
    roots = [Path(root) for root in options.roots]
    if engine_option.is_on_nodes(options):
        from logrules.tools.fleet.scan_jobs import jobs_on_nodes

        return jobs_on_nodes([root.absolute() for root in roots], options.jobs, options.ray_address)
    from logrules.tools.fleet.jobs import jobs_of

    return jobs_of(roots, options.jobs)


def _read(
    jobs: "Sequence[FoundJob]", pack: "Pack", options: argparse.Namespace
) -> "Iterator[tuple[FoundJob, JobSummary]]":
    if options.engine == "ray":
        from logrules.tools.fleet.scan_jobs import scanned_on_ray

        return scanned_on_ray(jobs, pack, options.ray_address)
    from logrules.engine.resilient_pool import default_processes
    from logrules.tools.fleet.scan_jobs import scanned

    return scanned(jobs, pack, options.processes or default_processes())


def _summaries(
    jobs: "Sequence[FoundJob]", pack: "Pack", kept: "History | None", options: argparse.Namespace
) -> "list[JobSummary]":
    """What came of each job, in order; only those that are new or changed are read."""
    known = {} if kept is None or options.again else {job.name: kept.known(job, pack.digest) for job in jobs}
    found = {name: summary for name, summary in known.items() if summary is not None}
    new = [job for job in jobs if job.name not in found]
    results = _kept(_read(new, pack, options), kept, pack.digest)
    with progress_bar("reading jobs", len(new)) as advance, closing(results):
        for job, summary in results:
            found[job.name] = summary
            advance()
    return [found[job.name] for job in jobs]


def _kept(
    read: "Iterator[tuple[FoundJob, JobSummary]]", history: "History | None", pack: str
) -> "Generator[tuple[FoundJob, JobSummary], None, None]":
    """The same jobs, kept in the history some at a time, and at the latest when reading ends or is broken off."""
    waiting: list[tuple[FoundJob, JobSummary, float]] = []
    try:
        for job, summary in read:
            yield job, summary
            if history is None or summary.unread is not None:
                continue
            waiting.append((job, summary, time.time()))  # noqa: TID251 (the command line looks at the clock)
            if len(waiting) >= _KEPT_TOGETHER:
                together, waiting = waiting, []
                history.keep(together, pack)
    finally:
        if history is not None:
            history.keep(waiting, pack)
