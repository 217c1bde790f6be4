"""What takes long, on all cores: above all tests run on a pack."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from logrules.engine.run import Prepared, prepared
from logrules.ruleset.pack import Pack

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Below this many tests starting processes costs more than it saves.
FEW_TESTS = 150
_PARTS_A_PROCESS = 8


def on_all_cores(
    task: Callable[[Prepared, Item], Answer],
    items: Sequence[Item],
    on: Prepared,
    processes: int | None,
    few: int = FEW_TESTS,
) -> list[Answer]:
    """``task`` of each item, in order, by one process a core unless told how many. It is a function of a module."""
    if len(items) < few or processes == 1:
        return _each(task, on, items)
    # What few tests do without takes longer to load than they do.
    from concurrent.futures.process import BrokenProcessPool

    from logrules.engine.resilient_pool import WorkerPool, default_processes

    processes = processes or default_processes()
    size = max(1, len(items) // (processes * _PARTS_A_PROCESS))
    parts = {number: items[number : number + size] for number in range(0, len(items), size)}
    answers = dict(WorkerPool(processes, partial(_each, task), _prepared).answers(parts, on.pack))
    if None in answers.values():
        raise BrokenProcessPool("an item ends every process that works on it")
    return [answer for number in parts for answer in answers[number] or ()]


def _prepared(pack: Pack) -> Prepared:
    return prepared(pack, cache=True)


def _each(task: Callable[[Prepared, Item], Answer], on: Prepared, items: Sequence[Item]) -> list[Answer]:
    return [task(on, item) for item in items]
