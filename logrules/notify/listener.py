"""What is asked of anything that is told of a live job, and what does for it what may take its time."""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from logrules.model.change import Update
from logrules.model.report import Report
from logrules.sources.wall_clock import now


class Listener:
    """Takes every update in order. It may take its time only in a thread of its own.

    ``called`` is what complaints call it: the option that asks for it, or what of it a user sees.
    """

    called: str = "a listener"

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Take an update; ``report`` gives all that is known, and is worth calling only where something changed."""

    def close(self, limit_s: float) -> None:
        """The job is over, or nobody listens any more: let go, within ``limit_s``, for its exit status waits."""


Task = TypeVar("Task")
# More than so many waiting tell nobody anything new.
_WAITING = 16


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
