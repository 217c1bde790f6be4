"""What a line of progress shows: its words and counters without the time at which it was printed; how its bar moves."""

import re
from functools import lru_cache

from logrules.model.late_pattern import late_pattern

MAX_CHARS = 2_000
# tqdm's bracket: time gone, time left, rate, and whatever the script appends.
_BRACKET = late_pattern(r"\[\d+:\d\d.*")
# Nearly all places of a line are passed over by their letter, and a number that has no unit is given up at once.
_PASSING = late_pattern(
    r"(?=[\datrewupc\u2800-\u28ff])(?:"
    r"\d++:\d\d(?::\d\d)?(?:\.\d+)?"  # a clock, or a time as a clock shows it
    r"|\d[\d.,]*+ ?(?:(?:it|s|B|[kKMGT]i?B)/(?:it|s|sec)|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
    r"|(?:attempts?|retry|retries|retrying|try|tries|trying|elapsed|waited|wait iteration|uptime|polls?|checks?)"
    r"\W{1,4}\d[\d.,]*"
    r"(?: ?(?:/|of|out of) ?\d+)?"
    r"|\d++ (?:attempts?|retries|tries|polls?|checks?|times)\b"
    r"|[\u2800-\u28ff])",  # what turns beside a bar
    re.IGNORECASE,
)
_LABEL = late_pattern(r"[\u2800-\u28ff\s]*([^\d%|━╸╺]*)")
_FULL = late_pattern(r"\b100%(?:\|| Completed \|)")
_TOTAL = late_pattern(r"%\|[^|]{0,400}\| *[\d.,]+[kKMGT]?/([\d.,]+[kKMGT]?) ?\[")


# Each line is compared with the one before it: half of the work was done then.
@lru_cache(maxsize=256)
def progress_key(text: str) -> str:
    """The line without what changes by itself as time passes: two lines of one key show that nothing moved."""
    return _PASSING.sub("", _BRACKET.sub("", text[:MAX_CHARS])).strip()


def label_of(text: str) -> str:
    """What a bar calls itself: what stands before its first figure or stroke, without what turns beside it."""
    found = _LABEL.match(text[:MAX_CHARS])
    return found[1].strip() if found else ""


def bar_of(text: str) -> tuple[str, str] | None:
    """What tells a bar from others, what it calls itself and how much it counts; None for what is no bar."""
    found = _TOTAL.search(text[:MAX_CHARS])
    return (label_of(text), found[1]) if found else None


def is_full(text: str) -> bool:
    """Whether it shows a bar that stands at its end."""
    return _FULL.search(text[:MAX_CHARS]) is not None


# tqdm's own words: how much [of how much] [time gone<time left, rate].
_DRAWN = late_pattern(
    r"(?:^|[\s|])(?P<count>\d+(?:\.\d+)?)(?P<scale>[kMGTP]?)"
    r"(?:/(?P<total>\d+(?:\.\d+)?)(?P<total_scale>[kMGTP]?)|\s?[A-Za-z]{1,20})? "
    r"\[(?P<gone>\d+(?::\d\d){1,2})(?:<\d+(?::\d\d){1,2})?, +"
    r"(?P<rate>\d+(?:\.\d+)?)(?P<rate_scale>[kMGTP]?)(?P<slow>s/)?"
)
_GONE = late_pattern(r"\[(\d{1,6}(?::\d\d){1,2})(?:[<,]|\s*\Z)")
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
# The first round has shown no pace: it may have been the only one.
_ROUNDS = 2
# The rate is that of the last rounds: well below the average, they are the last before it stands still.
_SLOWER = 4.0
# The last hundredth is mostly told before it is written.
_ALL_BUT_DONE = 0.99


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
    if total is not None and count >= _ALL_BUT_DONE * total:
        return False
    a_second = 1 / rate if drawn["slow"] else rate
    return a_second * _SLOWER >= count / gone


def _scaled(drawn: re.Match[str], figure: str, scale: str) -> float:
    return float(drawn[figure]) * _SCALES[drawn[scale]]


def _seconds(clock: str) -> int:
    return sum(int(part) * 60**place for place, part in enumerate(reversed(clock.split(":"))))
