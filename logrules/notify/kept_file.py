"""Files that others look at while a job runs: replaced as a whole each time, so that nobody reads half of one."""

import io
from collections.abc import Callable
from pathlib import Path

from logrules.model.change import Update
from logrules.model.report import Report
from logrules.notify.listener import Listener, TaskQueue
from logrules.notify.notifications import matters
from logrules.output.atomic_write import UnwritableError, write_file
from logrules.output.forms import form_of
from logrules.output.report_json import render_json

# Without news a report is written this often.
EVERY_S = 30.0


class KeptFile(Listener):
    """Keeps ``path`` up to date, in a thread: a disk, or who reads a pipe, may be slow or hang, and the job go on.

    Without news it is written every ``every_s``, so that its age tells that the watcher lives. Where writing fails,
    that is said once, and it is tried again with the next content. The last content stays.
    """

    def __init__(self, path: Path, option: str, every_s: float, complain: Callable[[str], None]) -> None:
        self.called = f"{option} {path}"
        self._path = path
        self._every_s = every_s
        self._complain = complain
        self._written: float | None = None
        self._failing = False
        self._tasks = TaskQueue(self.called, complain, self._write)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Write it soon, if there is news or the last content is old."""
        is_old = self._written is None or update.now >= self._written + self._every_s
        if is_old or update.ended or self.has_news(update):
            self._written = update.now
            self._tasks.do(self.content(report))

    def has_news(self, update: Update) -> bool:
        """Whether the content is another after this update."""
        return matters(update)

    def content(self, report: Callable[[], Report]) -> bytes:
        """What is to stand in the file."""
        raise NotImplementedError

    def close(self, limit_s: float) -> None:
        """Wait for what is being written."""
        self._tasks.close(limit_s)

    def _write(self, content: bytes) -> None:
        try:
            write_file(self._path, content)
            self._failing = False
        except UnwritableError as fault:
            if not self._failing:
                self._complain(str(fault))
            self._failing = True


class ReportFile(KeptFile):
    """The newest report: a page where ``path`` ends in ``.html`` or ``.htm``, else JSON.

    Raises LogrulesError where a page cannot be written here.
    """

    def __init__(self, path: Path, language: str, complain: Callable[[str], None]) -> None:
        self._language = language
        self._page = form_of("html") if path.suffix.lower() in (".html", ".htm") else None
        super().__init__(path, "--report", EVERY_S, complain)

    def content(self, report: Callable[[], Report]) -> bytes:
        """The report as it stands."""
        document, now = io.StringIO(), report()
        if self._page is None:
            render_json(now, document, self._language)
        else:
            self._page(now, document, self._language, "bash")
        return document.getvalue().encode()
