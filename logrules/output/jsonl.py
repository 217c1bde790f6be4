"""What happened in a job as JSON Lines: a phase, evidence or a diagnosis a line, schema ``logrules.event/1``."""

import json
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, TextIO

from logrules.model.report import Report, Status
from logrules.output.json_kinds import COUNT, DIALECT, LINE, TEXT, TIME, JsonKind, const, member_of, shape
from logrules.output.report_json import DIAGNOSIS

SCHEMA = "logrules.event/1"


def _event(name: str, members: Mapping[str, JsonKind]) -> JsonKind:
    return shape({"schema": const(SCHEMA), "event": const(name), **members})


_PHASE = _event(
    "phase",
    {
        "worker": TEXT,
        "phase": TEXT,
        "source": TEXT,
        "line": LINE.made(lambda span, _: span.first_line),
        "last_line": COUNT,
        "time": TIME.made(lambda span, _: span.start),
        "end": TIME,
    },
)
_LINE = {"worker": TEXT, "source": TEXT, "line": LINE, "time": TIME, "text": TEXT}
_EVIDENCE = _event("evidence", {"rule": TEXT, **_LINE})
_FACTS = {
    name: DIAGNOSIS[name]
    for name in ("rule", "cause", "phase", "severity", "confidence", "title", "ranks", "hosts", "restart")
}
_DIAGNOSIS = _event("diagnosis", {"place": COUNT, **_FACTS})
_VERDICT = _event("verdict", {"status": member_of(Status), "phase": TEXT, "lines": COUNT})


def render_jsonl(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write the events: phases in the order of their lines, then diagnoses with their evidence, then the verdict."""
    out.writelines(json.dumps(event, ensure_ascii=False) + "\n" for event in _events(report, language))


def _events(report: Report, language: str) -> Iterator[dict[str, Any]]:
    for span in sorted(report.timeline, key=lambda span: (span.source, span.first_line, span.worker)):
        yield _PHASE.written(span, language)
    for place, one in enumerate(report.diagnoses, start=1):
        yield from (_EVIDENCE.written(_of(line, _LINE, rule=one.rule), language) for line in one.evidence)
        yield _DIAGNOSIS.written(_of(one, _FACTS, place=place), language)
    yield _VERDICT.written(report, language)


def _of(whole: object, members: Mapping[str, JsonKind], **more: object) -> SimpleNamespace:
    """These members of a value, and what stands beside them."""
    return SimpleNamespace(**more, **{name: getattr(whole, name) for name in members})


def event_schema() -> dict[str, Any]:
    """The JSON Schema of one line (2020-12)."""
    kinds = [kind.schema for kind in (_PHASE, _EVIDENCE, _DIAGNOSIS, _VERDICT)]
    return {"$schema": DIALECT, "title": SCHEMA, "oneOf": kinds}
