"""`logrules diagnose --format html`: the lines of the log that stand on the page."""

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from logrules.cli.extension import Addition
from logrules.cli.shared_options import whole_number

if TYPE_CHECKING:
    from logrules.model.report import Report
    from logrules.ruleset.pack import Pack
    from logrules.sources.discover import Discovered

SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {}
# What a browser on a phone still scrolls through.
PAGE_LINES = 50_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    about = f"log lines in the HTML page; 0 leaves the log out (default: {PAGE_LINES:,})"
    parser.add_argument("--page-lines", type=whole_number(0), default=PAGE_LINES, metavar="N", help=about)


def addition(options: argparse.Namespace) -> Addition | None:
    """The log of the page, where one was asked for."""
    is_asked = options.format == "html" and options.page_lines > 0
    return _PageLog(options.page_lines, cache=not options.no_cache) if is_asked else None


class _PageLog(Addition):
    def __init__(self, lines: int, *, cache: bool) -> None:
        self._lines = lines
        self._cache = cache

    def to_read(self, found: "Discovered") -> "Discovered":
        from logrules.tools.recorded_source import recorded

        return recorded(found)

    def completed(self, report: "Report", found: "Discovered", pack: "Pack") -> "Report":
        from logrules.tools.page.log_text import with_log

        return with_log(report, found, pack, self._lines, cache=self._cache)
