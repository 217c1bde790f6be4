"""How much of a screen a text takes, and texts cut to what there is room for."""

from itertools import takewhile
from operator import eq
from unicodedata import east_asian_width

from logrules.model.late_pattern import late_pattern

_TAB = 8
# The width for which a report of one screen is laid out.
COLUMNS = 100
_LONGEST_SENTENCE = 3 * COLUMNS
# Fewer letters and digits than these say nothing beside another line: rulers, brackets, the rest of a bar.
_LEAST_SAID = 3
# More of one sign than anybody reads.
_REPEATED = late_pattern(r"([^\w.])\1{9,}")
_SENTENCE_END = late_pattern(r"(?<=[.!?])\s+|(?<=[。！？])")


def columns_of(text: str) -> int:
    """The columns of a terminal that the text takes; characters of East Asian scripts take two."""
    if text.isascii():
        return len(text.expandtabs(_TAB))
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text.expandtabs(_TAB))


def lines_taken(indent: int, text: str, columns: int, hang: int = 0) -> int:
    """The lines that the text takes of so many columns behind its indent and, from the second on, ``hang``."""
    room = max(columns - indent - hang, 1)
    return max(1, -(-(columns_of(text) - hang) // room))


def clipped(text: str, columns: int) -> str:
    """The text, cut with an ellipsis where it takes more columns than these."""
    if columns_of(text) <= columns:
        return text
    kept, used = [], 1
    for char in text.expandtabs(_TAB):
        used += columns_of(char)
        if used > columns:
            break
        kept.append(char)
    return "".join(kept) + "…"


def shortened(text: str, columns: int) -> str:
    """The text of a person, cut between two words where it takes more columns than these."""
    cut = clipped(text, columns)
    whole, blank, _ = cut.rpartition(" ")
    return f"{whole} …" if cut != text and blank and columns_of(whole) > columns // 2 else cut


def first_sentences(text: str, columns: int) -> str:
    """As many whole sentences as fit into so many columns, at least one: only one that nobody would read is cut."""
    shown = ""
    for sentence_of in _SENTENCE_END.split(text.strip()):
        joined = f"{shown} {sentence_of}" if shown and shown[-1].isascii() else shown + sentence_of
        if columns_of(joined) > columns and shown:
            break
        shown = joined
    return shortened(shown, max(columns, _LONGEST_SENTENCE))


def condensed(line: str) -> str:
    """The line with what a bar or a ruler repeats said once, so that there is room for what stands behind it."""
    return _REPEATED.sub(lambda run: run[1] * 3 + "…", line.strip())


def says_something(line: str, beside: str) -> bool:
    """Whether a line is worth showing beside another: it has words of its own behind what both begin with."""
    shared = sum(takewhile(bool, map(eq, line, beside)))
    return sum(map(str.isalnum, line[shared:])) >= _LEAST_SAID
