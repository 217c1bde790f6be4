"""Many small tests on all cores: processes that share one prepared pack."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from logrules.engine.run import Prepared, prepared
from logrules.ruleset.pack import Pack

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Below this many tests starting processes costs more than it saves.
FEW = 150
_CHUNKS_A_PROCESS = 8


class _Here:
    """The pack of this process."""

    on: Prepared


def default_processes() -> int:
    """As many as cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_all_cores(
    task: Callable[[Prepared, Item], Answer], items: Sequence[Item], on: Prepared, processes: int, few: int = FEW
) -> Iterator[Answer]:
    """``task`` of each item, in order. ``task`` must be a function of a module."""
    if processes < 2 or len(items) < few:  # noqa: PLR2004 - one is no crowd
        yield from (task(on, item) for item in items)
        return
    with _pool(on, processes) as pool:
        size = max(1, len(items) // (processes * _CHUNKS_A_PROCESS))
        yield from pool.map(_do, [(task, item) for item in items], chunksize=size)


def _pool(on: Prepared, processes: int) -> ProcessPoolExecutor:
    """Forked processes inherit what is compiled; where forking is not safe each compiles the pack for itself."""
    if sys.platform == "linux":
        context: Any = multiprocessing.get_context("fork")
        return ProcessPoolExecutor(processes, context, initializer=_inherit, initargs=(on,))
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, context, initializer=_prepare, initargs=(on.pack,))


def _inherit(on: Prepared) -> None:
    _Here.on = on


def _prepare(pack: Pack) -> None:
    _Here.on = prepared(pack, cache=True)


def _do(work: tuple[Callable[[Prepared, Any], Any], Any]) -> Any:
    task, item = work
    return task(_Here.on, item)
