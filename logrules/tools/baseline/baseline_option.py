"""`logrules diagnose --baseline GOOD`: how it differs from a good run."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from logrules.cli.extension import Addition, Annex
from logrules.cli.shared_options import named
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.model.event import Event
    from logrules.model.report import Report
    from logrules.ruleset.pack import Pack

KEY = "baseline"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    about = "a log or folder of a good run, to show what is new, missing or slower; repeatable"
    parser.add_argument("--baseline", action="append", type=named, default=[], metavar="PATH", help=about)


def addition(options: argparse.Namespace) -> Addition | None:
    """The comparison, where good runs were named."""
    return _Baseline(options.baseline) if options.baseline else None


def _schema() -> dict[str, Any]:
    from logrules.tools.baseline.baseline_text import DEVIATION

    return DEVIATION.schema


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {KEY: _schema}


class _Baseline(Addition):
    def __init__(self, good: Sequence[str]) -> None:
        self.files_read = good

    def prepare(self, paths: Sequence[str], pack: "Pack") -> "Pack":
        from logrules.tools.baseline.compare import GoodRuns

        if "-" in (*paths, *self.files_read):
            raise LogrulesError("--baseline reads logs twice: name files, not standard input")
        self._paths, self._runs = paths, GoodRuns(self.files_read, pack)
        return pack

    @property
    def observe(self) -> "Callable[[Event], None]":
        return self._runs.pace.see

    def annex(self, report: "Report", language: str) -> Annex:
        from logrules.tools.baseline.baseline_text import DEVIATION, render_deviation

        found = self._runs.deviation(self._paths, report)
        return Annex(KEY, DEVIATION.written(found, "en"), lambda out: render_deviation(found, out, language))
