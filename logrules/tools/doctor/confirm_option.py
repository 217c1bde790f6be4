"""`logrules diagnose --confirm`: the checks of this machine that the diagnoses name."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from logrules.cli.extension import Addition
from logrules.cli.shared_options import say

if TYPE_CHECKING:
    from logrules.model.report import Report

SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--confirm", action="store_true", help="run the checks on this machine that would confirm the diagnoses"
    )


def addition(options: argparse.Namespace) -> Addition | None:
    """The checks, where they were asked for."""
    return _Confirmation(options.color) if options.confirm else None


class _Confirmation(Addition):
    def __init__(self, color: str) -> None:
        self._color = color

    def after(self, report: "Report", language: str) -> None:
        """Run them, and say what they found on standard error: the report on standard output stays what it is."""
        from logrules.tools.doctor.doctor import examine, render_answers
        from logrules.tools.doctor.doctor_verb import chosen, default_python
        from logrules.tools.doctor.machine import Asked, Machine

        named = list(dict.fromkeys(check for one in report.diagnoses for check in one.checks))
        if not named:
            say("no check of this machine would confirm these diagnoses")
            return
        answers = examine(Machine(os.environ, Asked(python=default_python())), chosen(",".join(named)))
        render_answers(answers, sys.stderr, language, self._color)
