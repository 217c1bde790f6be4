"""Stacks of what works on the nodes of a Ray cluster, by a task on each.

A program of its own (`python -m logrules.tools.inspection.ray_stacks PID …`), as `ssh` is: Ray is imported nowhere
else for it, and what hangs ends with its time. The PIDs are processes of this machine that were looked at already.
Nodes need logrules with the extra `inspect`.
"""

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from logrules.model.errors import LogrulesError
from logrules.tools.cluster.ray_cluster import asked_of_nodes
from logrules.tools.command_output import CommandOutput
from logrules.tools.extras import INSPECT, needed
from logrules.tools.inspection.job_processes import MAX_PROCESSES
from logrules.tools.inspection.stack_samples import NATIVE, PLAIN, py_spy, told_of

_PREFIX = "ray::"
# What belongs to Ray itself, and what waits for work.
_NOBODY = ("ray::IDLE", "ray::DashboardAgent", "ray::RuntimeEnvAgent")
_LIMIT_S = 10.0


class WorkerStack(NamedTuple):
    """A worker of a node: its process id, what Ray calls it by its actor or task, and what py-spy says of it."""

    pid: int
    title: str
    dump: str


def stacks_below(raylet: int, here: str, known: Sequence[int]) -> list[WorkerStack]:
    """The stacks of the workers of a node that are at work, other than this process and, on ``here``, ``known``.

    Raises LogrulesError where the node lacks what that needs.
    """
    with needed(INSPECT, "reading stacks"):
        import psutil
    passed_over = {os.getpid(), *(known if socket.gethostname() == here else ())}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    found: list[WorkerStack] = []
    forms: Sequence[tuple[str, ...]] = (NATIVE, PLAIN)
    for child in psutil.Process(raylet).children():
        try:
            title = (child.cmdline() or [""])[0].strip()
        except psutil.Error:
            continue
        if child.pid in passed_over or not title.startswith(_PREFIX) or title in _NOBODY:
            continue
        said, forms = _dumped(child.pid, forms, {**os.environ, "PATH": path})
        if said.missing:
            raise LogrulesError("py-spy is not installed")
        found.append(WorkerStack(child.pid, title.removeprefix(_PREFIX), said.text if said.fine else ""))
        if len(found) == MAX_PROCESSES:
            break
    return found


def _dumped(
    pid: int, forms: Sequence[tuple[str, ...]], env: Mapping[str, str]
) -> tuple[CommandOutput, Sequence[tuple[str, ...]]]:
    """What py-spy says of a process, and the forms that are left to try: what fails for one process fails for all."""
    for number, form in enumerate(forms):
        said = py_spy(form, pid, _LIMIT_S, env)
        if said.fine or said.missing:
            return said, forms[number:]
    return CommandOutput(), forms


def _stacks_of_this_node(here: str, known: Sequence[int]) -> list[WorkerStack]:
    """Workers are siblings of the one that runs this: of several nodes on one machine each has its own."""
    return stacks_below(os.getppid(), here, known)


def main(words: Sequence[str]) -> int:
    """Print what each node says, the reasons of those that say nothing first; status 1 where none says anything."""
    faults: list[str] = []
    told: list[str] = []
    answers = 0
    ask = partial(_stacks_of_this_node, socket.gethostname(), tuple(map(int, words)))
    try:
        for node, answer in asked_of_nodes(ask, "auto"):
            if isinstance(answer, LogrulesError):
                faults.append(f"{node}: {answer}\n")
                continue
            answers += 1
            told += [told_of(one.pid, f"{node} {one.title} (pid {one.pid})", one.dump) for one in answer]
    except LogrulesError as fault:
        faults.append(f"{fault}\n")
    sys.stdout.writelines([*faults, *told])
    return 0 if answers else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
