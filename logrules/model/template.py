"""What varies in a line taken out, so that lines of one kind are alike."""

import re
from functools import lru_cache

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:[.:,/]\d+)*|\b[0-9a-fA-F]{8,}\b")
# What is indented, quoted or in brackets goes on with what was begun; a word in brackets is a name in front.
_BEGINS = re.compile(r"[^\s\"'{}()\[\],]|\[[^\s\]]")
# A row of a table that is closed on both sides, and the rules between rows.
_ROW = re.compile(r"\|.*\|\s*|\+[-=+]+\+\s*|[\u2500-\u257f].*")
_WORD = re.compile(r"[^\W\d_]+(?:[_'-][^\W\d_]+)*|#")
MAX_TEMPLATE_WORDS = 12
_LOOKED_AT = 400


def template_of(message: str) -> str:
    """The words of a message in order, every number the same and at most ``MAX_TEMPLATE_WORDS`` of them."""
    return _template_of(message[:_LOOKED_AT])


# The last lines of a log are compared again and again.
@lru_cache(maxsize=1_024)
def _template_of(message: str) -> str:
    return " ".join(_WORD.findall(_VARYING.sub("#", message))[:MAX_TEMPLATE_WORDS])


def begins_statement(message: str) -> bool:
    """Whether a message says something of its own, and does not go on with a dump or a list that was begun."""
    return _BEGINS.match(message) is not None


def is_table_row(message: str) -> bool:
    """Whether a line is part of a table: one row says nothing of what its writer does next."""
    return _ROW.fullmatch(message) is not None
