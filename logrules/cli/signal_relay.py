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


@contextmanager
def signals_of(job: Job) -> Iterator[None]:
    """While this lasts, signals go to the job. For the main thread.

    What whoever started us had ignored, as `nohup` does, stays so, for the job too: a command inherits that, and no
    handler.
    """
    known = (getattr(signal, name) for name in job.signals if hasattr(signal, name))
    numbers = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
    told, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    thread = Thread(target=_pass_on, args=(job, told, numbers), name="signals", daemon=True)
    thread.start()
    # A full pipe holds more signals than anybody meant.
    woken = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    before = {number: signal.signal(number, _taken) for number in numbers}
    # Where it is ignored, the system keeps no exit status of the job for us.
    if os.name == "posix" and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        os.close(wakeup)
        thread.join()
        os.close(told)


def _pass_on(job: Job, told: int, numbers: Collection[int]) -> None:
    """Hand the job what comes; what has ended the watching once does so at once when it comes again."""
    last: dict[int, float] = {}
    while came := os.read(told, _READ_BYTES):
        for number in filter(numbers.__contains__, came):
            if number in last:
                if steady() - last[number] < _SAME_S:
                    continue
                os._exit(_ENDED_BY + number)
            if signal.Signals(number).name in _ENDING:
                job.ask_to_end(number)
            if job.signalled(number):
                last[number] = steady()


def _taken(_number: int, _frame: object) -> None:
    """Python writes the numbers of signals that have a handler, and of no others."""
