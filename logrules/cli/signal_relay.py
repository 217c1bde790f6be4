"""Signals handed to a job by a thread: a handler may interrupt anything, a lock that is held included.

A signal's number is therefore only written to a pipe, by Python itself in the moment in which the signal comes
(`signal.set_wakeup_fd`). A handler of ours would run in the main thread alone, which waits for the analysis: a signal
that another thread takes, or that comes just before it begins to wait, would lie there until the next one.
"""

import os
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Thread

from logrules.cli.watched_job import ENDING, Job
from logrules.sources.wall_clock import steady

_ENDING = frozenset((*ENDING, "SIGQUIT"))
_READ_BYTES = 256
# What comes again so soon is the same: `timeout` and launchers signal a process and then its group, it included.
_SAME_S = 0.5
# How a shell tells that a signal ended a program.
_ENDED_BY = 128


class SignalRelay:
    """Passes signals on to a job: their numbers come as bytes through a pipe, which is written to at ``wakeup_fd``."""

    def __init__(self, job: Job, numbers: Collection[int]) -> None:
        self._job = job
        self._numbers = numbers
        self._out, self.wakeup_fd = os.pipe()
        os.set_blocking(self.wakeup_fd, False)
        self._last: dict[int, float] = {}
        self._thread = Thread(target=self._run, name="signals", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Nobody writes any more: pass on what came, and end."""
        os.close(self.wakeup_fd)
        self._thread.join()
        os.close(self._out)

    def _run(self) -> None:
        while numbers := os.read(self._out, _READ_BYTES):
            for number in numbers:
                if number in self._numbers:
                    self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        """Hand it to the job; what has ended the watching once does so at once when it comes again."""
        if number in self._last:
            if steady() - self._last[number] < _SAME_S:
                return
            os._exit(_ENDED_BY + number)
        if signal.Signals(number).name in _ENDING:
            self._job.ask_to_end(number)
        if self._job.signalled(number):
            self._last[number] = steady()


@contextmanager
def signals_of(job: Job) -> Iterator[None]:
    """While this lasts, signals go to the job. For the main thread."""
    numbers = [getattr(signal, name) for name in job.signals if hasattr(signal, name)]
    relay = SignalRelay(job, numbers)
    # A full pipe holds more signals than anybody meant.
    woken = signal.set_wakeup_fd(relay.wakeup_fd, warn_on_full_buffer=False)
    before = {number: signal.signal(number, _taken) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        relay.close()


def _taken(_number: int, _frame: object) -> None:
    """Python writes the numbers of signals that have a handler, and of no others."""
