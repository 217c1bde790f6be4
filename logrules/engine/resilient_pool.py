"""Work on the cores of this machine that survives lost processes: their items are tried again."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as connection_wait
from typing import Any, Generic, TypeVar

from logrules.engine.needed_threads import need_threads
from logrules.model.record import record
from logrules.ruleset.pack import Pack

Ready = TypeVar("Ready")
Item = TypeVar("Item")
Answer = TypeVar("Answer")

# A broken pool does not show which item broke it; an item that breaks a pool of its own is to blame.
TOGETHER = 2
# So many items a process are under way or wait for it: one that is under way costs memory on both sides.
AHEAD = 4
# Of a pool in this process: what hands out its items, and what feeds their queue.
_THREADS = 2


@record
class WorkerPool(Generic[Ready, Item, Answer]):
    """How many processes work, what each does with an item, and what it prepares from a pack.

    Forked processes inherit what ``begin`` made; if forking is not safe, each makes it anew. ``work`` and ``begin``
    must be picklable.
    """

    processes: int
    work: Callable[[Ready, Item], Answer]
    begin: Callable[[Pack], Ready]

    def answers(self, items: Mapping[int, Item], pack: Pack) -> Iterator[tuple[int, Answer | None]]:
        """Each item's number and answer as it comes; None for an item that keeps killing its process."""
        left = dict(items)
        ready = self.begin(pack) if _forks() else None
        for _ in range(TOGETHER):
            for number, answer in self._tried(left, pack, ready, self.processes):
                del left[number]
                yield number, answer
        for number, item in left.items():
            yield next(self._tried({number: item}, pack, ready, 1), (number, None))

    def _tried(
        self, items: Mapping[int, Item], pack: Pack, ready: Ready | None, processes: int
    ) -> Iterator[tuple[int, Answer | None]]:
        """The answers of a pool, until it breaks."""
        if not items:
            return
        given = self.work, self.begin, pack, ready
        waiting = iter(tuple(items))
        running: dict[Future[Answer], int] = {}
        with process_pool(min(processes, len(items)), _begin, given, given) as pool, suppress(BrokenProcessPool):
            while True:
                for number in islice(waiting, processes * AHEAD - len(running)):
                    running[pool.submit(_work, items[number])] = number
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(future)
                    with suppress(BrokenProcessPool):
                        yield number, future.result()


def default_processes() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def process_pool(
    processes: int, begin: Callable[[Any], None], forked: Any, spawned: Any
) -> Iterator[ProcessPoolExecutor]:
    """Forked processes inherit what is compiled; if forking is not safe, each starts from pickled data.

    Where the work is broken off, they end in the midst of it: a pool waits for what is under way, and for what is next.
    """
    need_threads(processes + _THREADS)
    context: Any = multiprocessing.get_context("fork" if _forks() else "spawn")
    given = forked if _forks() else spawned
    ending, end = context.Pipe(duplex=False)
    with ending, end, ProcessPoolExecutor(processes, context, _begun, (begin, given, ending)) as pool:
        try:
            yield pool
        except BaseException:
            end.send_bytes(b"end")
            raise


def _forks() -> bool:
    """Whether it is safe here for a process with threads to fork."""
    return sys.platform == "linux"


def _begun(begin: Callable[[Any], None], given: Any, ending: Connection) -> None:
    # Ctrl-C reaches all processes of a terminal: the first one says what comes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(RuntimeError):  # where no further thread may be started, only a killed parent is not seen
        threading.Thread(target=_end_with_parent, args=(ending,), name="parent", daemon=True).start()
    begin(given)
    # Objects from before the fork stay: scanning them for garbage takes long, and copies the inherited memory.
    gc.freeze()


def _end_with_parent(ending: Connection) -> None:
    """End this process once the one that started it says so, or is gone: one that was killed ends nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection_wait([ending, parent.sentinel])
        os._exit(1)


class _Here:
    """What this process does with an item, and what it has prepared for that."""

    work: Callable[[Any, Any], Any]
    ready: Any


def _begin(given: tuple[Callable[[Any, Any], Any], Callable[[Pack], Any], Pack, Any]) -> None:
    _Here.work, begin, pack, ready = given
    _Here.ready = begin(pack) if ready is None else ready


def _work(item: Any) -> Any:
    return _Here.work(_Here.ready, item)
