"""Findings as annotations of GitHub Actions.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from collections.abc import Sequence
from typing import TextIO

from logrules.model.codes import CODES
from logrules.model.finding import Finding
from logrules.render.forms.github import COMMANDS, data_of, property_of
from logrules.render.safe import safe


def render_findings(findings: Sequence[Finding], files: int, out: TextIO) -> None:  # noqa: ARG001 (all forms are called alike)
    """Write one workflow command a finding."""
    for finding in findings:
        code = CODES[finding.code]
        place = f"file={property_of(finding.place.path)},line={finding.place.line},col={finding.place.column}"
        title = property_of(f"{finding.code} {code.name}")
        out.write(f"::{COMMANDS[code.severity]} {place},title={title}::{data_of(safe(finding.message))}\n")
