"""Whose traceback it is that begins on a line of its own, below the message of who logs it.

``logging.exception`` prints a message with all that its format has, and below it the bare traceback. What stands above
a traceback may as well be the routine of another process, so that the message has to tell of an exception, or to be an
error by its level.
"""

import re
from collections.abc import Callable

from logrules.model.event import Event, Level
from logrules.parsing.header import Header

_HEAD = "Traceback (most recent call last)"
_TELLS = re.compile(r"(?i)\b(?:exception|error|traceback|crash(?:ed)?|fail(?:ed|ure)|died|raised)\b")
_MAX_READ = 2_000


def announced_by(event: Event, peel: Callable[[str], Header]) -> Header | None:
    """The header of the line above that tells of this traceback; None where the traceback bears one of its own.

    ``event`` begins a traceback and has the lines above it; ``peel`` takes the header from a line.
    """
    if event.worker.is_process or not event.before or not event.message.startswith(_HEAD):
        return None
    above = peel(event.before[-1][:_MAX_READ])
    if above.level is not None and above.level < Level.ERROR:
        return None
    tells = above.level is not None or _TELLS.search(above.message) is not None
    names = any(part is not None for part in (above.host, above.role, above.pid, above.rank))
    return above if tells and names else None
