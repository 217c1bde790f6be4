"""Signals handed to a job by a thread: a handler may interrupt anything, a lock that is held included.

A handler therefore only writes the signal's number to a pipe.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

from logrules.cli.watched_job import ENDING, Job

_ENDING = frozenset((*ENDING, "SIGQUIT"))
_READ_BYTES = 256


class SignalRelay:
    """Passes signals on to a job. ``ended_by`` is the name of the last one that asks a program to end."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._out, self._in = os.pipe()
        os.set_blocking(self._in, False)
        self._last: frozenset[int] = frozenset()
        self.ended_by: str | None = None
        self._thread = Thread(target=self._run, name="signals", daemon=True)
        self._thread.start()

    def arrived(self, number: int, _frame: object) -> None:
        """The handler: what has ended the watching once does so at once when it comes again."""
        if number in self._last:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        # A full pipe holds more signals than anybody meant.
        with suppress(BlockingIOError):
            os.write(self._in, bytes([number]))

    def close(self) -> None:
        """No handler writes any more: pass on what came, and end."""
        os.close(self._in)
        self._thread.join()
        os.close(self._out)

    def _run(self) -> None:
        while numbers := os.read(self._out, _READ_BYTES):
            for number in numbers:
                name = signal.Signals(number).name
                if name in _ENDING:
                    self.ended_by = name
                if self._job.signalled(number):
                    self._last |= {number}


@contextmanager
def signals_of(job: Job) -> Iterator[SignalRelay]:
    """While this lasts, signals go to the job."""
    numbers = [getattr(signal, name) for name in job.signals if hasattr(signal, name)]
    relay = SignalRelay(job)
    before = {number: signal.signal(number, relay.arrived) for number in numbers}
    try:
        yield relay
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        relay.close()
