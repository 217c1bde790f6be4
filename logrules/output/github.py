"""A report, or findings in rule files, as annotations of GitHub Actions: a line each, shown where it stands.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from collections.abc import Mapping, Sequence
from typing import TextIO

from logrules.model.lint_code import CODES
from logrules.model.position import Problem
from logrules.model.report import Diagnosis, Report, Severity
from logrules.output.escape import safe
from logrules.output.shell import pasteable

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render_github(report: Report, out: TextIO, language: str, shell: str = "bash") -> None:
    """Write one workflow command a diagnosis; a job with nothing to say gets none."""
    out.writelines(_annotation(one, language, report.paths) for one in report.diagnoses)


def _annotation(one: Diagnosis, language: str, paths: Mapping[str, str]) -> str:
    line = one.evidence[0] if one.evidence else None
    place = f"file={_property_of(paths.get(line.source, line.source))},line={line.line}," if line else ""
    said = "\n".join(
        safe(text)
        for text in (
            one.why.of(language),
            *(f"{shown.place}: {shown.text[:400]}" for shown in one.evidence[:3]),
            *(f"→ {fix.do.of(language)}" + (f": {pasteable(fix.run)}" if fix.run else "") for fix in one.fixes[:3]),
        )
    )
    return f"::{COMMANDS[one.severity]} {place}title={_property_of(one.title.of(language))}::{_data_of(said)}\n"


def _property_of(text: str) -> str:
    """Text as the value of a property of a workflow command."""
    return safe(text).translate(_PROPERTY)


def _data_of(text: str) -> str:
    """Safe lines as the message of a workflow command."""
    return text.translate(_DATA)


def render_findings(findings: Sequence[Problem], files: int, out: TextIO) -> None:
    """Write one workflow command a finding."""
    for finding in findings:
        code = CODES[finding.code]
        place = f"file={_property_of(finding.place.path)},line={finding.place.line},col={finding.place.column}"
        title = _property_of(f"{finding.code} {code.name}")
        out.write(f"::{COMMANDS[code.severity]} {place},title={title}::{_data_of(safe(finding.said))}\n")
