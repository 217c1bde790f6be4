"""A moment as people name it on a command line: so long ago, or a date."""

import re
import time
from datetime import UTC, datetime

from logrules.model.errors import LogrulesError

_UNITS_S = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


def moment(text: str) -> float:
    """Seconds since the epoch of ``24h``, ``7d`` or ``2025-06-01[T12:00]`` (UTC). Raises LogrulesError."""
    ago = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    if ago:
        return time.time() - int(ago[1]) * _UNITS_S[ago[2]]  # noqa: TID251 (the command line looks at the clock)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise LogrulesError(f"--since {text}: say 24h, 7d or a date such as 2025-06-01") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
