"""A pattern as a tree: what it matches letter by letter, what it repeats, where it branches.

The standard library's parser reads it (it has no public name); what only the `regex` package knows is not understood,
and such a pattern is not judged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

# Letters are compared by samples: all of ASCII, and one each of what lies beyond.
SAMPLES = (*map(chr, range(128)), "é", "Ж", "中", "，", "\u00a0")


@dataclass(frozen=True, slots=True)
class Letters:
    """One character out of a set; a bit for each of ``SAMPLES``."""

    bits: int


@dataclass(frozen=True, slots=True)
class Row:
    """Parts one after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several branches."""

    branches: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part so many times; ``most`` is None without bound. A ``possessive`` one is never tried another way."""

    part: "Node"
    least: int
    most: int | None
    possessive: bool = False


Node: TypeAlias = Letters | Row | Choice | Repeat

NOTHING = Row(())
_ALL_BITS = (1 << len(SAMPLES)) - 1
# Codes of letters to their bits. A letter that is no sample has none: it meets only itself.
_BIT = {ord(letter): 1 << place for place, letter in enumerate(SAMPLES)}
_CATEGORY_BITS = {
    sre.CATEGORY_DIGIT: sum(_BIT[ord(letter)] for letter in SAMPLES if letter.isdecimal()),
    sre.CATEGORY_SPACE: sum(_BIT[ord(letter)] for letter in SAMPLES if letter.isspace()),
    sre.CATEGORY_WORD: sum(_BIT[ord(letter)] for letter in SAMPLES if letter.isalnum() or letter == "_"),
}
_NEGATED = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def tree_of(pattern: str) -> Node | None:
    """The tree of a pattern, or None where the standard library does not understand it."""
    try:
        return _row(_parser.parse(pattern))
    except (re.error, RecursionError, OverflowError):
        return None


def _row(items: Sequence[tuple[Any, Any]]) -> Node:
    parts = tuple(_node(operator, value) for operator, value in items)
    return parts[0] if len(parts) == 1 else Row(parts)


def _node(operator: Any, value: Any) -> Node:
    if operator in _REPEATS:
        return _repeat(operator, *value)
    match operator:
        case sre.SUBPATTERN:
            return _row(value[3])
        case sre.ATOMIC_GROUP:
            return Repeat(_settled(_row(value)), 1, 1, possessive=True)
        case sre.BRANCH:
            return Choice(tuple(_row(items) for items in value[1]))
        case sre.GROUPREF_EXISTS:
            return Choice(tuple(_row(items) for items in value[1:] if items is not None))
        case sre.AT | sre.ASSERT | sre.ASSERT_NOT:
            return NOTHING
        case sre.GROUPREF:
            return Repeat(Letters(_ALL_BITS), 0, None)
        case _:
            return Letters(_bits(operator, value))


def _repeat(operator: Any, least: int, most: Any, items: Sequence[tuple[Any, Any]]) -> Repeat:
    bound = None if most is sre.MAXREPEAT else int(most)
    if operator is sre.POSSESSIVE_REPEAT:
        return Repeat(_settled(_row(items)), int(least), bound, possessive=True)
    return Repeat(_row(items), int(least), bound)


def _settled(node: Node) -> Node:
    """The part as it is in an atomic group: nothing in it is tried another way."""
    match node:
        case Repeat(part, least, most):
            return Repeat(_settled(part), least, most, possessive=True)
        case Row(parts):
            return Row(tuple(map(_settled, parts)))
        case Choice(branches):
            return Choice(tuple(map(_settled, branches)))
        case _:
            return node


def _bits(operator: Any, value: Any) -> int:
    match operator:
        case sre.LITERAL:
            return _BIT.get(value, 0)
        case sre.NOT_LITERAL:
            return _ALL_BITS & ~_bits(sre.LITERAL, value)
        case sre.RANGE:
            return sum(bit for code, bit in _BIT.items() if value[0] <= code <= value[1])
        case sre.CATEGORY if value in _NEGATED:
            return _ALL_BITS & ~_bits(sre.CATEGORY, _NEGATED[value])
        case sre.CATEGORY:
            return _CATEGORY_BITS.get(value, 0)
        case sre.IN:
            negated = bool(value) and value[0][0] is sre.NEGATE
            bits = 0
            for item in value[1:] if negated else value:
                bits |= _bits(*item)
            return _ALL_BITS & ~bits if negated else bits
        case _:
            return _ALL_BITS
