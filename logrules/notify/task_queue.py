"""What listeners have done for them that may take its time: in a thread of its own, never in the job's way.

News is handed over by processes of their own, which go on where the watcher ends.
"""

import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

from logrules.model.errors import reason_of
from logrules.notify.delivery import started
from logrules.output.escape import safe
from logrules.sources.wall_clock import now

Task = TypeVar("Task")
# More than so many waiting tell nobody anything new.
_WAITING = 16
_MAX_REASON_CHARS = 300


class TaskQueue(Generic[Task]):
    """Has tasks ``done`` one after another. ``complain`` is told of those that fail, in one sentence."""

    def __init__(self, name: str, complain: Callable[[str], None], done: Callable[[Task], None]) -> None:
        self._name = name
        self._complain = complain
        self._done = done
        self._queue: queue.Queue[tuple[Task] | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, task: Task) -> None:
        """Have it done soon; where too many wait already, it is left out and that is said."""
        try:
            self._queue.put_nowait((task,))
        except queue.Full:
            self._complain(f"{self._name}: too slow, one was left out")

    def close(self, limit_s: float) -> None:
        """Wait for those that were begun or wait, at most so long; what was not done by then is said."""
        until = now() + limit_s
        with suppress(queue.Full):
            self._queue.put(None, timeout=limit_s)
        self._thread.join(max(until - now(), 0.0))
        if self._thread.is_alive():
            self._complain(f"{self._name}: still running when the job ended; not waited for")

    def _run(self) -> None:
        while (waiting := self._queue.get()) is not None:
            try:
                self._done(*waiting)
            except Exception as fault:  # noqa: BLE001 (the next one is done all the same)
                self._complain(f"{self._name}: {fault}")


class DeliveryQueue(TaskQueue[bytes]):
    """Has deliveries made in order. ``complain`` is told of those that fail while we live, in one sentence."""

    def __init__(self, name: str, complain: Callable[[str], None]) -> None:
        super().__init__(name, complain, self._deliver)

    def close(self, limit_s: float) -> None:
        """Start what still waits, all at once, and hear for so long of what fails. What was started goes on."""
        until = now() + limit_s
        processes = [one for delivery in list(self._waiting()) if (one := self._started(delivery)) is not None]
        with suppress(queue.Full):
            self._queue.put_nowait(None)
        hearing = [threading.Thread(target=self._hear_of, args=(one,), daemon=True) for one in processes]
        for thread in hearing:
            thread.start()
        for thread in (self._thread, *hearing):
            thread.join(max(until - now(), 0.0))

    def _waiting(self) -> Iterator[bytes]:
        with suppress(queue.Empty):
            while True:
                yield from self._queue.get_nowait() or ()

    def _deliver(self, delivery: bytes) -> None:
        process = self._started(delivery)
        if process is not None:
            self._hear_of(process)

    def _started(self, delivery: bytes) -> subprocess.Popen[bytes] | None:
        try:
            return started(delivery)
        except OSError as fault:
            self._complain(f"{self._name}: was not notified ({reason_of(fault)})")
            return None

    def _hear_of(self, process: subprocess.Popen[bytes]) -> None:
        said = process.communicate()[0].decode(errors="replace")[:_MAX_REASON_CHARS]
        if process.returncode:
            self._complain(f"{self._name}: {safe(said) or 'not delivered'}")
