"""What of a line shows that something moved: its words and counters, not the time at which it was printed."""

import re
from functools import lru_cache

_MAX_CHARS = 2_000
# tqdm's bracket: time gone, time left, rate, and whatever the script appends.
_BRACKET = re.compile(r"\[\d+:\d\d.*")
_PASSING = re.compile(
    r"\d+:\d\d(?::\d\d)?(?:\.\d+)?"  # a clock, or a time as a clock shows it
    r"|\d[\d.,]* ?(?:it|s|B|[kKMGT]i?B)/(?:it|s|sec)\b"
    r"|\d[\d.,]* ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
    r"|(?:attempt|retry|retries|try|tries|elapsed|waited|uptime)\W{1,4}\d[\d.,]*(?:/\d+)?",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\d%|]*")


# Each line is compared with the one before it: half of the work was done then.
@lru_cache(maxsize=256)
def progress_key(text: str) -> str:
    """The line without what changes by itself as time passes: two lines of one key show that nothing moved."""
    return _PASSING.sub("", _BRACKET.sub("", text[:_MAX_CHARS])).strip()


def label_of(text: str) -> str:
    """What a bar calls itself: what stands before its first figure."""
    found = _LABEL.match(text[:_MAX_CHARS])
    return found[0].strip() if found else ""
