"""The line of a log that looks most like another and yet is not meant: the near miss of a draft."""

import re
from collections.abc import Sequence

from logrules.ruleset.pattern import compiled

_WORD = re.compile(r"[^\W\d_]{2,}")
_LIMIT_S = 0.2


def near_miss(line: str, others: Sequence[str], pattern: str) -> str | None:
    """Of the lines that the pattern does not match, the one that shares most of its words with ``line``."""
    words = frozenset(_WORD.findall(line.lower()))
    ranked = sorted(dict.fromkeys(others), key=lambda other: -_alike(words, other))
    for other in ranked[:50]:
        if other.strip() and _alike(words, other) > 0 and not _matches(pattern, other):
            return other
    return next((other for other in reversed(others) if other.strip() and not _matches(pattern, other)), None)


def _alike(words: frozenset[str], other: str) -> float:
    theirs = frozenset(_WORD.findall(other.lower()))
    return len(words & theirs) / len(words | theirs) if words | theirs else 0.0


def _matches(pattern: str, line: str) -> bool:
    try:
        return compiled(pattern).search(line, timeout=_LIMIT_S) is not None
    except TimeoutError:
        return True
