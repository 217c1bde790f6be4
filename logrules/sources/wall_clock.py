"""The only clock: seconds since the epoch that never jump, and those that others go by."""

import time
from collections.abc import Callable
from typing import TypeAlias

Now: TypeAlias = Callable[[], float]

# A clock that is set during a run must not make a silence: only the start is taken from it.
_STARTED = time.time() - time.monotonic()  # noqa: TID251 (this is the place)


def now() -> float:
    """Seconds since the epoch, by a clock that runs evenly."""
    return since_epoch(steady())


def steady() -> float:
    """Seconds by the clock that nobody sets and that all processes of a machine share: for what lasted."""
    return time.monotonic()  # noqa: TID251 (this is the place)


def since_epoch(moment: float) -> float:
    """A moment of the steady clock in seconds since the epoch."""
    return _STARTED + moment


def system_time() -> float:
    """Seconds since the epoch as another machine would read them: for what it is to compare, never for what lasted."""
    return time.time()  # noqa: TID251 (this is the place)
