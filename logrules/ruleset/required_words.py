"""The words without which a pattern cannot match: looking for them takes a tenth of the time that trying it does."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from logrules.ruleset.pattern_syntax import Choice, Letters, LookAround, Node, Repeat, Row, tree_of

# A match holds one of these, whatever the case; None where nothing is known.
_Words: TypeAlias = tuple[str, ...] | None

# Shorter ones are in too many texts, but for signs that prose has not; more of them take as long as the pattern.
_SHORTEST, _MOST = 3, 96
_RARE_SIGNS = frozenset("<>=@$^~|")


@lru_cache(maxsize=8_192)
def required_words(pattern: str) -> tuple[str, ...]:
    """Words, in small letters, one of which each match holds; none where none are known."""
    tree = tree_of(pattern)
    found = None if tree is None else _words(tree)
    return found if found is not None and len(found) <= _MOST and all(map(_is_telling, found)) else ()


def _is_telling(word: str) -> bool:
    return len(word) >= _SHORTEST or _RARE_SIGNS.issuperset(word)


def _words(node: Node) -> _Words:
    match node:
        case Letters():
            return _word(node.letter)
        case Row(parts):
            return _of_row(parts)
        case Choice(branches):
            return _of_each(map(_words, branches))
        case Repeat(part, least):
            return _words(part) if least else None
        case LookAround():
            return None


def _of_row(parts: tuple[Node, ...]) -> _Words:
    """Letters that stand beside each other are one word."""
    best: _Words = None
    run = ""
    for part in parts:
        match part:
            case LookAround() | Row(()):
                continue  # nothing of the text is taken
            case Letters(letter=letter) if letter:
                run += letter
                continue
            case Repeat(Letters(letter=letter), least) if letter and least:
                run += letter
        best = _better(best, _better(_word(run), _words(part)))
        run = ""
    return _better(best, _word(run))


def _of_each(found: Iterable[_Words]) -> _Words:
    """Of branches one word of each."""
    words: dict[str, None] = {}
    for one in found:
        if one is None:
            return None
        words.update(dict.fromkeys(one))
    return tuple(words)


def _word(letters: str) -> _Words:
    return (letters.casefold(),) if letters else None


def _length(words: _Words) -> int:
    return min(map(len, words)) if words else 0


def _better(one: _Words, other: _Words) -> _Words:
    """Of two that are both required, what tells more: longer words, fewer of them."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda words: (min(_length(words), 6), -len(words), _length(words)))
