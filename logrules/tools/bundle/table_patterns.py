"""Secrets by a form without a prefix, by what stands round them, in blocks and on command lines: patterns of a table.

A pattern is tried only near the words that it cannot match without; those of all patterns are found in one pass.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.ruleset.bounded_read import packaged_table
from logrules.ruleset.pattern_work import required_words
from logrules.tools.bundle.issued_forms import START, is_plain_json
from logrules.tools.bundle.text_view import lines_round
from logrules.tools.bundle.value_kinds import is_nothing

# The words of a pattern may be an expression, where no piece of text is in every match.
_EXPRESSION = "re:"
# What they stand on may begin so many lines above and go on so many below (an entry of .netrc, a command).
_LINES_ROUND = (3, 3)
_FLAGS = {"surrounded": regex.DOTALL, "blocks": regex.DOTALL | regex.MULTILINE, "commands": regex.MULTILINE}
_COMMAND = "secret on a command line"

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class _Row:
    kind: str
    words: str
    pattern: "regex.Pattern[str]"
    # What takes many lines is looked for in all of the text.
    is_block: bool


class _Rows:
    """Rows of some tables, found in one pass however many there are."""

    def __init__(self, *tables: str) -> None:
        rows = packaged_table("logrules.tools.bundle", "secret_forms.toml")
        self._rows = [_row(table, fields) for table in tables for fields in rows[table]]
        self._others: list[tuple[re.Pattern[str], int]] = []
        plain: defaultdict[str, list[int]] = defaultdict(list)
        for number, row in enumerate(self._rows):
            if row.words.startswith(_EXPRESSION) or not row.words.isascii():
                self._others.append((re.compile(row.words.removeprefix(_EXPRESSION)), number))
                continue
            for word in row.words.split("|"):
                plain[word].append(number)
        self._numbers = [*plain.values()]
        self._matcher: LiteralMatcher = matcher_of([(word.encode(), at, False) for at, word in enumerate(plain)])

    def matches(self, text: str) -> Iterator[tuple[str, "regex.Match[str]"]]:
        """What matches, with its kind."""
        for number, places in sorted(self._places(text).items()):
            row = self._rows[number]
            for start, end in [(0, len(text))] if row.is_block else lines_round(text, sorted(places), *_LINES_ROUND):
                yield from ((row.kind, found) for found in row.pattern.finditer(text, start, end))

    def _places(self, text: str) -> dict[int, list[int]]:
        """Where words of each row stand, if any do."""
        lower = text.replace("İ", "I").lower()
        places: defaultdict[int, list[int]] = defaultdict(list)
        # One byte for each character: the words that are found so have no other.
        for end, word in self._matcher.find(lower.encode("ascii", "replace")):
            for number in self._numbers[word]:
                places[number].append(end - 1)
        for other, number in self._others:
            if found := [one.start() for one in other.finditer(lower)]:
                places[number] += found
        return places


def secrets_of_patterns(text: str) -> Iterator[Span]:
    """Where secrets stand that are known by what stands round them, or by their form (start, end, kind)."""
    for kind, found in _patterns().matches(text):
        start, end = found.span("secret" if "secret" in found.re.groupindex else 0)
        if not is_plain_json(text[start:end]):
            yield start, end, kind


def secrets_of_commands(text: str) -> Iterator[Span]:
    """Where secrets stand on command lines (start, end, kind)."""
    for kind, found in _commands().matches(text):
        if not is_nothing(found["secret"]):
            yield *found.span("secret"), kind


@cache
def _patterns() -> _Rows:
    return _Rows("surrounded", "blocks", "patterns")


@cache
def _commands() -> _Rows:
    return _Rows("commands")


def _row(table: str, row: str | list[str]) -> _Row:
    fields = [row] if isinstance(row, str) else row
    kind, *words, expression = [_COMMAND, *fields] if table == "commands" else fields
    head = START if table == "patterns" else ""
    known = words[0] if words else "|".join(required_words(expression))
    return _Row(kind, known, regex.compile(head + expression, _FLAGS.get(table, 0)), table == "blocks")
