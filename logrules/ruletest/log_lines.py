"""The lines of a saved log that a draft is made from."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from logrules.model.errors import LogrulesError
from logrules.parsing.clean import clean
from logrules.sources.discover import discover
from logrules.sources.source import lines_of

# Around the line, so many are looked at for what looks like it.
REACH = 20_000
_LONGEST_BYTES = 16_384


@dataclass(frozen=True, slots=True)
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
    for count, raw in enumerate(_lines(path), start=1):
        if count < number:
            before.append(raw)
        elif count == number:
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


def _lines(path: str) -> Iterator[bytes]:
    found = discover([path]).sources
    if len(found) != 1:
        raise LogrulesError(f"{path}: is not one log")
    yield from (raw.removesuffix(b"\n")[:_LONGEST_BYTES] for raw in lines_of(found[0]))
