"""Numbers of lines in front of each line: of an editor, a pager, a page, of `cat -n` and of `grep -n`."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from logrules.model.late_pattern import late_pattern
from logrules.sources.copied_form import Rewrite

_FEWEST_LINES = 5
# Ranks and steps begin with low numbers: fewer lines, and of one kind, show that lines so far on were searched for.
_FAR, _FEWEST_FAR = 1_000, 3
_NUMBERED_SHARE, _RISING_SHARE, _NEXT_SHARE = 0.9, 0.95, 0.7
# One kind of line is a table, or says how far a loop has come: its first number is its own.
_KIND_SHARE, _FEWEST_KINDS = 0.8, 4
_KIND_CHARS = 24
_FILE = rb"(?:(?P<file>[^\s:]{0,200}\.[A-Za-z]\w{0,9})[:-])?"
# What stands behind the number; of `grep`, a colon where the line was searched for, a hyphen where it stands beside.
_ENDS = (
    rb"(?:\t|\r?$)",
    rb"[ \t]*(?:\xe2\x94\x82|\xe2\x94\x83|\|)",
    rb"[:-](?!\d\d:)",
    rb"[.)](?=[ \t]|\r?$)",
    rb"\]",
    rb"(?=[ \t]|\r?$)",
)
_COLUMNS = tuple(
    late_pattern(rb"^[ \t]*\[?" + _FILE + rb"L?(?P<number>\d{1,7})" + end + rb"(?P<rest>[^\n]*)", re.MULTILINE)
    for end in _ENDS
)
_DIGITS = late_pattern(rb"\d+(?:\.\d+)?")
# As `cat -n` and `nl` number lines, `grep -Hn` and pages: nothing else does so.
_COUNTED = late_pattern(rb"(?=[ \d]{6}\t) *\d+\t|L\d|[^\s:]+\.[A-Za-z]\w{0,9}[:-]\d")
_WORD = late_pattern(rb"[A-Za-z]{2}")
_BLANK_LINE = late_pattern(rb"^[ \t\r]*\n", re.MULTILINE)


def numbers_of(head: bytes) -> Rewrite | None:
    """What takes away the numbers of lines that begin so; None where what stands in front are none."""
    lines = head.count(b"\n") - len(_BLANK_LINE.findall(head))
    for end, column in zip(_ENDS, _COLUMNS, strict=True):
        found = list(column.finditer(head))
        searched = end is _ENDS[2]
        far = searched and bool(found) and int(found[0]["number"]) >= _FAR
        if len(found) < max(_FEWEST_FAR if far else _FEWEST_LINES, _NUMBERED_SHARE * lines):
            continue
        if not _count(found, searched=searched):
            continue
        counted = far or all(map(_COUNTED.match, (one[0] for one in found)))
        if not (counted or _vary([one["rest"] for one in found])):
            continue
        blanks = _blanks_of([one["rest"] for one in found])
        taken = rb"^[ \t]*\[?" + _FILE + rb"L?\d{1,7}" + end + rb" {0,%d}" % blanks
        return partial(re.compile(taken, re.MULTILINE).sub, b"")
    return None


def _count(found: Sequence["re.Match[bytes]"], *, searched: bool) -> bool:
    """Whether the numbers rise by one. Those of lines that were searched for need only rise, and not evenly.

    Ranks are counted from zero, and a label of them names no lines.
    """
    numbers = [int(one["number"]) for one in found]
    steps = [after - before for before, after in pairwise(numbers)]
    if numbers[0] == 0 or sum(step > 0 for step in steps) < _RISING_SHARE * len(steps):
        return False
    evenly = Counter(steps).most_common(1)[0]
    if evenly[0] == 1 and evenly[1] >= _NEXT_SHARE * len(steps):
        return True
    return searched and (found[0]["file"] is not None or evenly[1] < _NEXT_SHARE * len(steps))


def _vary(texts: Sequence[bytes]) -> bool:
    """Whether these are lines of many kinds, of words."""
    kinds = Counter(_DIGITS.sub(b"0", text.strip()[:_KIND_CHARS]) for text in texts)
    kinds.pop(b"", None)
    worded = sum(_WORD.search(text) is not None for text in texts)
    told = sum(kinds.values())
    return len(kinds) >= _FEWEST_KINDS and max(kinds.values()) <= _KIND_SHARE * told and 2 * worded >= told


def _blanks_of(texts: Sequence[bytes]) -> int:
    """How many blanks stand between the numbers and the lines: as many as everywhere."""
    return min((len(text) - len(text.lstrip(b" ")) for text in texts if text.strip()), default=0)
