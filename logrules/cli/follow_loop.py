"""Following a job and telling listeners, neither of which may ever harm the job."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from logrules.cli.watch_targets import Job
from logrules.engine.follow import Following
from logrules.model.report import Report
from logrules.notify.listener import Listener

Complain = Callable[[str], None]


def follow(following: Following, listeners: Sequence[Listener], complain: Complain) -> Report | None:
    """Follow to the end; the last report, or None where the analysis broke down, which is said in one sentence."""
    told = list(listeners)
    try:
        for update in following:
            for listener in tuple(told):
                try:
                    listener.hear(update, following.report)
                except Exception as fault:  # noqa: BLE001 (one that fails is dropped, whatever it was)
                    told.remove(listener)
                    complain(f"{type(listener).__name__.lower()} failed and is told no more ({_reason(fault)})")
        return following.report()
    except Exception as fault:  # noqa: BLE001 (the job runs on, whatever it was)
        complain(f"the analysis broke down and is off ({_reason(fault)}); the log is passed on as before")
        return None
    finally:
        _close(listeners, complain)


def _close(listeners: Sequence[Listener], complain: Complain) -> None:
    for listener in listeners:
        try:
            listener.close()
        except Exception as fault:  # noqa: BLE001 (the others are closed all the same)
            complain(f"{type(listener).__name__.lower()} failed at the end ({_reason(fault)})")


def _reason(fault: BaseException) -> str:
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


@contextmanager
def signals_of(job: Job) -> Iterator[None]:
    """While this lasts, signals go to the job; what ends the watching does so at once when it comes again."""

    def arrived(number: int, _frame: object) -> None:
        if job.signalled(number):
            signal.signal(number, signal.SIG_DFL)

    numbers = [getattr(signal, name) for name in job.signals if hasattr(signal, name)]
    before = {number: signal.signal(number, arrived) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
