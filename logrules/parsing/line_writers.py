"""Which of many lines of one kind are the last of one of several writers: one that fell silent is to be seen again.

Where a window is full of lines of a kind, the last of them are those of whoever writes still. Who writes is told by how
lines open, a prefix that comes again and again: whatever it means, at most a few more lines are read for it.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter

from logrules.model.late_pattern import late_pattern
from logrules.parsing.hits import Hits

# So many of the last lines of each writer are read, as far as its lines are alike.
LAST_LINES = 4
# More openings are none of writers.
MAX_WRITERS = 32
# What a collector or a logger puts in front of that: the time, in the forms that most give it.
_TIME = rb"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d[.,\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]{1,2}"
_OPENING = late_pattern(rb"(?:" + _TIME + rb")?([^\s:\])>|][^:\])>|\r\n]{0,62}[:\])>|])")
# Who writes is read off so many lines at the beginning, in which a writer comes twice.
_READ, _TWICE = 4 * MAX_WRITERS, 2
# Between two lines of the kind a writer may have written so many others.
_TRIES = 64


def opening_of(line: bytes, at: int = 0) -> bytes | None:
    """How the line at this place opens, up to its first colon or closing bracket; None where it has none near.

    What opens the very line has the newline in front: so it is found nowhere else. A time in front of it is left out.
    """
    found = _OPENING.match(line, at)
    if found is None:
        return None
    return found[1] if found.start(1) > at else b"\n" + found[1]


def last_of_each(data: bytes, found: Hits, bounds: "array[int]", alike: "array[int]", share: int) -> set[int]:
    """Of the lines of a kind the last of each writer, where the last ``share`` of all hold fewer of its."""
    openings = [opening_of(data, _start(data, found, bounds, nth)) for nth in alike[:_READ]]
    writers = {opening for opening in openings if opening is not None}
    if not 1 < len(writers) <= min(MAX_WRITERS, len(openings) // _TWICE):
        return set()
    late = Counter(opening_of(data, _start(data, found, bounds, nth)) for nth in alike[-share:])
    before = _start(data, found, bounds, alike[-share])
    kept: set[int] = set()
    for writer in writers:
        if (missing := LAST_LINES - late[writer]) > 0:
            kept |= _last_of(writer, missing, before, data, found, bounds, alike)
    return kept


def _last_of(
    opening: bytes, count: int, before: int, data: bytes, found: Hits, bounds: "array[int]", alike: "array[int]"
) -> set[int]:
    kept: set[int] = set()
    for _ in range(_TRIES):
        at = data.rfind(opening, 0, before)
        if at < 0 or len(kept) == count:
            break
        before = at
        start = at + 1 if opening.startswith(b"\n") else data.rfind(b"\n", 0, at) + 1
        nth = bisect_left(bounds, bisect_right(found.ends, start))
        place = bisect_left(alike, nth)
        # The next line with hits may be another, further down, or of another kind.
        is_alike = nth < len(bounds) - 1 and place < len(alike) and alike[place] == nth
        if is_alike and _start(data, found, bounds, nth) == start and opening_of(data, start) == opening:
            kept.add(nth)
    return kept


def _start(data: bytes, found: Hits, bounds: "array[int]", nth: int) -> int:
    return data.rfind(b"\n", 0, found.ends[bounds[nth]] - 1) + 1
