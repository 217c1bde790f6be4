"""Jobs as JSON lines, and back."""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, TextIO, get_args, get_type_hints

from logrules.model.report import Status, Text
from logrules.output.json_kinds import COUNT, DIALECT, FLAG, NUMBER, TEXT, const, listed, member_of, nullable, shape
from logrules.tools.fleet.job import JobGroup, JobSummary

SCHEMA = "logrules.job/2"
_CALENDAR_S = 253_402_300_800  # until the year 10000
_MOST = 2**53  # what JSON's numbers can count to
_EPOCH = nullable(NUMBER).told("seconds since the epoch, by the job's own logs")
_LOST = "seconds of idleness before the end, of a job that failed or stalled, a time-out that it waited for included"
_TITLE = shape({"en": TEXT, "zh": TEXT})
_JOB = shape(
    {
        "schema": const(SCHEMA),
        "job": TEXT,
        "status": nullable(member_of(Status)),
        "phase": TEXT,
        "rule": nullable(TEXT),
        "cause": nullable(TEXT),
        "title": _TITLE,
        "ranks": listed(COUNT),
        "hosts": listed(TEXT),
        "began": _EPOCH,
        "ended": _EPOCH,
        "lost_s": nullable(NUMBER).told(_LOST),
        "gpus": nullable(COUNT).told("ranks of the job, where its logs say"),
        "fingerprint": nullable(TEXT).told("the kind of failure, the same on every machine"),
        "template": TEXT.told("the message of the failure without what varies"),
        "frame": TEXT.told("the innermost frame of the user's own code: file in function"),
        "logs": COUNT,
        "lines": COUNT,
        "unread": nullable(TEXT).told("why the job could not be read"),
    }
)
_GROUP = shape(
    {
        "name": TEXT,
        "title": _TITLE,
        "jobs": listed(TEXT),
        "troubled": COUNT,
        "lost_s": NUMBER,
        "lost_gpu_hours": NUMBER,
        "gpus_unknown": COUNT,
        "hosts": listed(TEXT),
        "first": _EPOCH,
        "last": _EPOCH,
        "recent": COUNT,
        "weeks": listed(COUNT),
        "new": FLAG,
        "back": FLAG,
        "remark": shape({"note": TEXT, "snoozed_until": nullable(NUMBER)}),
    }
)


def is_moment(seconds: object) -> bool:
    """Whether these are seconds since the epoch that a calendar has a day for; None, an unknown time, is one too."""
    return seconds is None or (isinstance(seconds, int | float) and 0 <= seconds < _CALENDAR_S)


def job_document(summary: JobSummary) -> str:
    """A summary as one line of JSON."""
    return json.dumps(_JOB.written(summary, "en"), ensure_ascii=False)


def job_of(text: str) -> JobSummary:
    """The summary that such a line says; what an earlier form did not have is unknown.

    Raises ValueError, TypeError, KeyError, AttributeError or RecursionError for text that is no such line.
    """
    kinds = _kinds()
    plain = {name: value for name, value in json.loads(text).items() if name in kinds}
    status = plain.pop("status")
    title = Text(**plain.pop("title"))
    ranks, hosts = tuple(plain.pop("ranks")), tuple(plain.pop("hosts"))
    if not all(isinstance(value, kinds[name]) for name, value in plain.items()):
        raise TypeError("a field of another kind")
    if not all(isinstance(rank, int) for rank in ranks) or not all(isinstance(host, str) for host in hosts):
        raise TypeError("a rank or host of another kind")
    if not isinstance(title.en, str) or not isinstance(title.zh, str):
        raise TypeError("a title of another kind")
    if not all(is_moment(plain.get(name)) for name in ("began", "ended")):
        raise ValueError("a time beyond the calendar")
    if not all(0 <= value <= _MOST for value in (*ranks, *plain.values()) if isinstance(value, int | float)):
        raise ValueError("a number that counts nothing")
    return JobSummary(status=None if status is None else Status(status), title=title, ranks=ranks, hosts=hosts, **plain)


@cache
def _kinds() -> dict[str, Any]:
    """The types of a summary's fields; a whole number may stand for seconds."""
    hints = get_type_hints(JobSummary)
    return {name: of | int if float in get_args(of) else of for name, of in hints.items()}


def job_schema() -> dict[str, Any]:
    """What each line of `logrules scan --format jsonl` is."""
    return {"$schema": DIALECT, "title": SCHEMA, **_JOB.schema}


def render_jobs(summaries: Iterable[JobSummary], out: TextIO) -> None:
    """A line a job."""
    out.writelines(f"{job_document(summary)}\n" for summary in summaries)


def render_groups(groups: Iterable[JobGroup], out: TextIO) -> None:
    """A line a group."""
    out.writelines(f"{json.dumps(_GROUP.written(group, 'en'), ensure_ascii=False)}\n" for group in groups)
