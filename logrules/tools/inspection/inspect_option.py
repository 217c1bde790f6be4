"""`logrules watch --inspect`: looks closer at the processes of a job when it stalls."""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from logrules.cli.shared_options import whole_number
from logrules.model.change import Raised, StallProlonged, Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.notify.listener import Listener

if TYPE_CHECKING:
    from logrules.cli.extension import WatchedRun
    from logrules.engine.follow import Following


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    look = parser.add_argument_group("looking closer")
    look.add_argument("--inspect", action="store_true", help="at a stall: run py-spy dump, nvidia-smi, ray status")
    look.add_argument(
        "--inspect-hosts",
        metavar="HOSTS",
        help="with --inspect: also inspect these hosts of the job (a,b,c) by ssh; ray: its Ray cluster",
    )
    look.add_argument(
        "--pid", type=whole_number(1), help="with --inspect: the job's process (default: the command after `--`)"
    )


def listeners(options: argparse.Namespace, run: "WatchedRun") -> Iterator[Listener]:
    """The inspection, where it was asked for. Raises LogrulesError where it has no process, or lacks a package."""
    if not options.inspect:
        if options.pid is not None or options.inspect_hosts:
            raise LogrulesError(f"{'--pid' if options.pid is not None else '--inspect-hosts'} is for --inspect")
        return
    from logrules.tools.inspection.job_processes import is_process
    from logrules.tools.inspection.stack_samples import hosts_of

    if options.pid is None and not options.command:
        raise LogrulesError("--inspect needs the job's process: start the job behind `--`, or name it with --pid")
    # Asked in any case: it says at once what is not installed.
    if not is_process(os.getpid() if options.pid is None else options.pid):
        raise LogrulesError(f"--pid {options.pid}: there is no such process")
    pid = run.pid if options.pid is None else lambda: int(options.pid)
    hosts = hosts_of(options.inspect_hosts) if options.inspect_hosts else ()
    yield Inspection(pid, run.following, os.environ, run.complain, hosts)


# Stacks taken more often than this show the same.
APART_S = 120.0


class Inspection(Listener):
    """Inspects the processes below ``pid`` (asked for when needed) and hands what it saw to ``following``.

    Where the processes stand, and that a command failed, is also said to ``complain``.
    """

    called = "--inspect"

    def __init__(
        self,
        pid: Callable[[], int | None],
        following: "Following",
        env: Mapping[str, str],
        complain: Callable[[str], None],
        hosts: Sequence[str] = (),
    ) -> None:
        from logrules.notify.listener import TaskQueue

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
        from logrules.tools.inspection.job_processes import python_processes
        from logrules.tools.inspection.probes import probe_hang, show_probe_result

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
