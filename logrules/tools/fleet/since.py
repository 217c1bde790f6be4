"""A moment as people name it on a command line: so long ago or from now, or a date."""

import re
import time
from datetime import UTC, datetime

from logrules.model.errors import LogrulesError
from logrules.ruleset.duration import UNITS_S


def moment(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` ago or ``2025-06-01[T12:00]`` (UTC). Raises LogrulesError."""
    span = _span(text)
    return _date("--since", text) if span is None else time.time() - span  # noqa: TID251 (the command line looks at the clock)


def coming(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` from now or of a date (UTC). Raises LogrulesError."""
    span = _span(text)
    return _date("--snooze", text) if span is None else time.time() + span  # noqa: TID251 (the command line looks at the clock)


def _span(text: str) -> float | None:
    found = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    return int(found[1]) * UNITS_S[found[2]] if found else None


def _date(option: str, text: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise LogrulesError(f"{option} {text}: say 24h, 7d or a date such as 2025-06-01") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
