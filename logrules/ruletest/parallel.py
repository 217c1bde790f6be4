"""What takes long, on all cores: above all tests run on a pack."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from logrules.engine.run import Prepared, prepared
from logrules.ruleset.pack import Pack

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Below this many tests starting processes costs more than it saves.
FEW_TESTS = 150
_CHUNKS_A_PROCESS = 8


class _Here:
    """The pack of this process."""

    on: Prepared


def on_all_cores(
    task: Callable[[Prepared, Item], Answer],
    items: Sequence[Item],
    on: Prepared,
    processes: int | None,
    few: int = FEW_TESTS,
) -> Iterator[Answer]:
    """``task`` of each item, in order, by one process a core unless told how many. It is a function of a module."""
    if len(items) < few or processes == 1:
        yield from (task(on, item) for item in items)
        return
    # What few tests do without takes longer to load than they do.
    from logrules.engine.resilient_pool import default_processes, process_pool

    processes = processes or default_processes()
    with process_pool(processes, _begin, on, on.pack) as pool:
        size = max(1, len(items) // (processes * _CHUNKS_A_PROCESS))
        yield from pool.map(_do, [(task, item) for item in items], chunksize=size)


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _do(work: tuple[Callable[[Prepared, Any], Any], Any]) -> Any:
    task, item = work
    return task(_Here.on, item)
