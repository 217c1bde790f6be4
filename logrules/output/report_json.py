"""The report as one JSON document, schema ``logrules.report/1``."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from logrules.model.report import Comparison, Consequence, Diagnosis, Evidence, Fix, Report, Run, StackView
from logrules.model.timeline import PhaseSpan
from logrules.output.escape import safe
from logrules.output.rank_sentences import coverage, declined, sentence
from logrules.output.shell import pasteable

SCHEMA = "logrules.report/1"


def render_json(report: Report, out: TextIO, language: str = "en", beside: Mapping[str, Any] | None = None) -> None:
    """Write the report to ``out``; sentences for people in ``language``; ``beside`` are optional keys."""
    document = report_document(report, language) | dict(beside or {})
    json.dump(document, out, ensure_ascii=False, indent=1)
    out.write("\n")


def report_document(report: Report, language: str) -> dict[str, Any]:
    """The report as plain data, in the order in which it is printed."""
    return {
        "schema": SCHEMA,
        "status": report.status.value,
        "phase": report.phase,
        "diagnoses": [_diagnosis(one, language) for one in report.diagnoses],
        "timeline": [_span(span) for span in report.timeline],
        "earlier_runs": [_run(run) for run in report.earlier_runs],
        "unusual": [_evidence(line) for line in report.unusual],
        "notes": [
            {"source": safe(note.source), "note": safe(note.note), "unread": note.unread} for note in report.notes
        ],
        "partial": bool(report.unread),
        "sources": [safe(source) for source in report.sources],
        "lines": report.lines,
        "frameworks": list(report.frameworks),
        "completed_by": _evidence(report.completed_by) if report.completed_by else None,
        **({"stacks": _stacks(report.stacks)} if report.stacks else {}),
        **({"comparison": _comparison(report.comparison, language)} if report.comparison else {}),
    }


def _stacks(stacks: StackView) -> dict[str, Any]:
    return {
        "said": [safe(line) for line in stacks.said],
        "tree": [safe(line) for line in stacks.tree],
        "apart": list(stacks.apart),
    }


def _comparison(sides: Comparison, language: str) -> dict[str, Any]:
    return {
        "seen": list(sides.seen),
        "world": sides.world,
        "coverage": coverage(sides, language),
        "differences": [
            {
                "kind": one.kind.value,
                "ranks": list(one.ranks),
                "others": list(one.others),
                "hosts": [safe(host) for host in one.hosts],
                "said": safe(sentence(one, language)),
                "facts": {name: safe(value) for name, value in one.facts.items()},
                "evidence": [_evidence(line) for line in one.evidence],
            }
            for one in sides.differences
        ],
        "declined": declined(sides, language),
    }


def _diagnosis(one: Diagnosis, language: str) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "cause": one.cause,
        "phase": one.phase,
        "phase_from": one.phase_from.value,
        "severity": one.severity.value,
        "confidence": one.confidence,
        "measured": {"right": one.measured[0], "of": one.measured[1]},
        "title": safe(one.title.of(language)),
        "why": safe(one.why.of(language)),
        "restart": one.restart.value,
        "ranks": list(one.ranks),
        "hosts": [safe(host) for host in one.hosts],
        "evidence": [_evidence(line) for line in one.evidence],
        "fixes": [_fix(fix, language) for fix in one.fixes],
        "consequences": [_consequence(other, language) for other in one.effects],
        "references": list(one.references),
        "checks": list(one.checks),
    }


def _evidence(line: Evidence) -> dict[str, Any]:
    return {
        "source": safe(line.source),
        "line": line.line,
        "time": iso_time(line.time),
        "worker": safe(line.worker),
        "text": safe(line.text),
        "captures": {name: safe(value) for name, value in line.captures.items()},
    }


def _fix(fix: Fix, language: str) -> dict[str, Any]:
    shown: Mapping[str, Any] = {
        "do": safe(fix.do.of(language)),
        "risk": fix.risk.value,
        "env": {name: pasteable(value) for name, value in fix.env.items()},
        "run": pasteable(fix.run) if fix.run else None,
        "powershell": pasteable(fix.powershell) if fix.powershell else None,
        "flags": list(fix.flags),
        "config": dict(fix.config),
        "code": fix.code,
        "note": safe(fix.note.of(language)) if fix.note else None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _consequence(other: Consequence, language: str) -> dict[str, Any]:
    return {
        "rule": other.rule,
        "cause": other.cause,
        "title": safe(other.title.of(language)),
        "evidence": [_evidence(line) for line in other.evidence],
    }


def _span(span: PhaseSpan) -> dict[str, Any]:
    return {
        "worker": safe(span.worker),
        "phase": span.phase,
        "start": iso_time(span.start),
        "end": iso_time(span.end),
        "source": safe(span.source),
        "first_line": span.first_line,
        "last_line": span.last_line,
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "status": run.status.value,
        "cause": run.cause,
        "source": safe(run.source),
        "first_line": run.first_line,
        "last_line": run.last_line,
    }


def iso_time(seconds: float | None) -> str | None:
    """The time as ISO 8601 without a zone: the log's own clock."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()
    except (OverflowError, ValueError, OSError):
        return None
