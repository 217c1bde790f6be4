"""A pattern as a tree: what it matches letter by letter, what it repeats, where it branches.

Read by a parser of its own, for the standard library's has no public name and joins equal branches. What it does not
know (recursion, sets within sets, fuzzy matching) it does not understand, and such a pattern is not judged.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from logrules.model.record import record

# Letters are compared by samples: all of ASCII, and one each of what lies beyond.
SAMPLES = (*map(chr, range(128)), "é", "Ж", "中", "，", "\u00a0")


@record
class Letters:
    """One character out of a set; a bit for each of ``SAMPLES``. ``letter`` is which, where it can be only one."""

    bits: int
    letter: str = ""


@record
class Row:
    """Parts one after the other."""

    parts: tuple["Node", ...]


@record
class Choice:
    """One of several branches."""

    branches: tuple["Node", ...]


@record
class Repeat:
    """A part so many times; ``most`` is None without bound. A ``possessive`` one is never tried another way."""

    part: "Node"
    least: int
    most: int | None
    possessive: bool = False


@record
class LookAround:
    """What must or must not stand before or behind a place: nothing of the text is taken."""

    part: "Node"


Node: TypeAlias = Letters | Row | Choice | Repeat | LookAround

NOTHING = Row(())
# The beginning of the text, which no match lies before.
START = LookAround(NOTHING)
ALL_BITS = (1 << len(SAMPLES)) - 1
# A letter that is no sample has no bit: it meets only itself.
_BIT = {letter: 1 << place for place, letter in enumerate(SAMPLES)}


def _bits_where(letters: Iterator[str]) -> int:
    return sum(_BIT[letter] for letter in letters)


_CLASSES = {
    "d": _bits_where(letter for letter in SAMPLES if letter.isdecimal()),
    "s": _bits_where(letter for letter in SAMPLES if letter.isspace()),
    "w": _bits_where(letter for letter in SAMPLES if letter.isalnum() or letter == "_"),
}
_CLASSES |= {name.upper(): ALL_BITS & ~bits for name, bits in _CLASSES.items()}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CODE_DIGITS = {"x": 2, "u": 4, "U": 8}
# What begins a part of a pattern; what does not is not understood.
_TOKEN = re.compile(
    r"""
      (?P<nothing>\(\?\#[^)]*\)|\$|\\[bBGKmMZ])
    | (?P<start>\^|\\A)
    | (?P<again>\(\?P=[^)]*\)|\\[1-9gk][\w<]*>?)
    | (?P<around>\(\?<?[=!])
    | (?P<atomic>\(\?>)
    | (?P<conditional>\(\?\([^)]*\))
    | (?P<group>\(\?P?<\w+>|\((?!\?))
    | \(\?(?P<flags>[aiLmsuxfbepVw0-9]*)(?:-[imsx]+)?(?P<scope>[:)])
    | (?P<set>\[\^?)
    | (?P<any>\.)
    | (?P<escape>\\)
    | (?P<letter>[^*+?()|])
    """,
    re.VERBOSE | re.DOTALL,
)
# Letters that mean themselves, and come once each.
_PLAIN = re.compile(r"[\w,:;'\"=<>@/!%&~`-]+(?![*+?{])")
_FLAGS = re.compile(r"\(\?[aiLmsux]+\)")
# How often a part may come, and whether it is given back.
_TIMES = re.compile(r"(?:(?P<sign>[*+?])|\{(?=,?\d)(?P<least>\d*)(?P<to>,?)(?P<most>\d*)\})(?P<kept>[+?]?)")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
# What a verbose pattern does not mean.
_SKIPPED = re.compile(r"\s+|#[^\n]*\n?")
# What a group took comes again as any letters might.
_ALIKE: dict[str, Node] = {"nothing": NOTHING, "again": Repeat(Letters(ALL_BITS), 0, None), "any": Letters(ALL_BITS)}


class _NotUnderstoodError(Exception):
    """The pattern has something that the parser does not know."""


def tree_of(pattern: str) -> Node | None:
    """The tree of a pattern, or None where the parser does not understand it."""
    return _parsed(pattern)[0]


def branches_of(pattern: str) -> tuple[str, ...]:
    """Its branches at the top as they are written, with the flags before them; the whole if not understood."""
    tree, bars = _parsed(pattern)
    if tree is None:
        return (pattern,)
    head = flags[0] if (flags := _FLAGS.match(pattern)) else ""
    between = pairwise((len(head) - 1, *bars, len(pattern)))
    return tuple(head + pattern[start + 1 : end] for start, end in between)


@lru_cache(maxsize=8)
def _parsed(pattern: str) -> tuple[Node | None, tuple[int, ...]]:
    """The tree of a pattern and the places between its branches: whoever judges one asks several things of it."""
    parser = _Parser(pattern)
    try:
        tree = parser.choice()
    except (_NotUnderstoodError, RecursionError, ValueError, IndexError):
        return None, ()
    return (tree, tuple(parser.bars)) if parser.at_end else (None, ())


class _Parser:
    """Reads a pattern from left to right. ``bars`` are the places between the branches of what was read last."""

    def __init__(self, pattern: str) -> None:
        self.bars: list[int] = []
        self._text = pattern
        self._at = 0
        self._flags = ""

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def choice(self) -> Node:
        """Branches up to the bracket that closes the group, or the end; flags set within end with it."""
        flags = self._flags
        branches, bars = [self._row()], []
        while self._text.startswith("|", self._at):
            bars.append(self._at)
            self._at += 1
            branches.append(self._row())
        self.bars = bars
        if not self.at_end:
            self._flags = flags
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _row(self) -> Node:
        parts: list[Node] = []
        while not self.at_end and self._text[self._at] not in "|)":
            if "x" in self._flags and (skipped := _SKIPPED.match(self._text, self._at)):
                self._at = skipped.end()
            elif plain := _PLAIN.match(self._text, self._at):
                self._at = plain.end()
                parts += map(self._letter, plain[0])
            else:
                parts.append(self._repeated(self._part()))
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _part(self) -> Node:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise _NotUnderstoodError
        self._at = found.end()
        match found.lastgroup:
            case "nothing" | "again" | "any" as kind:
                return _ALIKE[kind]
            case "start":
                return NOTHING if found[0] == "^" and "m" in self._flags else START
            case "around":
                return LookAround(self._closed())
            case "atomic":
                return Repeat(_settled(self._closed()), 1, 1, possessive=True)
            case "group":
                return self._closed()
            case "conditional":
                # What it asks for may not have been found: then it takes its second branch, or nothing.
                return Choice((self._closed(), NOTHING))
            case "scope":
                return self._flagged(found["flags"], alone=found["scope"] == ")")
            case _:
                return self._letters(found[0])

    def _letters(self, begun: str) -> Letters:
        if begun.startswith("["):
            return Letters(self._set(negated=begun == "[^"))
        return self._escaped() if begun == "\\" else self._letter(begun)

    def _repeated(self, part: Node) -> Node:
        while times := _TIMES.match(self._text, self._at):
            self._at = times.end()
            if times["sign"]:
                least, most = _SIGNS[times["sign"]]
            else:
                least = int(times["least"] or 0)
                most = None if times["to"] and not times["most"] else int(times["most"] or least)
            kept = times["kept"] == "+"
            part = Repeat(_settled(part) if kept else part, least, most, possessive=kept)
        return part

    def _flagged(self, flags: str, *, alone: bool) -> Node:
        """A group with flags, or flags alone for what follows."""
        if not flags.isalpha() and flags not in ("", "V0"):
            raise _NotUnderstoodError  # a call of a group, or sets of sets (V1)
        before, self._flags = self._flags, self._flags + flags
        if alone:
            return NOTHING
        inside, self._flags = self._closed(), before
        return inside

    def _closed(self) -> Node:
        flags = self._flags
        inside = self.choice()
        if self.at_end:
            raise _NotUnderstoodError
        self._at += 1
        self._flags = flags
        return inside

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _escaped(self) -> Letters:
        """The letters that an escape stands for."""
        letter = self._next()
        if letter in _CLASSES:
            return Letters(_CLASSES[letter])
        if letter in _CODE_DIGITS:
            digits = self._text[self._at : self._at + _CODE_DIGITS[letter]]
            self._at += len(digits)
            letter = chr(int(digits, 16))
        elif letter in _CONTROLS:
            letter = _CONTROLS[letter]
        elif letter.isalnum():
            raise _NotUnderstoodError(letter)
        return self._letter(letter)

    def _letter(self, letter: str) -> Letters:
        return _letter(letter, caseless="i" in self._flags)

    def _set(self, *, negated: bool) -> int:
        bits, first = 0, True
        while first or self._text[self._at] != "]":
            first = False
            if self._text[self._at] == "[" and self._text[self._at + 1] == ":":
                raise _NotUnderstoodError
            item = self._set_item()
            one = item.bits
            if item.letter and self._text[self._at] == "-" and self._text[self._at + 1] != "]":
                self._at += 1
                last, one = self._set_item().letter, 0
                for each in SAMPLES:
                    if item.letter <= each <= last:
                        one |= self._letter(each).bits
            bits |= one
        self._at += 1
        return ALL_BITS & ~bits if negated else bits

    def _set_item(self) -> Letters:
        letter = self._next()
        return self._escaped() if letter == "\\" else self._letter(letter)


@lru_cache(maxsize=512)
def _letter(letter: str, *, caseless: bool) -> Letters:
    same = (letter.lower(), letter.upper()) if caseless else (letter,)
    return Letters(_bits_where(each for each in dict.fromkeys(same) if each in _BIT), letter)


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
