"""Findings as SARIF 2.1.0, for code hosts that show them beside the changed lines.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Sequence
from typing import Any, TextIO
from urllib.parse import quote

from logrules.model.lint_codes import CODES, Code
from logrules.model.lint_finding import LintFinding
from logrules.model.report import Severity
from logrules.model.version import __version__
from logrules.output.escape import safe

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_findings(findings: Sequence[LintFinding], files: int, out: TextIO) -> None:
    """Write one SARIF log with one run."""
    driver = {
        "name": "logrules check",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in CODES.values()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(one) for one in findings]}
    json.dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, out, ensure_ascii=False, indent=1)
    out.write("\n")


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.title.en},
        "fullDescription": {"text": code.why.en},
        "help": {"text": code.help.en},
        "defaultConfiguration": {"level": _LEVEL[code.severity]},
    }


def _result(finding: LintFinding) -> dict[str, Any]:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    place = {"artifactLocation": {"uri": quote(safe(finding.place.path))}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": list(CODES).index(finding.code),
        "level": _LEVEL[CODES[finding.code].severity],
        "message": {"text": safe(finding.message)},
        "locations": [{"physicalLocation": place}],
    }
