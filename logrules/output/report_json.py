"""The report as one JSON document, ``logrules.report/1``: what is written, and the schema of it."""

from collections.abc import Mapping
from typing import Any, TextIO

from logrules.model.report import DivergenceKind, PhaseSource, Report, Restart, Risk, Severity, Status
from logrules.output.json_kinds import (
    COUNT,
    DIALECT,
    FLAG,
    LINE,
    PLAIN,
    SENTENCE,
    SHARE,
    TEXT,
    TIME,
    JsonKind,
    const,
    listed,
    member_of,
    named,
    nullable,
    shape,
    write_json,
)
from logrules.output.rank_sentences import coverage, declined, sentence
from logrules.output.shell import pasteable

SCHEMA = "logrules.report/1"
_COMMAND = JsonKind({"type": "string"}, lambda value, _: pasteable(value))
_PLACE = {"source": TEXT, "first_line": LINE, "last_line": COUNT}
_EVIDENCE = shape(
    {
        "source": TEXT,
        "line": LINE,
        "time": TIME,
        "year_guessed": FLAG.told("true where nothing in the log tells the year of the time"),
        "worker": TEXT,
        "text": TEXT,
        "captures": named(TEXT),
    },
    optional=("year_guessed",),
)
_FIX = shape(
    {
        "do": SENTENCE,
        "risk": member_of(Risk),
        "env": named(_COMMAND),
        "run": _COMMAND,
        "powershell": _COMMAND,
        "flags": listed(PLAIN),
        "config": named(PLAIN),
        "code": PLAIN,
        "note": SENTENCE,
    },
    optional=("run", "powershell", "code", "note"),
)
_MEASURED = JsonKind(
    shape({"right": COUNT, "of": COUNT}).schema, lambda value, _: {"right": value[0], "of": value[1]}
).told("in how many labelled logs it was right, of how many; 0 of 0: never measured")
_CONSEQUENCE = shape({"rule": TEXT, "cause": TEXT, "title": SENTENCE, "evidence": listed(_EVIDENCE)})
DIAGNOSIS: Mapping[str, JsonKind] = {
    "rule": TEXT,
    "cause": TEXT,
    "phase": TEXT,
    "phase_from": member_of(PhaseSource).told("what the phase is inferred from"),
    "severity": member_of(Severity),
    "confidence": SHARE,
    "measured": _MEASURED,
    "title": SENTENCE,
    "why": SENTENCE,
    "restart": member_of(Restart),
    "ranks": listed(COUNT).told("the culprit first, where one is known"),
    "hosts": listed(TEXT),
    "workers": listed(TEXT).told("the processes and actors at fault, as the lines name them"),
    "evidence": listed(_EVIDENCE),
    "fixes": listed(_FIX),
    "consequences": listed(_CONSEQUENCE).made(lambda one, _: one.effects),
    "references": listed(PLAIN),
    "checks": listed(PLAIN).told("checks of `logrules doctor` that confirm the cause"),
}
_STACKS = shape(
    {
        "said": listed(TEXT),
        "tree": listed(TEXT).told("the merged stacks with who stands where, a line a fork, indented"),
        "apart": listed(COUNT).told("the ranks that stand elsewhere than nearly all others"),
    }
)
_DIFFERENCE = shape(
    {
        "kind": member_of(DivergenceKind),
        "ranks": listed(COUNT).told("those that are unlike the others"),
        "others": listed(COUNT),
        "hosts": listed(TEXT),
        "said": TEXT.made(sentence),
        "facts": named(TEXT),
        "evidence": listed(_EVIDENCE).told("a line of theirs, then one of the others'"),
    }
)
_COMPARISON = shape(
    {
        "seen": listed(COUNT),
        "world": nullable(COUNT).told("how many ranks there are, where a line says it"),
        "coverage": PLAIN.made(coverage),
        "differences": listed(_DIFFERENCE),
        "declined": nullable(PLAIN).made(declined).told("why no rank is named, where that is so"),
    }
)
_SPAN = shape({"worker": TEXT, "phase": TEXT, "start": TIME, "end": TIME, **_PLACE})
_RUN = shape({"status": member_of(Status), "cause": nullable(PLAIN), **_PLACE})
_REPORT = shape(
    {
        "schema": const(SCHEMA),
        "status": member_of(Status),
        "phase": TEXT,
        "diagnoses": listed(shape(DIAGNOSIS)),
        "timeline": listed(_SPAN),
        "earlier_runs": listed(_RUN),
        "unusual": listed(_EVIDENCE),
        "notes": listed(shape({"source": TEXT, "note": TEXT, "unread": FLAG})),
        "partial": FLAG.made(lambda report, _: bool(report.unread)),
        "sources": listed(TEXT),
        "lines": COUNT,
        "frameworks": listed(PLAIN).told("those that the log shows"),
        "completed_by": nullable(_EVIDENCE).told("the line that shows a good end"),
        "stacks": _STACKS.told("where the processes of a live job stood, where somebody looked"),
        "comparison": _COMPARISON.told("the ranks side by side, where two or more were seen"),
    },
    optional=("stacks", "comparison"),
)


def render_json(report: Report, out: TextIO, language: str = "en", beside: Mapping[str, Any] | None = None) -> None:
    """Write the report to ``out``; sentences for people in ``language``; ``beside`` are optional keys."""
    write_json(report_document(report, language) | dict(beside or {}), out)


def report_document(report: Report, language: str) -> dict[str, Any]:
    """The report as plain data, in the order in which it is printed."""
    found: dict[str, Any] = _REPORT.written(report, language)
    return found


def report_schema(annexes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema as plain data (JSON Schema 2020-12); ``annexes`` are those of what may stand beside a report."""
    properties = {**_REPORT.schema["properties"], **(annexes or {})}
    return {"$schema": DIALECT, "title": SCHEMA, **_REPORT.schema, "properties": properties}
