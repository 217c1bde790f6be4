"""Many small tests on all cores: processes that share one prepared pack."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from logrules.engine.resilient_pool import process_pool
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


def on_all_cores(
    task: Callable[[Prepared, Item], Answer], items: Sequence[Item], on: Prepared, processes: int, few: int = FEW
) -> Iterator[Answer]:
    """``task`` of each item, in order. ``task`` must be a function of a module."""
    if processes < 2 or len(items) < few:  # noqa: PLR2004 - one is no crowd
        yield from (task(on, item) for item in items)
        return
    with process_pool(processes, _begin, on, on.pack) as pool:
        size = max(1, len(items) // (processes * _CHUNKS_A_PROCESS))
        yield from pool.map(_do, [(task, item) for item in items], chunksize=size)


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _do(work: tuple[Callable[[Prepared, Any], Any], Any]) -> Any:
    task, item = work
    return task(_Here.on, item)
