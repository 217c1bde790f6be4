"""Which of many lines of one kind are the last of one of several writers: one that fell silent is to be seen again.

Where a window is full of lines of a kind, the last of them are those of whoever writes still. Who writes is told by how
lines open, a prefix that comes again and again: whatever it means, at most a few more lines are read for it.
"""

from array import array
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


def opening_of(line: bytes, at: int = 0) -> bytes | None:
    """How the line at this place opens behind a time, up to its first colon or closing bracket; None with none near."""
    found = _OPENING.match(line, at)
    return found[1] if found is not None else None


def last_of_each(data: bytes, found: Hits, bounds: "array[int]", alike: "array[int]", share: int) -> set[int]:
    """Of the lines of a kind the last of each writer, where the last ``share`` of all hold fewer of its.

    The first ``share`` are read anyway.
    """

    def opening(nth: int) -> bytes | None:
        return opening_of(data, data.rfind(b"\n", 0, found.ends[bounds[nth]] - 1) + 1)

    openings = [opening(nth) for nth in alike[:_READ]]
    writers = {each for each in openings if each is not None}
    if not 1 < len(writers) <= min(MAX_WRITERS, len(openings) // _TWICE):
        return set()
    late = Counter(map(opening, alike[-share:]))
    missing = {writer: LAST_LINES - late[writer] for writer in writers if late[writer] < LAST_LINES}
    kept: set[int] = set()
    for nth in reversed(alike[share:-share]):
        if not missing:
            break
        writer = opening(nth)
        if writer in missing:
            kept.add(nth)
            missing[writer] -= 1
            if not missing[writer]:
                del missing[writer]
    return kept
