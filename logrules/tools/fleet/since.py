"""A moment as people name it on a command line: so long ago or from now, or a date."""

import re
import time
from datetime import UTC, datetime

from logrules.model.errors import LogrulesError
from logrules.ruleset.duration import UNITS_S


def moment(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` ago or ``2025-06-01[T12:00]`` (UTC). Raises LogrulesError."""
    return _at("--since", text, -1)


def coming(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` from now or of a date (UTC). Raises LogrulesError."""
    return _at("--snooze", text, 1)


def _at(option: str, text: str, direction: int) -> float:
    """A date, or so long from now in one of the directions."""
    if span := re.fullmatch(r"(\d{1,6})([mhdw])", text):
        return time.time() + direction * int(span[1]) * UNITS_S[span[2]]  # noqa: TID251 (the command line looks at the clock)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise LogrulesError(f"{option} {text}: say 24h, 7d or a date such as 2025-06-01") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
