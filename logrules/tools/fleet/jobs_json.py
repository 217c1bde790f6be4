"""Jobs as JSON lines, and back."""

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any, TextIO

from logrules.model.report import Status, Text
from logrules.output.escape import safe
from logrules.tools.fleet.job import JobGroup, JobSummary

SCHEMA = "logrules.job/2"
_WORD, _SECONDS = (str, type(None)), (int, float, type(None))
_KINDS_OF_FIELDS: dict[str, type | tuple[type, ...]] = {
    "job": str, "phase": str, "rule": _WORD, "cause": _WORD, "unread": _WORD, "fingerprint": _WORD,
    "template": str, "frame": str, "began": _SECONDS, "ended": _SECONDS, "lost_s": _SECONDS,
    "gpus": (int, type(None)), "logs": int, "lines": int,
}  # fmt: skip


def job_document(summary: JobSummary) -> str:
    """A summary as one line of JSON."""
    plain = asdict(summary)
    plain["job"] = safe(summary.job)
    plain["hosts"] = [safe(host) for host in summary.hosts]
    plain["title"] = _safe_text(summary.title)
    plain["template"], plain["frame"] = safe(summary.template), safe(summary.frame)
    plain["unread"] = None if summary.unread is None else safe(summary.unread)
    return json.dumps({"schema": SCHEMA, **plain}, ensure_ascii=False)


def job_of(text: str) -> JobSummary:
    """The summary that such a line says; what an earlier form did not have is unknown.

    Raises ValueError, TypeError, KeyError, AttributeError or RecursionError for text that is no such line.
    """
    names = {field.name for field in fields(JobSummary)}
    plain = {name: value for name, value in json.loads(text).items() if name in names}
    status = plain.pop("status")
    title = Text(**plain.pop("title"))
    ranks, hosts = tuple(plain.pop("ranks")), tuple(plain.pop("hosts"))
    if not all(isinstance(value, _KINDS_OF_FIELDS[name]) for name, value in plain.items()):
        raise TypeError("a field of another kind")
    if not all(isinstance(rank, int) for rank in ranks) or not all(isinstance(host, str) for host in hosts):
        raise TypeError("a rank or host of another kind")
    return JobSummary(status=None if status is None else Status(status), title=title, ranks=ranks, hosts=hosts, **plain)


def job_schema() -> dict[str, Any]:
    """What each line of `logrules scan --format jsonl` is."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    seconds = {"type": ["number", "null"]}
    lost = "seconds of idleness before the end, of a job that failed or stalled, a time-out that it waited for included"
    properties = {
        "schema": {"const": SCHEMA},
        "job": text,
        "status": {"enum": [*(status.value for status in Status), None]},
        "phase": text,
        "rule": {"type": ["string", "null"]},
        "cause": {"type": ["string", "null"]},
        "title": {"type": "object", "properties": {"en": text, "zh": text}, "required": ["en", "zh"]},
        "ranks": {"type": "array", "items": count},
        "hosts": {"type": "array", "items": text},
        "began": seconds | {"description": "seconds since the epoch, by the job's own logs"},
        "ended": seconds | {"description": "seconds since the epoch, by the job's own logs"},
        "lost_s": seconds | {"description": lost},
        "gpus": {"type": ["integer", "null"], "minimum": 1, "description": "ranks of the job, where its logs say"},
        "fingerprint": {"type": ["string", "null"], "description": "the kind of failure, the same on every machine"},
        "template": text | {"description": "the message of the failure without what varies"},
        "frame": text | {"description": "the innermost frame of the user's own code: file in function"},
        "logs": count,
        "lines": count,
        "unread": {"type": ["string", "null"], "description": "why the job could not be read"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def render_jobs(summaries: Iterable[JobSummary], out: TextIO) -> None:
    """A line a job."""
    out.writelines(f"{job_document(summary)}\n" for summary in summaries)


def render_groups(groups: Iterable[JobGroup], out: TextIO) -> None:
    """A line a group."""
    for group in groups:
        plain = asdict(group) | {
            "name": safe(group.name),
            "title": _safe_text(group.title),
            "jobs": [safe(job) for job in group.jobs],
            "hosts": [safe(host) for host in group.hosts],
            "remark": {"note": safe(group.remark.note), "snoozed_until": group.remark.snoozed_until},
        }
        out.write(json.dumps(plain, ensure_ascii=False) + "\n")


def _safe_text(text: Text) -> dict[str, str]:
    return {"en": safe(text.en), "zh": safe(text.zh)}
