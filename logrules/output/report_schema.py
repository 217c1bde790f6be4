"""The JSON Schema of the report document ``logrules.report/1``, written next to the renderer that it describes."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from logrules.model.report import DivergenceKind, PhaseSource, Restart, Risk, Severity, Status
from logrules.output.report_json import SCHEMA

_TEXT = {"type": "string"}
_TIME = {"type": ["string", "null"], "description": "ISO 8601 in the log's own clock, null where it has none"}
_COUNT = {"type": "integer", "minimum": 0}
_LINE = {"type": "integer", "minimum": 1}
_MAP = {"type": "object", "additionalProperties": _TEXT}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = required | (optional or {})
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _enum(kind: type[StrEnum]) -> dict[str, Any]:
    return {"enum": [member.value for member in kind]}


def report_schema(annexes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema as plain data (JSON Schema 2020-12); ``annexes`` are those of what may stand beside a report."""
    evidence = _object(
        {"source": _TEXT, "line": _LINE, "time": _TIME, "worker": _TEXT, "text": _TEXT, "captures": _MAP}
    )
    fix = _object(
        {"do": _TEXT, "risk": _enum(Risk), "env": _MAP, "flags": _list(_TEXT), "config": _MAP},
        {"run": _TEXT, "powershell": _TEXT, "code": _TEXT, "note": _TEXT},
    )
    consequence = _object({"rule": _TEXT, "cause": _TEXT, "title": _TEXT, "evidence": _list(evidence)})
    diagnosis = _object(
        {
            "rule": _TEXT,
            "cause": _TEXT,
            "phase": _TEXT,
            "phase_from": {**_enum(PhaseSource), "description": "what the phase is inferred from"},
            "severity": _enum(Severity),
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "measured": {
                **_object({"right": _COUNT, "of": _COUNT}),
                "description": "in how many labelled logs it was right, of how many; 0 of 0: never measured",
            },
            "title": _TEXT,
            "why": _TEXT,
            "restart": _enum(Restart),
            "ranks": {**_list(_COUNT), "description": "the culprit first, where one is known"},
            "hosts": _list(_TEXT),
            "evidence": _list(evidence),
            "fixes": _list(fix),
            "consequences": _list(consequence),
            "references": _list(_TEXT),
            "checks": {**_list(_TEXT), "description": "checks of `logrules doctor` that confirm the cause"},
        }
    )
    place = {"source": _TEXT, "first_line": _LINE, "last_line": _COUNT}
    span = _object({"worker": _TEXT, "phase": _TEXT, "start": _TIME, "end": _TIME, **place})
    run = _object({"status": _enum(Status), "cause": {"type": ["string", "null"]}, **place})
    whole = _object(
        {
            "schema": {"const": SCHEMA},
            "status": _enum(Status),
            "phase": _TEXT,
            "diagnoses": _list(diagnosis),
            "timeline": _list(span),
            "earlier_runs": _list(run),
            "unusual": _list(evidence),
            "notes": _list(_object({"source": _TEXT, "note": _TEXT, "unread": {"type": "boolean"}})),
            "partial": {"type": "boolean"},
            "sources": _list(_TEXT),
            "lines": _COUNT,
            "frameworks": {**_list(_TEXT), "description": "those that the log shows"},
            "completed_by": {"anyOf": [evidence, {"type": "null"}], "description": "the line that shows a good end"},
        },
        {"comparison": _comparison(evidence), "stacks": _stacks(), **(annexes or {})},
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA, **whole}


def _stacks() -> dict[str, Any]:
    """Where the processes of a live job stood: there where somebody looked."""
    tree = {**_list(_TEXT), "description": "the merged stacks with who stands where, a line a fork, indented"}
    apart = {**_list(_COUNT), "description": "the ranks that stand elsewhere than nearly all others"}
    return _object({"said": _list(_TEXT), "tree": tree, "apart": apart})


def _comparison(evidence: dict[str, Any]) -> dict[str, Any]:
    """The ranks side by side: there where two or more were seen."""
    difference = _object(
        {
            "kind": _enum(DivergenceKind),
            "ranks": {**_list(_COUNT), "description": "those that are unlike the others"},
            "others": _list(_COUNT),
            "hosts": _list(_TEXT),
            "said": _TEXT,
            "facts": _MAP,
            "evidence": {**_list(evidence), "description": "a line of theirs, then one of the others'"},
        }
    )
    return _object(
        {
            "seen": _list(_COUNT),
            "world": {"type": ["integer", "null"], "description": "how many ranks there are, where a line says it"},
            "coverage": _TEXT,
            "differences": _list(difference),
            "declined": {"type": ["string", "null"], "description": "why no rank is named, where that is so"},
        }
    )
