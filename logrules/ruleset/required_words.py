"""The words without which a pattern cannot match: looking for them takes a tenth of the time that trying it does.

Read from the pattern by a short walk of its own, for it is done where a log is read. What the walk does not know it
makes nothing of.
"""

import re
from functools import lru_cache
from typing import TypeAlias

# A match holds one of these, whatever the case; None where nothing is known.
_Words: TypeAlias = tuple[str, ...] | None

# Shorter ones are in too many texts, more of them take as long as the pattern.
_SHORTEST, _MOST = 3, 24
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(?P<least>\d*)(?:,\d*)?\})[?+]?")
_GROUP = re.compile(r"\?(?:P?<(?P<name>\w+)>|(?P<around><?[=!])|>|[is]*(?:-[is]+)?(?P<flags>[:)]))")
_CLASSES = "dDwWsS"
_PLACES = "bBAZ"


class _NotKnownError(Exception):
    """The pattern has something that the walk does not know."""


@lru_cache(maxsize=8_192)
def required_words(pattern: str) -> tuple[str, ...]:
    """Words, in small letters, one of which each match holds; none where none are known."""
    walk = _Walk(pattern)
    try:
        found = walk.choice()
    except (_NotKnownError, RecursionError, IndexError):
        return ()
    usable = walk.is_over and found is not None and len(found) <= _MOST and _length(found) >= _SHORTEST
    return found if usable and found is not None else ()


@lru_cache(maxsize=4)
def folded(text: str) -> str:
    """A text as the words are written: many patterns are tried on one."""
    return text.casefold()


def may_hold(words: tuple[str, ...], text: str) -> bool:
    """Whether a folded text has one of the words, or there are none to be had."""
    for word in words:
        if word in text:
            return True
    return not words


def _length(words: _Words) -> int:
    return min(map(len, words)) if words else 0


def _better(one: _Words, other: _Words) -> _Words:
    """Of two that are both required, what tells more: longer words, fewer of them."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda words: (min(_length(words), 6), -len(words), _length(words)))


class _Walk:
    """Goes through a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at >= len(self._text)

    def choice(self) -> _Words:
        """Of branches one word of each."""
        found = [self._row()]
        while self._text.startswith("|", self._at):
            self._at += 1
            found.append(self._row())
        words: dict[str, None] = {}
        for one in found:
            if one is None:
                return None
            words.update(dict.fromkeys(one))
        return tuple(words)

    def _row(self) -> _Words:
        best: _Words = None
        run = ""
        while not self.is_over and self._text[self._at] not in "|)":
            letter, inside = self._part()
            if letter is None:
                continue
            least = self._quantifier()
            if letter and least is None:
                run += letter
                continue
            ends = run + letter if letter and least else run
            best = _better(best, (ends.casefold(),) if ends else None)
            best = _better(best, inside if least is None or least else None)
            run = ""
        return _better(best, (run.casefold(),) if run else None)

    def _quantifier(self) -> int | None:
        """How often what stands before comes at least, where that is said."""
        found = _QUANTIFIER.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        if found["least"] is not None:
            return int(found["least"] or 0)
        return int(found[0][0] == "+")

    def _part(self) -> tuple[str | None, _Words]:
        """The letter that stands here, empty where it is one of many, None for a mere place; the words of a group."""
        letter = self._text[self._at]
        self._at += 1
        match letter:
            case "^" | "$":
                return None, None
            case ".":
                return "", None
            case "[":
                return self._set()
            case "(":
                return self._group()
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{":
                raise _NotKnownError
            case _:
                return letter, None

    def _set(self) -> tuple[str, None]:
        at = self._at + self._text.startswith("^", self._at)
        at += self._text.startswith("]", at)
        while self._text[at] != "]":
            if self._text[at] == "[":
                raise _NotKnownError
            at += 2 if self._text[at] == "\\" else 1
        self._at = at + 1
        return "", None

    def _escaped(self) -> tuple[str | None, None]:
        letter = self._text[self._at]
        self._at += 1
        if letter in _PLACES:
            return None, None
        if letter in _CLASSES or letter in "ntr":
            return "", None
        if letter.isalnum():
            raise _NotKnownError
        return letter, None

    def _group(self) -> tuple[str | None, _Words]:
        around = False
        if self._text.startswith("?", self._at):
            found = _GROUP.match(self._text, self._at)
            if found is None:
                raise _NotKnownError
            self._at = found.end()
            if found["flags"] == ")":
                return None, None
            around = found["around"] is not None
        inside = self.choice()
        if not self._text.startswith(")", self._at):
            raise _NotKnownError
        self._at += 1
        return (None, None) if around else ("", inside)
