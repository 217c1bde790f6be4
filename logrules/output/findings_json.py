"""Findings for machines."""

import json
from collections.abc import Sequence
from typing import Any, TextIO

from logrules.model.lint_codes import CODES
from logrules.model.lint_finding import LintFinding

SCHEMA = "logrules.findings/1"


def render_findings(findings: Sequence[LintFinding], files: int, out: TextIO) -> None:
    """One document: how many files were looked at, and every finding."""
    document = {"schema": SCHEMA, "files": files, "findings": [_finding(finding) for finding in findings]}
    json.dump(document, out, indent=1, ensure_ascii=False)
    out.write("\n")


def _finding(finding: LintFinding) -> dict[str, Any]:
    code = CODES[finding.code]
    return {
        "code": finding.code,
        "name": code.name,
        "severity": code.severity.value,
        "path": finding.place.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "message": finding.message,
        "fixable": finding.removes is not None,
    }
