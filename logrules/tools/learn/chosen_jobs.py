"""Which jobs are learned from (those of the history, or those that are named), and what healthy ones print."""

from collections.abc import Iterable
from pathlib import Path

from logrules.model.errors import LogrulesError, SourceError
from logrules.model.template import template_of
from logrules.parsing.clean import clean
from logrules.ruletest.collect import shipped_cases
from logrules.ruletest.rule_tests import find_cases, read_cases
from logrules.sources.discover import discover
from logrules.sources.source import lines_of
from logrules.tools.draft.scaffold import REACH
from logrules.tools.fleet.history import History
from logrules.tools.fleet.jobs import FoundJob, job_at

# Each is read, and read again with the drafts: a folder with more is no job but a disk, as `/` is.
MOST_FILES = 50_000


def jobs_of_history(history: History, since: float | None) -> tuple[tuple[FoundJob, ...], int]:
    """The jobs that history knows and that can still be read, and how many are gone.

    With ``since`` (seconds since the epoch) those that went on after it. Raises LogrulesError for an empty history.
    """
    seen = [one.path for one in history.latest() if since is None or one.at >= since]
    if not seen and since is None:
        raise LogrulesError("the history is empty: run `logrules scan` first, or name logs or a folder of jobs")
    there = [Path(path) for path in seen if Path(path).exists()]
    return tuple(job_at(str(path), path) for path in there), len(seen) - len(there)


def healthy_cases() -> tuple[FoundJob, ...]:
    """The healthy logs that come with logrules."""
    logs = (log for case in read_cases(find_cases(shipped_cases())) if case.healthy for log in case.logs)
    return tuple(job_at(str(log), log) for log in logs)


# Of all logs together.
_MOST_KINDS = 20_000
_LONGEST = 400


def healthy_lines(logs: Iterable[str]) -> tuple[str, ...]:
    """The first line of each kind in the first lines of these logs; a kind is a message without what varies in it."""
    kinds: dict[str, str] = {}
    for log in logs:
        for line in _first_lines(Path(log)):
            if len(kinds) >= _MOST_KINDS:
                return tuple(kinds.values())
            kinds.setdefault(template_of(line), line)
    kinds.pop("", None)
    return tuple(kinds.values())


def _first_lines(log: Path) -> Iterable[str]:
    try:
        (source,) = discover([str(log)]).sources
    except (SourceError, ValueError):
        return
    for _, raw in zip(range(REACH), lines_of(source), strict=False):
        if len(raw) <= _LONGEST:
            yield clean(raw.removesuffix(b"\n"))
