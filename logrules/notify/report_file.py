"""A file that always holds the newest report: replaced as a whole, so that nobody reads half of one."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from logrules.model.change import Update
from logrules.model.extras import HTML, needed
from logrules.model.report import Report
from logrules.notify.kept_file import KeptFile
from logrules.notify.listener import Listener
from logrules.notify.notifications import matters
from logrules.output.report_json import render_json

# Without news it is written this often.
EVERY_S = 30.0


class ReportFile(Listener):
    """Keeps a report up to date at ``path``, a page where it ends in ``.html`` or ``.htm``, else JSON.

    Where that fails, it is said once and tried again later. Raises LogrulesError where a page cannot be written here.
    """

    def __init__(self, path: Path, language: str, complain: Callable[[str], None]) -> None:
        self._render: Callable[[Report, TextIO, str], None] = render_json
        if path.suffix.lower() in (".html", ".htm"):
            self._render = _page_renderer()
        self._language = language
        self._file = KeptFile(path, "--report", EVERY_S, complain)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Write the report, if there is news or the last one is old."""
        if self._file.is_due(update, news=matters(update)):
            document = io.StringIO()
            self._render(report(), document, self._language)
            self._file.keep(document.getvalue().encode())

    def close(self, limit_s: float) -> None:
        """The last report stays."""
        self._file.close(limit_s)


def _page_renderer() -> Callable[[Report, TextIO, str], None]:
    with needed(HTML, "--report FILE.html"):
        from logrules.output.html import render_html
    return render_html
