"""What `logrules doctor` found: a line an answer for people, one document for machines."""

import json
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text as Line

from logrules.output.escape import safe
from logrules.tools.doctor.doctor import Answer
from logrules.tools.doctor.doctor_finding import CheckOutcome, DoctorFinding

SCHEMA = "logrules.doctor/1"
_MARK = {
    CheckOutcome.OK: ("ok  ", "green"),
    CheckOutcome.WARNING: ("warn", "yellow"),
    CheckOutcome.FAILED: ("FAIL", "bold red"),
    CheckOutcome.UNKNOWN: ("?   ", "dim"),
}


def render_answers(answers: Sequence[Answer], out: TextIO, language: str) -> None:
    """Write the answers for people; what should be done stands under what was found."""
    console = Console(file=out, highlight=False, markup=False, emoji=False)
    for answer in answers:
        for finding in answer.findings:
            mark, style = _MARK[finding.outcome]
            said = safe(finding.said.of(language))
            console.print(Line.assemble((mark, style), f"  {answer.check.title.of(language)}: {said}"), soft_wrap=True)
            if finding.instead.en:
                console.print(Line(f"      → {safe(finding.instead.of(language))}"), soft_wrap=True)


def render_answers_json(answers: Sequence[Answer], out: TextIO, language: str) -> None:
    """Write the answers as one JSON document."""
    checks = [
        {
            "check": answer.check.id,
            "outcome": answer.outcome.value,
            "findings": [_finding(finding, language) for finding in answer.findings],
        }
        for answer in answers
    ]
    json.dump({"schema": SCHEMA, "checks": checks}, out, ensure_ascii=False, indent=1)
    out.write("\n")


def _finding(finding: DoctorFinding, language: str) -> dict[str, str]:
    shown = {"outcome": finding.outcome.value, "said": safe(finding.said.of(language))}
    return {**shown, "instead": safe(finding.instead.of(language))} if finding.instead.en else shown
