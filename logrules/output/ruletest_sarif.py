"""Findings as SARIF 2.1.0, for code hosts that show them beside the changed lines.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from collections.abc import Sequence
from typing import Any, TextIO
from urllib.parse import quote

from logrules.model.lint_codes import CODES, Code
from logrules.model.lint_finding import LintFinding
from logrules.output.escape import safe
from logrules.output.sarif import LEVEL, write_sarif


def render_findings(findings: Sequence[LintFinding], files: int, out: TextIO) -> None:
    """Write one SARIF log with one run."""
    write_sarif("logrules check", [_rule(code) for code in CODES.values()], [_result(one) for one in findings], out)


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.title.en},
        "fullDescription": {"text": code.why.en},
        "help": {"text": code.help.en},
        "defaultConfiguration": {"level": LEVEL[code.severity]},
    }


def _result(finding: LintFinding) -> dict[str, Any]:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    place = {"artifactLocation": {"uri": quote(safe(finding.place.path))}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": list(CODES).index(finding.code),
        "level": LEVEL[CODES[finding.code].severity],
        "message": {"text": safe(finding.message)},
        "locations": [{"physicalLocation": place}],
    }
