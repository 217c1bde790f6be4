"""Tasks on the cores of this machine. A process that dies takes its tasks with it: they are tried again."""

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from logrules.extract.newlines import fast_counter
from logrules.extraction import Scanners
from logrules.pack.pack import Pack
from logrules.scale.task import Lost, Read, Task
from logrules.scale.worker import read

# One broken pool says nothing of which task broke it; a task that breaks a pool of its own is to blame.
TOGETHER = 2
_DIED = "its reader died twice"


class _Here:
    """The scanners of this process."""

    scanners: Scanners


def read_here(tasks: Sequence[Task], pack: Pack, processes: int) -> Iterator[Read | Lost]:
    """The answers as they come, in any order."""
    scanners = Scanners(pack, cache=True)
    # Imported before the processes are forked: so it is imported once.
    fast_counter()
    left = {task.number: task for task in tasks}
    for _ in range(TOGETHER):
        for answer in _tried(list(left.values()), pack, scanners, processes):
            del left[answer.number]
            yield answer
    for task in list(left.values()):
        yield next(_tried([task], pack, scanners, 1), Lost(task.number, _DIED))


def _tried(tasks: Sequence[Task], pack: Pack, scanners: Scanners, processes: int) -> Iterator[Read | Lost]:
    """The answers of a pool, until it breaks."""
    if not tasks:
        return
    with _pool(pack, scanners, min(processes, len(tasks))) as pool:
        futures: list[Future[Read | Lost]] = [pool.submit(_read, task) for task in tasks]
        for future in as_completed(futures):
            try:
                yield future.result()
            except BrokenProcessPool:
                continue


def _pool(pack: Pack, scanners: Scanners, processes: int) -> ProcessPoolExecutor:
    """Forked processes inherit what is compiled; where forking is not safe each compiles the pack for itself."""
    if sys.platform == "linux":
        context: Any = multiprocessing.get_context("fork")
        return ProcessPoolExecutor(processes, context, initializer=_inherit, initargs=(scanners,))
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, context, initializer=_compile, initargs=(pack,))


def _inherit(scanners: Scanners) -> None:
    _Here.scanners = scanners


def _compile(pack: Pack) -> None:
    _Here.scanners = Scanners(pack, cache=True)


def _read(task: Task) -> Read | Lost:
    return read(task, _Here.scanners)
