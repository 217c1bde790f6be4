"""A file that always holds the newest report: replaced as a whole, so that nobody reads half of one."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TextIO

from logrules.model.extras import HTML, needed
from logrules.model.report import Report
from logrules.model.update import Update
from logrules.notify.notifications import matters
from logrules.notify.task_queue import TaskQueue
from logrules.output.atomic_write import UnwritableError, write_file
from logrules.output.report_json import render_json

# Without news it is written this often, so that its age tells that the watcher lives.
EVERY_S = 30.0


class ReportFile:
    """Keeps a report up to date at ``path``, a page where it ends in ``.html`` or ``.htm``, else JSON.

    Where that fails, it is said once and tried again later. Raises LogrulesError where a page cannot be written here.
    """

    def __init__(self, path: Path, language: str, complain: Callable[[str], None]) -> None:
        self._path = path
        self._render: Callable[[Report, TextIO, str], None] = render_json
        if path.suffix.lower() in (".html", ".htm"):
            self._render = _page_renderer()
        self._language = language
        self._complain = complain
        self._written: float | None = None
        self._failing = False
        # A disk, or who reads a pipe, may be slow or hang: that is not the job's affair.
        self._tasks = TaskQueue(f"--report {path}", complain)

    def hear(self, update: Update, report: Callable[[], Report]) -> None:
        """Write the report, if there is news or the last one is old."""
        old = self._written is None or update.now >= self._written + EVERY_S
        if not (matters(update) or update.ended or old):
            return
        self._written = update.now
        document = io.StringIO()
        self._render(report(), document, self._language)
        self._tasks.do(partial(self._write, document.getvalue().encode()))

    def close(self, limit_s: float) -> None:
        """The last report stays."""
        self._tasks.close(limit_s)

    def _write(self, document: bytes) -> None:
        try:
            write_file(self._path, document)
            self._failing = False
        except UnwritableError as fault:
            if not self._failing:
                self._complain(str(fault))
            self._failing = True


def _page_renderer() -> Callable[[Report, TextIO, str], None]:
    with needed(HTML, "--report FILE.html"):
        from logrules.output.html import render_html
    return render_html
