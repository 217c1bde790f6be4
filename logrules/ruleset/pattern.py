"""Patterns compiled once in a process, by whoever needs them first: the check of a rule file or the reader of a log."""

from functools import lru_cache

import regex

# More than any set of rules has; each takes a few kilobytes.
_KEPT = 8_192


@lru_cache(maxsize=_KEPT)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """The compiled pattern. Raises ValueError, with what is wrong, for one that is none."""
    try:
        return regex.compile(pattern)
    except regex.error as fault:
        raise ValueError(f"not a valid pattern: {fault}") from None
    except (RecursionError, OverflowError, MemoryError):
        raise ValueError("not a valid pattern: it is nested or repeated too often") from None
