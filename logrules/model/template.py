"""What varies in a line, and the line without it: so that lines of one kind are alike.

The kinds of lines of a baseline, the fingerprints of failures and the drafts of rules are made with the same table.
Two others ask for less and do not use it. What is read of a flood (`parsing/line_identity`) is decided for each of
millions of lines, and numbers that name their writer have to stay. Lines that several ranks print
(`output/rank_sentences`) are shown once only if nothing but clocks and the rank differs: a size is told of each.
"""

from collections.abc import Mapping
from functools import lru_cache

from logrules.model.late_pattern import late_pattern

# What is filled in, by what it is: as it looks, the longest and most particular first.
VARYING: Mapping[str, str] = {
    "url": r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"<>)\]]+",
    "time": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    "id": r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
    "address": r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){4,7}\b",
    "path": r"(?<![\w.])(?:~|\.{1,2})?/[^\s'\":,;)\]]+|\b[A-Za-z]:\\[^\s'\",;)\]]+",
    "pointer": r"\b0x[0-9a-fA-F]+\b",
    "hash": r"\b(?=[0-9a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{7,}\b",
    # A short one goes to and fro between digits and letters, as `bf16`, `30d` and `1e05` do not.
    "code": r"\b(?!\d+e\d+\b)(?=\d+[a-f]+\d|[a-f]+\d+[a-f])[0-9a-f]{4,6}\b",
    "number": r"\d+(?:[.,:/]\d+)*(?:[eE][-+]?\d+)?",
}
ANY_VARYING = "|".join(VARYING.values())
# Within one log addresses, paths and times are words like others: who says the same of another file says another thing.
_WITHIN_A_LOG = late_pattern("|".join(VARYING[kind] for kind in ("pointer", "hash", "number")))
# What is indented, quoted or in brackets goes on with what was begun; a word in brackets is a name in front.
_BEGINS = late_pattern(r"[^\s\"'{}()\[\],]|\[[^\s\]]")
# A row of a table that is closed on both sides, and the rules between rows.
_ROW = late_pattern(r"\|.*\|\s*|\+[-=+]+\+\s*|[\u2500-\u257f].*")
_WORD = late_pattern(r"[^\W\d_]+(?:[_'-][^\W\d_]+)*|#")
MAX_TEMPLATE_WORDS = 12
_LOOKED_AT = 400


def template_of(message: str) -> str:
    """The words of a message in order, every number the same and at most ``MAX_TEMPLATE_WORDS`` of them."""
    return _template_of(message[:_LOOKED_AT])


# The last lines of a log are compared again and again.
@lru_cache(maxsize=1_024)
def _template_of(message: str) -> str:
    return " ".join(_WORD.findall(_WITHIN_A_LOG.sub("#", message))[:MAX_TEMPLATE_WORDS])


def begins_statement(message: str) -> bool:
    """Whether a message says something of its own, and does not go on with a dump or a list that was begun."""
    return _BEGINS.match(message) is not None


def is_table_row(message: str) -> bool:
    """Whether a line is part of a table: one row says nothing of what its writer does next."""
    return _ROW.fullmatch(message) is not None
