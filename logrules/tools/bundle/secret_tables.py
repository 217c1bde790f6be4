"""Secrets below the heads of columns: cells apart by signs or by blanks, and the rows that SQL inserts."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import regex

from logrules.tools.bundle.score import Name, Relation, is_secret
from logrules.tools.bundle.secret_names import KEYS, PASSWORDS, name_ends
from logrules.tools.bundle.text_view import lines_round
from logrules.tools.bundle.value_kinds import is_nothing

_NAME = regex.compile(
    rf"""[\w .\-]{{0,40}}?(?:{PASSWORDS}|{KEYS}|(?-i:[A-Za-z]_)(?:sk|key|token|pat|pass|pwd))""",
    regex.VERBOSE | regex.IGNORECASE,
)
_PASSWORD, _KEY = (
    regex.compile(rf"[\w .\-]{{0,40}}?(?:{names})", regex.VERBOSE | regex.IGNORECASE) for names in (PASSWORDS, KEYS)
)
_PAIRED = regex.compile(
    r"""
    ^ [ \t]*+ "?(?P<name>[\w.-]{2,80}+)"? [,;] "?(?P<secret>[^\s,;"]{6,400}+)"? (?:[,;][^\n,;]{0,80}+){0,3}+ $
    """,
    regex.VERBOSE | regex.MULTILINE,
)
_SEPARATORS = "\t|;,"
_QUOTES = " \t\"'`*"
_MAX_HEAD_CHARS, _MAX_NAME_CHARS = 800, 100
_MAX_ROWS = 10_000
_MIN_CHARS = 6


def secret_cells(text: str, places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Where values of columns and rows of SQL stand (start, end, kind) below names that begin at ``places``."""
    for find in (_separated_cells, _paired_cells, _aligned_cells, _inserted_values):
        yield from ((*span, "secret in a table") for span in find(text, places))


def _separated_cells(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    read_until = 0
    for head, _ in lines_round(text, places):
        end = text.find("\n", head, head + _MAX_HEAD_CHARS)
        if head < read_until or end < 0:
            continue
        separator = max(_SEPARATORS, key=text[head:end].count)
        names = [cell.strip(_QUOTES) for cell in text[head:end].split(separator)]
        wanted = [number for number, name in enumerate(names) if _is_name(name)]
        read_until = end
        if not wanted or len(names) == 1:
            continue
        for start, line in _rows(text, end + 1):
            cells = line.split(separator)
            if len(cells) != len(names):
                break
            read_until = start + len(line)
            for number in wanted:
                at = start + sum(len(cell) + 1 for cell in cells[:number])
                value = cells[number].strip(_QUOTES)
                if _is_secret_cell(names[number], value):
                    begin = at + cells[number].index(value)
                    yield begin, begin + len(value)


def _paired_cells(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Values of tables that have the names in their first column."""
    for start, _ in lines_round(text, places):
        found = _PAIRED.match(text, start)
        if found is None or not _is_name(found["name"]):
            continue
        if _is_secret_cell(found["name"], found["secret"]):
            yield found.span("secret")


@lru_cache(maxsize=4_096)
def _is_name(cell: str) -> bool:
    return len(cell) <= _MAX_NAME_CHARS and any(name_ends(cell)) and _NAME.fullmatch(cell) is not None


def _rows(text: str, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(_MAX_ROWS):
        if start >= len(text):
            return
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].rstrip("\r")
        yield start, line
        start = end + 1 if end >= 0 else len(text)


def _is_secret_cell(head: str, value: str) -> bool:
    """Whether a cell is a secret below its head, or beside it."""
    name = Name.PASSWORD if _PASSWORD.fullmatch(head) else Name.KEY if _KEY.fullmatch(head) else Name.ISSUED
    return len(value) >= _MIN_CHARS and " " not in value and value.isascii() and is_secret(name, Relation.COLUMN, value)


# A head of names that two blanks or a tab part: no sentence.
_ALIGNED = regex.compile(
    r"""
    ^ [ \t]*+ [\w.\#-]{1,40}+ (?: (?:[ ]{2}|\t) [ \t]{0,80}+ [\w.\#-]{1,40}+ ){1,20}+ [ \t]*+ $
    """,
    regex.VERBOSE | regex.MULTILINE,
)
_CELL = regex.compile(r"\S+")
_INSERTED = regex.compile(
    r"""
    \((?P<names>[^()\n]{1,1000}+)\) [ \t\n]{1,10} VALUES [ \t\n]{0,10}
    (?P<rows> (?: \([^()\n]{1,4000}+\) [,\s]{0,10}+ ){1,1000} )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_VALUES = re.compile("values", re.IGNORECASE)
_ROW = regex.compile(r"\(([^()\n]*+)\)")
_VALUE = regex.compile(r"(?:^|,)\s*+('(?:[^'\\]|\\.|'')*+'|[^,]*?)\s*+(?=,|$)")


def _aligned_cells(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    read_until = 0
    for head, _ in lines_round(text, places):
        found = _ALIGNED.match(text, head) if head >= read_until else None
        if found is None:
            continue
        heads = found[0].split()
        if any(head.replace(".", "").isdecimal() for head in heads):
            continue
        # Counted from the right: a frame of pandas has the number of the row on the left, without a head.
        wanted = [number - len(heads) for number, name in enumerate(heads) if _is_name(name)]
        for start, line in _rows(text, found.end() + 1) if wanted else ():
            cells = [one.span() for one in _CELL.finditer(line)]
            if len(cells) not in {len(heads), len(heads) + 1}:
                break
            read_until = start + len(line)
            for name, (begin, end) in ((heads[number], cells[number]) for number in wanted):
                if _is_secret_cell(name, line[begin:end]):
                    yield start + begin, start + end


def _inserted_values(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    for found in _INSERTED.finditer(text) if places and _VALUES.search(text) else ():
        names = [name.strip(_QUOTES) for name in found["names"].split(",")]
        wanted = [number for number, name in enumerate(names) if _is_name(name)]
        for row in _ROW.finditer(found["rows"]) if wanted else ():
            values = list(_VALUE.finditer(row[1]))
            for number in wanted if len(values) == len(names) else ():
                value = values[number][1]
                if value.startswith("'") and not is_nothing(value.strip("'")):
                    start, end = (found.start("rows") + row.start(1) + place for place in values[number].span(1))
                    yield start + 1, end - 1
