"""`logrules diagnose --expect PROFILE`: where the run left the path of a healthy one."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from logrules.cli.extension import Addition, Annex
from logrules.cli.shared_options import chosen_color, named

if TYPE_CHECKING:
    from logrules.model.event import Event
    from logrules.model.report import Report
    from logrules.ruleset.pack import Pack

KEY = "expectation"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--expect", type=named, metavar="PROFILE", help="a recipe to compare the log with: a file or a shipped name"
    )


def addition(options: argparse.Namespace) -> Addition | None:
    """The path to follow, where a profile was named."""
    return _Expectation(options) if options.expect else None


def _schema() -> dict[str, Any]:
    from logrules.tools.expectations.expectation_text import EXPECTATION

    return EXPECTATION.schema


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {KEY: _schema}


class _Expectation(Addition):
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.files_read = (options.expect,)

    def prepare(self, paths: Sequence[str], pack: "Pack") -> "Pack":  # noqa: ARG002 (whatever is read)
        from logrules.tools.expectations.path_profile import load_profile

        self._path = load_profile(self._options.expect, pack)
        return self._path.pack

    @property
    def observe(self) -> "Callable[[Event], None]":
        return self._path.see

    def annex(self, report: "Report", language: str) -> Annex:  # noqa: ARG002 (it saw the events)
        from logrules.tools.expectations.expectation_text import EXPECTATION, render_expectation

        found = self._path.outcome()
        render = partial(render_expectation, found, language=language, color=chosen_color(self._options))
        return Annex(KEY, EXPECTATION.written(found, language), render, failed=not found.met)
