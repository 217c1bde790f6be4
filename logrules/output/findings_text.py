"""Findings for people and editors: a line each, then a line that sums up."""

from collections.abc import Sequence
from typing import TextIO

from logrules.model.lint_codes import CODES
from logrules.model.lint_finding import LintFinding
from logrules.output.escape import safe


def render_findings(findings: Sequence[LintFinding], files: int, out: TextIO) -> None:
    """Path, line, column, code and message of each; how many can be mended."""
    out.writelines(f"{safe(str(finding))}\n" for finding in findings)
    mended = sum(finding.removes is not None for finding in findings)
    hint = f"; {mended} can be mended with --fix" if mended else ""
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}"
    out.write(f"{files} file{'' if files == 1 else 's'}: {count}{hint}\n")
    if findings:
        out.write(f"`logrules explain {findings[0].code}` says more: {CODES[findings[0].code].title.en.lower()}\n")
