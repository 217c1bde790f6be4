"""The lines of a saved log that a draft is made from: the one that tells, those around it, and its near miss."""

import re
from collections import deque
from collections.abc import Iterator, Sequence

from logrules.model.errors import LogrulesError
from logrules.model.record import record
from logrules.parsing.clean import clean
from logrules.ruleset.pattern import found_in_time
from logrules.sources.discover import discover
from logrules.sources.source import numbered_lines_of

# Around the line, so many are looked at for what looks like it.
REACH = 20_000
_LONGEST_BYTES = 16_384
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIMIT_S = 0.2
# Lines that are less alike than so many others are no near misses.
_MOST_TRIED = 50


@record
class Extract:
    """A line of a log as people see it, those around it without it, and the line as it was written."""

    line: str
    others: tuple[str, ...]
    written: bytes


def extract_of(path: str, number: int) -> Extract:
    """The line of this number (from 1), cleaned, and up to ``REACH`` before and behind it. Raises LogrulesError."""
    before: deque[bytes] = deque(maxlen=REACH)
    behind: list[bytes] = []
    written = None
    count = 0
    for count, raw in _lines(path):
        if count < number:
            before.append(raw)
        elif count == number and written is None:
            written = raw
        elif len(behind) < REACH:
            behind.append(raw)
        else:
            break
    if written is None:
        raise LogrulesError(f"{path}: has no line {number}, only {count}")
    line = clean(written)
    if not line.strip():
        raise LogrulesError(f"{path}:{number}: is blank")
    return Extract(line, tuple(map(clean, (*before, *behind))), written)


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    found = discover([path]).sources
    if len(found) != 1:
        raise LogrulesError(f"{path}: is not one log")
    yield from ((number, raw[:_LONGEST_BYTES]) for number, raw in numbered_lines_of(found[0]))


def near_miss(line: str, others: Sequence[str], pattern: str) -> str | None:
    """Of the lines that the pattern does not match, the one that shares most of its words with ``line``."""
    words = frozenset(_WORD.findall(line.lower()))
    ranked = sorted(dict.fromkeys(others), key=lambda other: -_alike(words, other))
    like_it = (other for other in ranked[:_MOST_TRIED] if _alike(words, other) > 0)
    return next((other for other in (*like_it, *reversed(others)) if _is_missed(pattern, other)), None)


def _is_missed(pattern: str, line: str) -> bool:
    return bool(line.strip()) and found_in_time(pattern, line, _LIMIT_S) is False


def _alike(words: frozenset[str], other: str) -> float:
    theirs = frozenset(_WORD.findall(other.lower()))
    return len(words & theirs) / len(words | theirs) if words | theirs else 0.0
