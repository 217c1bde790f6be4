"""Jobs as JSON lines, and back."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TextIO

from logrules.model.report import Status, Text
from logrules.output.escape import safe
from logrules.tools.fleet.job import JobGroup, JobSummary

SCHEMA = "logrules.job/1"
_WORD, _SECONDS = (str, type(None)), (int, float, type(None))
_KINDS_OF_FIELDS: dict[str, type | tuple[type, ...]] = {
    "job": str, "phase": str, "rule": _WORD, "cause": _WORD, "unread": _WORD,
    "began": _SECONDS, "ended": _SECONDS, "lost_s": _SECONDS, "logs": int, "lines": int,
}  # fmt: skip


def job_document(summary: JobSummary) -> str:
    """A summary as one line of JSON."""
    plain = asdict(summary)
    plain["job"] = safe(summary.job)
    plain["hosts"] = [safe(host) for host in summary.hosts]
    plain["unread"] = None if summary.unread is None else safe(summary.unread)
    return json.dumps({"schema": SCHEMA, **plain}, ensure_ascii=False)


def job_of(text: str) -> JobSummary:
    """The summary that such a line says. Raises ValueError, TypeError, KeyError or AttributeError for others."""
    plain = json.loads(text)
    plain.pop("schema")
    status = plain.pop("status")
    title = Text(**plain.pop("title"))
    ranks, hosts = tuple(plain.pop("ranks")), tuple(plain.pop("hosts"))
    if not all(isinstance(plain[name], kinds) for name, kinds in _KINDS_OF_FIELDS.items()):
        raise TypeError("a field of another kind")
    if not all(isinstance(rank, int) for rank in ranks) or not all(isinstance(host, str) for host in hosts):
        raise TypeError("a rank or host of another kind")
    return JobSummary(status=None if status is None else Status(status), title=title, ranks=ranks, hosts=hosts, **plain)


def job_schema() -> dict[str, Any]:
    """What each line of `logrules scan --format jsonl` is."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    seconds = {"type": ["number", "null"]}
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
        "lost_s": seconds
        | {"description": "seconds from the last progress to the end, of a job that failed or stalled"},
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
        plain = asdict(group) | {"name": safe(group.name), "jobs": [safe(job) for job in group.jobs]}
        out.write(json.dumps(plain, ensure_ascii=False) + "\n")
