"""The report for a terminal: one screen, or with everything; plain and unwrapped in a pipe."""

from typing import TextIO

from logrules.model.report import Report
from logrules.output.brief_text import BriefReport
from logrules.output.full_text import FullReport
from logrules.output.styled import page_on


def render_text(report: Report, out: TextIO, language: str, shell: str, *, all_diagnoses: bool = False) -> None:
    """Write the report for people to ``out``. ``NO_COLOR`` is respected; what is no terminal gets no colour."""
    form = FullReport if all_diagnoses else BriefReport
    form(page_on(out), language, shell).write(report)
