"""Whose turn on the processors it is: in a flood of lines the analysis stands back behind the job.

Otherwise it has the priority of any process: with a lower one, a machine on which much runs leaves it so little that
it falls behind a job that writes no more than usual.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import thread_time

from logrules.model.change import Update

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


def by_priority(updates: Iterable[Update]) -> Iterator[Update]:
    """The updates as they come; in a flood a thread of lower priority works them out."""
    flood, source = Flood(), iter(updates)

    def work() -> tuple[Update | None, float]:
        begun = thread_time()
        update = next(source, None)
        return update, thread_time() - begun

    with ThreadPoolExecutor(1, "analysis of a flood", initializer=_step_back) as aside:
        while True:
            update, taken_s = aside.submit(work).result() if flood.lasts else work()
            if update is None:
                return
            flood.take(taken_s, update.now)
            yield update


def _step_back() -> None:
    """Leave the processors to others; only Linux knows this of a thread."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)
