"""Times as logs write them, by the forms of a pack: text to a Stamp.

A time without a zone is read as UTC. A form without a year is read in 1972, which has a 29 February;
whoever knows the whole log chooses the year.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

from logrules.model.event import Timestamp
from logrules.ruleset.pack import TimeForm
from logrules.ruleset.pattern import BoundedPattern, bounded

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEARLESS = 1972


def compiled_once(unclocked: Mapping[str, tuple[int, int]]) -> Callable[[str], BoundedPattern]:
    """Gives patterns, each compiled on its first use; ``unclocked`` is how long texts may be that need no clock."""
    return cache(lambda pattern: bounded(pattern, unclocked.get(pattern, (0, 0))))


class TimestampParser:
    """Reads times. The form that fitted last is tried first, since a log keeps to its forms."""

    def __init__(self, forms: Sequence[TimeForm], unclocked: Mapping[str, tuple[int, int]]) -> None:
        """The forms, and the lengths of texts up to which their patterns need no clock (`Pack.unclocked`)."""
        self._in_order = [form.pattern for form in forms]
        self._forms = self._in_order.copy()
        self._compiled = compiled_once(unclocked)

    def for_another(self) -> "TimestampParser":
        """The same for another log, which has forms of its own that fitted last; what is compiled is shared."""
        twin = copy(self)
        twin._forms = self._in_order.copy()  # noqa: SLF001 (a copy of its own kind)
        return twin

    def read(self, text: str) -> Timestamp | None:
        """The time that the whole text says, or None."""
        for place, pattern in enumerate(self._forms):
            try:
                found = self._compiled(pattern).fullmatch(text)
            except TimeoutError:
                return None
            if found is not None:
                if place:
                    self._forms.insert(0, self._forms.pop(place))
                return _stamp(found.groupdict())
        return None


def _stamp(parts: Mapping[str, str | None]) -> Timestamp | None:
    try:
        if epoch := parts.get("epoch"):
            return Timestamp(float(epoch))
        if epoch := parts.get("epoch_ms"):
            return Timestamp(int(epoch) / 1000)
        return Timestamp(_seconds(parts), year_known=bool(parts.get("year")))
    except (ValueError, OverflowError, OSError):
        return None


def _seconds(parts: Mapping[str, str | None]) -> float:
    def number(name: str) -> int:
        return int(parts.get(name) or 0)

    name = parts.get("month_name")
    # A name in a language that is not read is no time.
    month = number("month") if name is None else _MONTHS.index(name[:3].lower()) + 1
    year = number("year") or _YEARLESS
    year += 2000 if len(parts.get("year") or "") == 2 else 0  # noqa: PLR2004 (two digits of a year)
    hour = number("hour")
    if half := parts.get("ampm"):
        hour = hour % 12 + 12 * (half.upper() == "PM")
    day = datetime(
        year, month, number("day"), hour, number("minute"), number("second"), tzinfo=_zone(parts.get("zone"))
    )
    return day.timestamp() + float(f"0.{parts.get('fraction') or 0}")


def _zone(text: str | None) -> timezone:
    if not text or text in "Zz":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return timezone(-offset if text[0] == "-" else offset)
