"""What of a line shows that something moved: its words and counters, not the time at which it was printed."""

import re
from functools import lru_cache

from logrules.model.late_pattern import late_pattern

MAX_CHARS = 2_000
# tqdm's bracket: time gone, time left, rate, and whatever the script appends.
_BRACKET = late_pattern(r"\[\d+:\d\d.*")
_PASSING = late_pattern(
    r"\d+:\d\d(?::\d\d)?(?:\.\d+)?"  # a clock, or a time as a clock shows it
    r"|\d[\d.,]* ?(?:it|s|B|[kKMGT]i?B)/(?:it|s|sec)\b"
    r"|\d[\d.,]* ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
    r"|(?:attempts?|retry|retries|retrying|try|tries|trying|elapsed|waited|wait iteration|uptime|polls?|checks?)"
    r"\W{1,4}\d[\d.,]*"
    r"(?: ?(?:/|of|out of) ?\d+)?"
    r"|\d+ (?:attempts?|retries|tries|polls?|checks?|times)\b"
    r"|[\u2800-\u28ff]",  # what turns beside a bar
    re.IGNORECASE,
)
_LABEL = late_pattern(r"[\u2800-\u28ff\s]*([^\d%|━╸╺]*)")
_FULL = late_pattern(r"\b100%\|")
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
