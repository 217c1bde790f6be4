"""Patterns that are tried only where a piece of text stands that each of their matches holds."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of

# Hints that are an expression, where no piece of text is in every match.
_EXPRESSION = "re:"


class HintedPatterns:
    """Patterns with their hints, which are found in one pass however many there are.

    Hints are pieces of text in lower case, apart by ``|``, of which each match holds one, or ``re:`` and an expression.
    """

    def __init__(self, rows: Sequence[tuple[str, "regex.Pattern[str]"]]) -> None:
        self._patterns = [pattern for _, pattern in rows]
        plain: defaultdict[str, list[int]] = defaultdict(list)
        self._others: list[tuple[re.Pattern[str], int]] = []
        for number, (hints, _) in enumerate(rows):
            if hints.startswith(_EXPRESSION) or not hints.isascii():
                self._others.append((re.compile(hints.removeprefix(_EXPRESSION)), number))
                continue
            for hint in hints.split("|"):
                plain[hint].append(number)
        self._rows = [*plain.values()]
        self._matcher: LiteralMatcher = matcher_of(
            [(hint.encode(), number, False) for number, hint in enumerate(plain)]
        )

    def near(self, text: str) -> Iterator[tuple[int, "regex.Pattern[str]", list[int]]]:
        """The patterns of which a hint stands in the text, with their numbers and its places (in order)."""
        lower = text.replace("İ", "I").lower()
        places: defaultdict[int, list[int]] = defaultdict(list)
        # One byte for each character: the hints that are found so have no other.
        for end, hint in self._matcher.find(lower.encode("ascii", "replace")):
            for number in self._rows[hint]:
                places[number].append(end - 1)
        for other, number in self._others:
            places[number] += (found.start() for found in other.finditer(lower))
        return ((number, self._patterns[number], sorted(found)) for number, found in sorted(places.items()) if found)
