"""Tasks on the cores of this machine."""

from collections.abc import Iterator, Sequence

from logrules.engine.extraction import Scanners
from logrules.engine.extraction_task import Read, ReadFailed, Task, read
from logrules.engine.resilient_pool import WorkerPool
from logrules.parsing.newlines import fast_counter
from logrules.ruleset.pack import Pack

_DIED = "its reader died twice"


class _Here:
    """The scanners of this process."""

    scanners: Scanners


def read_here(tasks: Sequence[Task], pack: Pack, processes: int) -> Iterator[Read | ReadFailed]:
    """The answers as they come, in any order. A process that dies takes its tasks with it: they are tried again."""
    # Imported before the processes are forked: so it is imported once.
    fast_counter()
    pool = WorkerPool(processes, _read, _begin, Scanners(pack, cache=True), pack)
    for number, answer in pool.answers({task.number: task for task in tasks}):
        yield answer or ReadFailed(number, _DIED)


def _begin(given: Scanners | Pack) -> None:
    _Here.scanners = Scanners(given, cache=True) if isinstance(given, Pack) else given


def _read(task: Task) -> Read | ReadFailed:
    return read(task, _Here.scanners)
