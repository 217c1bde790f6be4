"""Deliveries in the order of the news, each by a process of its own that goes on where the watcher ends."""

import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

from logrules.model.errors import reason_of
from logrules.notify.listener import TaskQueue
from logrules.output.escape import safe
from logrules.sources.wall_clock import now
from logrules.tools.notification.delivery import started

_MAX_REASON_CHARS = 300


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
        told = False
        with process:
            for line in process.stdout or ():
                told = True
                self._complain(f"{self._name}: {safe(line.decode(errors='replace').strip()[:_MAX_REASON_CHARS])}")
        if process.returncode < 0 or (process.returncode and not told):
            self._complain(f"{self._name}: not delivered")
