"""A file that others look at while a job runs: replaced as a whole each time, so that nobody reads half of it."""

from collections.abc import Callable
from pathlib import Path

from logrules.model.change import Update
from logrules.notify.task_queue import TaskQueue
from logrules.output.atomic_write import UnwritableError, write_file


class KeptFile:
    """Writes what it is given, in a thread: a disk, or who reads a pipe, may be slow or hang, and the job go on.

    Without news it is written every ``every_s``, so that its age tells that the watcher lives. Where writing fails,
    that is said once, and it is tried again with the next content.
    """

    def __init__(self, path: Path, option: str, every_s: float, complain: Callable[[str], None]) -> None:
        self._path = path
        self._every_s = every_s
        self._complain = complain
        self._written: float | None = None
        self._failing = False
        self._tasks = TaskQueue(f"{option} {path}", complain, self._write)

    def is_due(self, update: Update, *, news: bool) -> bool:
        """Whether it must be written for this update, since there is news or the last content is old."""
        due = news or update.ended or self._written is None or update.now >= self._written + self._every_s
        if due:
            self._written = update.now
        return due

    def keep(self, content: bytes) -> None:
        """Write the content soon."""
        self._tasks.do(content)

    def close(self, limit_s: float) -> None:
        """The last content stays."""
        self._tasks.close(limit_s)

    def _write(self, content: bytes) -> None:
        try:
            write_file(self._path, content)
            self._failing = False
        except UnwritableError as fault:
            if not self._failing:
                self._complain(str(fault))
            self._failing = True
