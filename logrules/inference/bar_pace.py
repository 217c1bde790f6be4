"""What a bar tells of time: for how long it has run, and whether it moved at the last as it had moved before."""

import re

from logrules.inference.progress_key import MAX_CHARS
from logrules.model.late_pattern import late_pattern

# tqdm's own words: how much [of how much] [time gone<time left, rate].
_DRAWN = late_pattern(
    r"(?:^|[\s|])(?P<count>\d+(?:\.\d+)?)(?P<scale>[kMGTP]?)"
    r"(?:/(?P<total>\d+(?:\.\d+)?)(?P<total_scale>[kMGTP]?)|\s?[A-Za-z]{1,20})? "
    r"\[(?P<gone>\d+(?::\d\d){1,2})(?:<\d+(?::\d\d){1,2})?, +"
    r"(?P<rate>\d+(?:\.\d+)?)(?P<rate_scale>[kMGTP]?)(?P<slow>s/)?"
)
_GONE = late_pattern(r"\[(\d{1,6}(?::\d\d){1,2})[<,]")
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
# The first round has shown no pace: it may have been the only one.
_ROUNDS = 2
# The rate is that of the last rounds: well below the average, they are the last before it stands still.
_SLOWER = 4.0
# The last hundredth is mostly told before it is written.
_FULL = 0.99


def time_gone(text: str) -> int | None:
    """For how many seconds a bar had run when it was drawn; None for what is no bar."""
    found = _GONE.search(text[:MAX_CHARS])
    return _seconds(found[1]) if found is not None else None


def moves_at_its_pace(text: str) -> bool:
    """Whether the line is of a bar that has time to go and moved, at the last, about as fast as ever."""
    drawn = _DRAWN.search(text[:MAX_CHARS])
    if drawn is None:
        return False
    count, rate = _scaled(drawn, "count", "scale"), _scaled(drawn, "rate", "rate_scale")
    total = _scaled(drawn, "total", "total_scale") if drawn["total"] else None
    gone = max(_seconds(drawn["gone"]), 1)
    if count < _ROUNDS or not rate:
        return False
    if total is not None and count >= _FULL * total:
        return False
    a_second = 1 / rate if drawn["slow"] else rate
    return a_second * _SLOWER >= count / gone


def _scaled(drawn: re.Match[str], figure: str, scale: str) -> float:
    return float(drawn[figure]) * _SCALES[drawn[scale]]


def _seconds(clock: str) -> int:
    return sum(int(part) * 60**place for place, part in enumerate(reversed(clock.split(":"))))
