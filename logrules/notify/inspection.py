"""Looks closer at a job the moment a stall is suspected, and lets the rules read what was seen."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from logrules.model.change import Raised, StallProlonged, Update
from logrules.model.report import Report
from logrules.notify.job_processes import python_processes
from logrules.notify.listener import Listener
from logrules.notify.probe import ProbeResult, probe_hang
from logrules.notify.task_queue import TaskQueue

if TYPE_CHECKING:
    from logrules.engine.follow import Following

# Stacks taken more often than this show the same.
APART_S = 120.0


class Inspection(Listener):
    """Inspects the processes below ``pid`` (asked for when needed) and hands what it saw to ``following``.

    Where the processes stand, and that a command failed, is also said to ``complain``.
    """

    def __init__(
        self,
        pid: Callable[[], int | None],
        following: "Following",
        env: Mapping[str, str],
        complain: Callable[[str], None],
        hosts: Sequence[str] = (),
    ) -> None:
        self._pid = pid
        self._following = following
        self._env = env
        self._complain = complain
        self._tasks = TaskQueue("--inspect", complain, self._look)
        self._hosts = tuple(hosts)
        self._last: float | None = None

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:  # noqa: ARG002 (the changes say enough)
        """Look closer, if a stall is suspected or lasts and the last look is long enough ago."""
        stalls = any(
            isinstance(change, StallProlonged) or (isinstance(change, Raised) and change.quiet_s is not None)
            for change in update.changes
        )
        if not stalls or (self._last is not None and update.now < self._last + APART_S):
            return
        self._last = update.now
        self._tasks.do(update.now)

    def close(self, limit_s: float) -> None:
        """Wait for a look that was begun, so long."""
        self._tasks.close(limit_s)

    def _look(self, now: float) -> None:
        pid = self._pid()
        processes = python_processes(pid) if pid is not None else []
        look = probe_hang(processes, self._env, hosts=self._hosts, sizes=self._following.parallel_sizes())
        show_probe_result(look, self._following, now)
        if look.stacks is not None:
            for line in (*look.stacks.said, *look.stacks.tree):
                self._complain(f"stacks: {line}")
        for seen in look.outputs:
            if not seen.evidence:
                self._complain(f"{seen.source}: {seen.text}")


def show_probe_result(look: ProbeResult, following: "Following", at: float) -> None:
    """Give what a look saw to what follows the job: evidence to the rules, the rest to readers of the report."""
    if look.stacks is not None:
        following.show_stacks(look.stacks)
    following.ingest_records(look.records, at)
    for seen in look.outputs:
        if seen.evidence:
            following.ingest(seen.source, seen.text, at)
        else:
            following.note(seen.source, seen.text)
