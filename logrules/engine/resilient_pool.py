"""Work on the cores of this machine that outlives its workers: what a process took with it is tried again."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# One broken pool says nothing of which item broke it; an item that breaks a pool of its own is to blame.
TOGETHER = 2


@dataclass(frozen=True, slots=True)
class WorkerPool(Generic[Item, Answer]):
    """How many work, on what, and what each needs to begin.

    ``begin`` gets ``forked`` in a process that inherits what is compiled, ``spawned`` where forking is not safe.
    ``work`` and ``begin`` must be functions of a module.
    """

    processes: int
    work: Callable[[Item], Answer]
    begin: Callable[[Any], None]
    forked: Any
    spawned: Any

    def answers(self, items: Mapping[int, Item]) -> Iterator[tuple[int, Answer | None]]:
        """Each item's number and answer as it comes; None for one that ends its process again and again."""
        left = dict(items)
        for _ in range(TOGETHER):
            for number, answer in self._tried(left, self.processes):
                del left[number]
                yield number, answer
        for number, item in left.items():
            yield next(self._tried({number: item}, 1), (number, None))

    def _tried(self, items: Mapping[int, Item], processes: int) -> Iterator[tuple[int, Answer | None]]:
        """The answers of a pool, until it breaks."""
        if not items:
            return
        with process_pool(min(processes, len(items)), self.begin, self.forked, self.spawned) as pool:
            futures: dict[Future[Answer], int] = {
                pool.submit(self.work, item): number for number, item in items.items()
            }
            for future in as_completed(futures):
                try:
                    yield futures[future], future.result()
                except BrokenProcessPool:
                    continue


def default_processes() -> int:
    """As many as cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(processes: int, begin: Callable[[Any], None], forked: Any, spawned: Any) -> ProcessPoolExecutor:
    """Forked processes inherit what is compiled; where forking is not safe each begins with what it can be sent."""
    fork = sys.platform == "linux"
    context: Any = multiprocessing.get_context("fork" if fork else "spawn")
    return ProcessPoolExecutor(processes, context, initializer=_begun, initargs=(begin, forked if fork else spawned))


def _begun(begin: Callable[[Any], None], given: Any) -> None:
    begin(given)
    # What a process begins with stays: to look through it for garbage takes long, and copies what it inherited.
    gc.freeze()
