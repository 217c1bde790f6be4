"""What happened in a job as JSON Lines: a phase, evidence or a diagnosis a line, schema ``logrules.event/1``."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from logrules.model.report import Evidence, Report
from logrules.output.escape import safe
from logrules.output.report_json import iso_time

SCHEMA = "logrules.event/1"


def render_jsonl(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the events: phases in the order of their lines, then diagnoses with their evidence, then the verdict."""
    out.writelines(
        json.dumps({"schema": SCHEMA, **event}, ensure_ascii=False) + "\n" for event in _events(report, language)
    )


def _events(report: Report, language: str) -> Iterator[dict[str, Any]]:
    for span in sorted(report.timeline, key=lambda span: (span.source, span.first_line, span.worker)):
        yield {
            "event": "phase", "worker": safe(span.worker), "phase": span.phase, "source": safe(span.source),
            "line": span.first_line, "last_line": span.last_line, "time": iso_time(span.start),
            "end": iso_time(span.end),
        }  # fmt: skip
    for place, one in enumerate(report.diagnoses, start=1):
        for line in one.evidence:
            yield {"event": "evidence", "rule": one.rule, **_line(line)}
        yield {
            "event": "diagnosis", "place": place, "rule": one.rule, "cause": one.cause, "phase": one.phase,
            "severity": one.severity.value, "confidence": one.confidence, "title": safe(one.title.of(language)),
            "ranks": list(one.ranks), "hosts": [safe(host) for host in one.hosts], "restart": one.restart.value,
        }  # fmt: skip
    yield {"event": "verdict", "status": report.status.value, "phase": report.phase, "lines": report.lines}


def _line(line: Evidence) -> dict[str, Any]:
    return {
        "worker": safe(line.worker), "source": safe(line.source), "line": line.line, "time": iso_time(line.time),
        "text": safe(line.text),
    }  # fmt: skip


def event_schema() -> dict[str, Any]:
    """The JSON Schema of one line (2020-12)."""
    text, count, time = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": ["string", "null"]}
    place = {"worker": text, "source": text, "line": count, "time": time}

    def kind(name: str, keys: dict[str, Any]) -> dict[str, Any]:
        properties = {"schema": {"const": SCHEMA}, "event": {"const": name}, **keys}
        return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}

    verdict = {"status": text, "phase": text, "lines": count}
    said = dict.fromkeys(("rule", "cause", "phase", "severity", "title", "restart"), text)
    lists = {"ranks": {"type": "array", "items": count}, "hosts": {"type": "array", "items": text}}
    share = {"type": "number", "minimum": 0, "maximum": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "oneOf": [
            kind("phase", {**place, "phase": text, "last_line": count, "end": time}),
            kind("evidence", {**place, "rule": text, "text": text}),
            kind("diagnosis", {"place": count, **said, **lists, "confidence": share}),
            kind("verdict", verdict),
        ],
    }
