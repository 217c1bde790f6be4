"""Following a job and telling listeners, neither of which may ever harm the job.

In a flood of lines the analysis stands back behind the job. Otherwise it has the priority of any process: with a lower
one, a machine on which much runs leaves it so little that it falls behind a job that writes no more than usual.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import thread_time

from logrules.engine.follow import Following
from logrules.model.change import Update
from logrules.model.report import Report
from logrules.notify.listener import Listener
from logrules.notify.stall_tracker import StallTracker
from logrules.sources.wall_clock import now

Complain = Callable[[str], None]
# For all listeners together: whoever waits for the job waits for its exit status, which is held back so long.
_CLOSING_S = 0.3


def follow(
    following: Following,
    listeners: Sequence[Listener],
    stalls: StallTracker,
    complain: Complain,
    has_ended: Callable[[], bool] = lambda: False,
) -> Report | None:
    """Follow to the end; the last report, or None where the analysis broke down, which is said in one sentence.

    Once the job ``has_ended``, there is nobody behind whom to stand back.
    """
    told = list(listeners)

    update = Update(0.0, (), 0, 0, 0, ended=False)
    known: Report | None = None  # what this update has come to, for all who ask

    def report() -> Report:
        nonlocal known
        if known is None:
            found = following.report()
            known = stalls.told(found) if update.ended else found
        return known

    try:
        for update in by_priority(following, has_ended):
            known = None
            stalls.on_update(update, following.report)
            for listener in tuple(told):
                try:
                    listener.on_update(update, report)
                except Exception as fault:  # noqa: BLE001 (one that fails is dropped, whatever it was)
                    told.remove(listener)
                    complain(f"{listener.called}: failed, and nothing more goes there ({_reason(fault)})")
        known = None
        return report()
    except Exception as fault:  # noqa: BLE001 (the job runs on, whatever it was)
        complain(f"the analysis failed and is off ({_reason(fault)}); the log is passed on as before")
        return None
    finally:
        _close(listeners, complain)


def _close(listeners: Sequence[Listener], complain: Complain) -> None:
    until = now() + _CLOSING_S
    for listener in listeners:
        try:
            listener.close(max(until - now(), 0.0))
        except Exception as fault:  # noqa: BLE001 (the others are closed all the same)
            complain(f"{listener.called}: failed at the end ({_reason(fault)})")


def _reason(fault: BaseException) -> str:
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


# Where processors are scarce, the analysis of a flood gets a tenth of what the job gets.
_NICE = 10
# What takes more of a core than this share, of what comes in so long, is a flood.
_SHARE, _PERIOD_S = 0.5, 0.5


class Flood:
    """Whether what comes takes much of a core, by when it came: how busy the machine is makes no difference."""

    def __init__(self) -> None:
        self.lasts = False
        self._taken_s = 0.0
        self._since: float | None = None

    def take(self, taken_s: float, came: float) -> None:
        """What came until then took so many seconds of a core."""
        since = self._since = came if self._since is None else self._since
        self._taken_s += taken_s
        if came >= since + _PERIOD_S or self._taken_s > _SHARE * _PERIOD_S:
            self.lasts = self._taken_s > _SHARE * (came - since)
            self._taken_s, self._since = 0.0, came


def by_priority(updates: Iterable[Update], has_ended: Callable[[], bool] = lambda: False) -> Iterator[Update]:
    """The updates as they come; in a flood a thread of lower priority works them out."""
    flood, source = Flood(), iter(updates)

    def work() -> tuple[Update | None, float]:
        begun = thread_time()
        update = next(source, None)
        return update, thread_time() - begun

    with ThreadPoolExecutor(1, "analysis of a flood", initializer=_step_back) as aside:
        while True:
            update, taken_s = aside.submit(work).result() if flood.lasts and not has_ended() else work()
            if update is None:
                return
            flood.take(taken_s, update.now)
            yield update


def _step_back() -> None:
    """Leave the processors to others; only Linux knows this of a thread."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)
