"""What varies in a line, and the line without it (its template), so that lines of one kind are equal.

Baselines, fingerprints of failures and drafts of rules use this table. Two other places mask less and do not use it:
`parsing/deduplication` decides for each of millions of lines what to read of a flood, and must keep numbers that name
the writer; `output/rank_sentences` shows a line of several ranks once only if nothing but times and the rank differs.
"""

from collections.abc import Mapping
from functools import lru_cache

from logrules.model.late_pattern import late_pattern

# What varies, by kind: the longest and most specific forms first.
VARYING: Mapping[str, str] = {
    "url": r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"<>)\]]+",
    "time": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    "id": r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
    "address": r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){4,7}\b",
    "path": r"(?<![\w.])(?:~|\.{1,2})?/[^\s'\":,;)\]]+|\b[A-Za-z]:\\[^\s'\",;)\]]+",
    "pointer": r"\b0x[0-9a-fA-F]+\b",
    "hash": r"\b(?=[0-9a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{7,}\b",
    # A short hash alternates between digits and letters, unlike `bf16`, `30d` and `1e05`.
    "code": r"\b(?!\d+e\d+\b)(?=\d+[a-f]+\d|[a-f]+\d+[a-f])[0-9a-f]{4,6}\b",
    "number": r"\d+(?:[.,:/]\d+)*(?:[eE][-+]?\d+)?",
}
ANY_VARYING = "|".join(VARYING.values())
# Within one log, addresses, paths and times are kept: the same message about another file is another statement.
_WITHIN_A_LOG = late_pattern("|".join(VARYING[kind] for kind in ("pointer", "hash", "number")))
# Indented, quoted or bracketed text continues a statement; a single word in brackets is a name in front of one.
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
    """Whether a message is a new statement, and not the continuation of a dump or a list."""
    return _BEGINS.match(message) is not None


def is_table_row(message: str) -> bool:
    """Whether a line is part of a table: one row says nothing of what its writer does next."""
    return _ROW.fullmatch(message) is not None
