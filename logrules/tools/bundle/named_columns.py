"""Secrets in tables: a column that is called like one, in rows of commas, tabs, semicolons or bars."""

from collections.abc import Iterator

import regex

from logrules.tools.bundle.secret_names import KEYS, PASSWORDS
from logrules.tools.bundle.words import drawn_by_lot

_HEADED = regex.compile(
    rf"""
    ^ (?=[^\n]{{0,400}}[,;|\t])
    [^\n]{{0,400}}? (?: {PASSWORDS} | {KEYS} | _(?:sk|key|token|pat|pass|pwd)\b ) [^\n]{{0,400}}+ $
    """,
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
_NAME = regex.compile(
    rf"""[\w .\-]{{0,40}}?(?:{PASSWORDS}|{KEYS}|(?-i:[A-Za-z]_)(?:sk|key|token|pat|pass|pwd))""",
    regex.VERBOSE | regex.IGNORECASE,
)
_SEPARATORS = "\t|;,"
_QUOTES = " \t\"'`*"
_MAX_ROWS = 10_000
_MIN_CHARS, _MIN_DRAWN = 6, 3


def secret_cells(text: str) -> Iterator[tuple[int, int]]:
    """Where the values of such columns stand (start, end)."""
    read_until = 0
    for found in _HEADED.finditer(text):
        if found.start() < read_until:
            continue
        separator = max(_SEPARATORS, key=found[0].count)
        names = [cell.strip(_QUOTES) for cell in found[0].split(separator)]
        wanted = [number for number, name in enumerate(names) if _NAME.fullmatch(name)]
        read_until = found.end()
        if not wanted or len(names) == 1:
            continue
        for start, line in _rows(text, found.end() + 1):
            cells = line.split(separator)
            if len(cells) != len(names):
                break
            read_until = start + len(line)
            for number in wanted:
                at = start + sum(len(cell) + 1 for cell in cells[:number])
                value = cells[number].strip(_QUOTES)
                if _may_be_secret(value):
                    begin = at + cells[number].index(value)
                    yield begin, begin + len(value)


def _rows(text: str, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(_MAX_ROWS):
        if start >= len(text):
            return
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].rstrip("\r")
        yield start, line
        start = end + 1 if end >= 0 else len(text)


def _may_be_secret(value: str) -> bool:
    """Whether a cell may be a secret: no word, no number, nothing with blanks."""
    mixed = any(map(str.isalpha, value)) and any(map(str.isdecimal, value)) and " " not in value
    return mixed and len(value) >= _MIN_CHARS and drawn_by_lot(value) >= _MIN_DRAWN
