"""`logrules history`: what came of the jobs that were scanned."""

import argparse
from contextlib import closing
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.tools.fleet.scan_verb import add_list_options, print_jobs

if TYPE_CHECKING:
    from logrules.tools.fleet.history import Kept

ABOUT = "list what became of jobs that were scanned"
_EXAMPLES = """examples:
  logrules history                          the newest result of every job that was scanned
  logrules history --since 7d --group host  hosts on which jobs failed last week
  logrules history --cause nccl-timeout --job '*/llama*'
  logrules history --forget /data/runs/42   forget a job, or all below a folder

exit status: 0 listed, 1 nothing fits, 2 the history is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--since", metavar="WHEN", help="only jobs that went on after this: 24h, 7d, a date")
    parser.add_argument("--cause", metavar="CAUSE", help="only jobs with this cause")
    parser.add_argument("--host", metavar="HOST", help="only jobs with this culprit")
    parser.add_argument("--job", metavar="PATTERN", help="only jobs whose path fits")
    parser.add_argument("--forget", metavar="PATH", help="forget a job, or all below a folder")
    add_list_options(parser)


def run(options: argparse.Namespace) -> int:
    """List or forget."""
    from logrules.tools.fleet.history import History, default_history
    from logrules.tools.fleet.since import moment

    since = moment(options.since) if options.since else None
    with closing(History(Path(options.history) if options.history else default_history())) as history:
        if options.forget:
            count = history.forget(str(Path(options.forget).absolute()))
            print(f"forgot {count} result{'' if count == 1 else 's'}")
            return 0 if count else 1
        found = [one for one in history.latest() if _fits(one, options, since)]
    print_jobs([replace(one.summary, job=one.path) for one in found], options)
    return 0 if found else 1


def _fits(one: "Kept", options: argparse.Namespace, since: float | None) -> bool:
    summary = one.summary
    return (
        (since is None or (summary.ended or one.scanned) >= since)
        and (options.cause is None or summary.cause == options.cause)
        and (options.host is None or options.host in summary.hosts)
        and (options.job is None or fnmatchcase(one.path, options.job))
    )
