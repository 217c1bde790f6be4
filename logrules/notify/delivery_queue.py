"""News handed over one after another, each by a process of its own that goes on where the watcher ends."""

import queue
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress

from logrules.notify.delivery import started
from logrules.notify.task_queue import WAITING
from logrules.output.escape import safe
from logrules.sources.wall_clock import now

_MAX_REASON_CHARS = 300


class DeliveryQueue:
    """Has deliveries made in order. ``complain`` is told of those that fail while we live, in one sentence."""

    def __init__(self, name: str, complain: Callable[[str], None]) -> None:
        self._name = name
        self._complain = complain
        self._queue: queue.Queue[bytes | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, delivery: bytes) -> None:
        """Have it done soon; where too many wait already, it is left out and that is said."""
        try:
            self._queue.put_nowait(delivery)
        except queue.Full:
            self._complain(f"{self._name}: too slow, one was left out")

    def close(self, limit_s: float) -> None:
        """Start what still waits, all at once, and hear for so long of what fails. What was started goes on."""
        until = now() + limit_s
        left = []
        with suppress(queue.Empty):
            while True:
                left.append(self._queue.get_nowait())
        started_now = [
            one for delivery in left if delivery is not None and (one := self._started(delivery)) is not None
        ]
        with suppress(queue.Full):
            self._queue.put_nowait(None)
        hearing = [threading.Thread(target=self._hear_of, args=(one,), daemon=True) for one in started_now]
        for thread in hearing:
            thread.start()
        for thread in (self._thread, *hearing):
            thread.join(max(until - now(), 0.0))

    def _run(self) -> None:
        while (delivery := self._queue.get()) is not None:
            process = self._started(delivery)
            if process is not None:
                self._hear_of(process)

    def _started(self, delivery: bytes) -> subprocess.Popen[bytes] | None:
        try:
            return started(delivery)
        except OSError as fault:
            self._complain(f"{self._name}: cannot be told ({(fault.strerror or str(fault)).lower()})")
            return None

    def _hear_of(self, process: subprocess.Popen[bytes]) -> None:
        said = process.communicate()[0].decode(errors="replace")[:_MAX_REASON_CHARS]
        if process.returncode:
            self._complain(f"{self._name}: {safe(said) or 'not delivered'}")
