"""`logrules history`: what came of the jobs that were scanned."""

import argparse
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.model.errors import LogrulesError
from logrules.model.record import replace
from logrules.tools.fleet.listing import add_list_options, print_jobs

if TYPE_CHECKING:
    from logrules.tools.fleet.history import History
    from logrules.tools.fleet.job import SeenJob

ABOUT = "show how often, where and since when scanned jobs fail"
_EXAMPLES = """examples:
  logrules history                          the newest result of every job that was scanned
  logrules history --group fingerprint      kinds of failures: how often, on which hosts, first and last seen, what is
                                            new this week or back after it was gone, GPU-hours lost
  logrules history --since 7d --group host  hosts on which jobs failed last week
  logrules history --group user-frame       places in your own code
  logrules history -o fleet.html            a page with trends, to forward
  logrules history --cause nccl-timeout --job '*/llama*'
  logrules history --fingerprint 3f2a       the jobs of one kind
  logrules history --note 3f2a 'known: waits for the new driver, ticket 812'
  logrules history --snooze 3f2a 14d        hide it for 14 days; `--snooze 3f2a 0d` undoes it
  logrules history --forget /data/runs/42   forget a job, or all jobs in a folder

exit status: 0 listed, 1 nothing matches, 2 the history is unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--since", metavar="WHEN", help="only jobs that were active after this: 24h, 7d, a date")
    parser.add_argument("--cause", metavar="CAUSE", help="only jobs with this cause")
    parser.add_argument("--host", metavar="HOST", help="only jobs with this culprit")
    parser.add_argument("--fingerprint", metavar="ID", help="only jobs that failed in this way; a prefix is enough")
    parser.add_argument("--job", metavar="PATTERN", help="only jobs whose path matches")
    parser.add_argument("--forget", metavar="PATH", help="forget a job, or all jobs in a folder")
    parser.add_argument("--note", nargs=2, metavar=("GROUP", "TEXT"), help="keep a note on a group; '' removes it")
    parser.add_argument("--snooze", nargs=2, metavar=("GROUP", "WHEN"), help="hide a group until then: 7d, a date")
    add_list_options(parser)


def run(options: argparse.Namespace) -> int:
    """List, remark or forget."""
    from logrules.output.numbers import counted
    from logrules.tools.fleet.history import history_in
    from logrules.tools.fleet.listing import moment

    since = moment(options.since) if options.since else None
    with history_in(options.history) as history:
        if options.forget:
            count = history.forget(os.path.normpath(Path(options.forget).absolute()))
            print(f"forgot {counted(count, 'result')}")
            return 0 if count else 1
        if options.note or options.snooze:
            return _remark(history, options)
        # Of jobs below several roots the whole paths are told.
        found = [
            replace(one, summary=replace(one.summary, job=one.path))
            for one in history.latest()
            if _fits(one, options, since)
        ]
        remarks = history.remarks()
        if not found and options.cause is not None:
            _warn_of_unseen_cause(options.cause, history)
    print_jobs(found, remarks, options)
    return 0 if found else 1


def _warn_of_unseen_cause(asked: str, history: "History") -> None:
    """Say where no job of the history has the cause: a slip would look like good news."""
    from logrules.cli.did_you_mean import hint
    from logrules.cli.shared_options import say

    seen = {cause for job in history.latest() if (cause := job.summary.cause)}
    if asked not in seen:
        say(f"no job has the cause {asked}{hint(asked, seen)}")


def _remark(history: "History", options: argparse.Namespace) -> int:
    """Keep a note, a snooze or both."""
    from logrules.output.escape import safe
    from logrules.tools.fleet.listing import coming

    jobs = list(history.latest())
    if options.note:
        name, note = _group_named(jobs, options.note[0]), options.note[1]
        history.note(name, note)
        print(f"{safe(name)}: {'noted' if note else 'no note any more'}")
    if options.snooze:
        name, until = _group_named(jobs, options.snooze[0]), coming(options.snooze[1])
        ahead = until > coming("0d")
        history.snooze(name, until if ahead else None)
        print(f"{safe(name)}: {f'snoozed until {_moment(until)}' if ahead else 'snoozed no more'}")
    return 0


def _moment(seconds: float) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _group_named(jobs: "Sequence[SeenJob]", asked: str) -> str:
    """The group of that name, of any grouping; of fingerprints the beginning will do. Raises LogrulesError."""
    from logrules.tools.fleet.job import BY

    names = {name for key in BY.values() for job in jobs if (name := key(job.summary))}
    if asked in names:
        return asked
    kinds = sorted({kind for job in jobs if (kind := job.summary.fingerprint) and kind.startswith(asked)})
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise LogrulesError(f"{asked}: may be {', '.join(kinds[:4])}")
    raise LogrulesError(f"{asked}: no group has that name; `logrules history --group fingerprint` lists them")


def _fits(one: "SeenJob", options: argparse.Namespace, since: float | None) -> bool:
    summary = one.summary
    return (
        (since is None or one.at >= since)
        and (options.cause is None or summary.cause == options.cause)
        and (options.host is None or options.host in summary.hosts)
        and (options.fingerprint is None or (summary.fingerprint or "").startswith(options.fingerprint))
        and (options.job is None or fnmatchcase(one.path, options.job))
    )
