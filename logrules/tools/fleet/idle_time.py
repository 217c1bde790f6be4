"""How long a job stood idle before it ended, and on how many GPUs."""

import re
from collections.abc import Callable, Sequence
from itertools import chain

from logrules.model.report import Diagnosis
from logrules.ruleset.duration import UNITS_S

_MAX_CHARS = 2_000
_WEEK_S = 604_800.0
_GAVE_UP = re.compile(r"time[-_ ]?out|timed[- ]out|gave up|heartbeat|unresponsive|stuck|no progress", re.IGNORECASE)
_HOW_LONG = re.compile(
    r"\(ms\)\s*[=:]\s*(?P<bare>\d{1,12})"
    r"|(?<![\w.])(?P<count>\d{1,12}(?:\.\d{1,6})?)\s?"
    r"(?P<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b",
    re.IGNORECASE,
)


def waited_s(text: str) -> float:
    """How many seconds a line about a time-out says that was waited; 0 for any other line."""
    text = text[:_MAX_CHARS]
    if not _GAVE_UP.search(text):
        return 0.0
    return max((seconds for found in _HOW_LONG.finditer(text) if (seconds := _seconds(found)) <= _WEEK_S), default=0.0)


def _seconds(found: re.Match[str]) -> float:
    if found["bare"]:
        return float(found["bare"]) * UNITS_S["ms"]
    unit = found["unit"].lower()
    return float(found["count"]) * UNITS_S["ms" if unit == "ms" or unit.startswith("milli") else unit[0]]


def idle_since(found: Sequence[Diagnosis], went_on: float | None, plausible: Callable[[float], bool]) -> float | None:
    """Since when nothing moved, in seconds since the epoch, by lines whose times are ``plausible``.

    Since the last progress; or, where a wait timed out after it that had begun earlier, since that began. Without
    progress, since the evidence of the first diagnosis.
    """
    dated = [
        (place, line.time, line.text)
        for place, one in enumerate(found)
        for line in one.lines
        if line.time is not None and plausible(line.time)
    ]
    timed_out = [
        at - waited for _, at, text in dated if (went_on is None or at >= went_on) and (waited := waited_s(text))
    ]
    if went_on is not None:
        return min([went_on, *timed_out])
    return min([*(at for place, at, _ in dated if place == 0), *timed_out], default=None)


def longest_wait_s(found: Sequence[Diagnosis]) -> float | None:
    """The longest wait that timed out, in seconds, by what its lines say; for logs that bear no times."""
    return max((waited_s(line.text) for line in chain.from_iterable(one.lines for one in found)), default=0.0) or None


def gpu_hours(lost_s: float | None, gpus: int | None) -> float | None:
    """GPU-hours that idle seconds cost; None where either is not known."""
    return None if lost_s is None or gpus is None else lost_s * gpus / 3600
