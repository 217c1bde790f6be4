"""Findings as annotations of GitHub Actions.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from collections.abc import Sequence
from typing import TextIO

from logrules.model.lint_codes import CODES
from logrules.model.lint_finding import LintFinding
from logrules.output.escape import safe
from logrules.output.github import COMMANDS, data_of, property_of


def render_findings(findings: Sequence[LintFinding], files: int, out: TextIO) -> None:
    """Write one workflow command a finding."""
    for finding in findings:
        code = CODES[finding.code]
        place = f"file={property_of(finding.place.path)},line={finding.place.line},col={finding.place.column}"
        title = property_of(f"{finding.code} {code.name}")
        out.write(f"::{COMMANDS[code.severity]} {place},title={title}::{data_of(safe(finding.message))}\n")
