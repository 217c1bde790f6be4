"""Looks closer at a job the moment a stall is suspected, and lets the rules read what was seen."""

from collections.abc import Callable, Mapping, Sequence

from logrules.model.change import Raised, StallProlonged
from logrules.model.report import Report
from logrules.model.update import Update
from logrules.notify.job_processes import python_processes
from logrules.notify.probe import look_closer
from logrules.notify.task_queue import TaskQueue

# Stacks taken more often than this show the same.
APART_S = 120.0
_CLOSING_S = 12.0

Hear = Callable[[str, str, float], None]


class Inspection:
    """Inspects the processes below ``pid`` (asked for when needed) and hands what it saw to ``hear``.

    What says only where processes stand, or that a command failed, goes to ``note``.
    """

    def __init__(
        self,
        pid: Callable[[], int | None],
        hear: Hear,
        note: Callable[[str, str], None],
        env: Mapping[str, str],
        complain: Callable[[str], None],
        hosts: Sequence[str] = (),
    ) -> None:
        self._pid = pid
        self._hear = hear
        self._note = note
        self._env = env
        self._errands = TaskQueue("--inspect", complain)
        self._hosts = tuple(hosts)
        self._last: float | None = None
        self._ended = False

    def hear(self, update: Update, report: Callable[[], Report]) -> None:  # noqa: ARG002 (the changes say enough)
        """Look closer, if a stall is suspected or lasts and the last look is long enough ago."""
        self._ended = update.ended
        stalls = any(
            isinstance(change, StallProlonged) or (isinstance(change, Raised) and change.quiet_s is not None)
            for change in update.changes
        )
        if not stalls or (self._last is not None and update.now < self._last + APART_S):
            return
        self._last = update.now
        now = update.now
        self._errands.do(lambda: self._look(now))

    def close(self) -> None:
        """Wait for a look that was begun."""
        self._errands.close(_CLOSING_S)

    def _look(self, now: float) -> None:
        pid = self._pid()
        processes = python_processes(pid) if pid is not None else []
        for seen in look_closer(processes, self._env, hosts=self._hosts):
            if seen.evidence:
                self._hear(seen.source, seen.text, now)
            else:
                self._note(seen.source, seen.text)
