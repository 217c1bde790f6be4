"""Whether a timeline can be drawn by time, or only by line."""

from collections.abc import Sequence

from logrules.model.report import PhaseSpan

# A line without a time here and there does not undo the axis; a log with few times has none.
_LEAST_SHARE = 0.5


def is_timed(spans: Sequence[PhaseSpan]) -> bool:
    """Whether at least half of the spans have times."""
    timed = sum(span.start is not None and span.end is not None for span in spans)
    return bool(timed) and timed >= _LEAST_SHARE * len(spans)
