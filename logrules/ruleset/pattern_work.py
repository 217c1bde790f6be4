"""What follows from a pattern alone: how much work it can take on any text, and the words that each match holds.

Whoever tries a pattern asks the clock, for nobody knows what a log makes of it. That takes longer than most patterns
do. What follows from the pattern alone needs no clock: its ways through a text are counted, each repetition by all the
places where it may stop. One that what comes behind it cannot begin with stops at one place. Looking for such a
word takes a tenth of the time that trying the pattern does.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, repeat
from operator import mul
from typing import NamedTuple, TypeAlias

from logrules.ruleset.pattern_syntax import ALL_BITS, START, Choice, Letters, LookAround, Node, Repeat, Row, tree_of

# As many steps take a tenth of what the clock allows at most.
MAX_STEPS = 50_000_000
_LENGTHS = (2_048, 512, 256, 128, 64)
_ENDLESS = float("inf")
# A part that can be gone through in several ways and may come more often doubles its ways beyond any bound.
_COUNTED_ROUNDS = 10


class _Work(NamedTuple):
    """In how many ways a part can be gone through from one place, and the steps that all of them take."""

    ways: float
    steps: float


_ONE_LETTER = _Work(1, 1)


def lengths_without_clock(pattern: str) -> tuple[int, int]:
    """On texts of so many characters searching the pattern takes few enough steps, and matching it at their start.

    0 where that is not known.
    """
    tree = tree_of(pattern)
    if tree is None:
        return 0, 0
    # What is found ends the search: nothing follows it. Until then it is looked for from each character on.
    anchored, matched = _is_anchored(tree), 0
    for length in _LENGTHS:
        taken = most_steps(tree, length)
        if taken <= MAX_STEPS:
            matched = max(matched, length)
            if (1 if anchored else length) * taken <= MAX_STEPS:
                return length, matched
    return 0, matched


def is_catastrophic(pattern: str) -> bool:
    """Whether its work can double with each letter: a part repeats that a text can be matched by in several ways.

    What cannot be understood is not held to be.
    """
    tree = tree_of(pattern)
    return tree is not None and most_steps(tree, _LENGTHS[0]) == _ENDLESS


def most_steps(node: Node, length: int) -> float:
    """The steps that matching a pattern at one place of a text of this length takes at most."""
    return _work(node, 0, length).steps


def _is_anchored(node: Node) -> bool:
    """Whether it matches at the start of a text only."""
    match node:
        case Row(parts):
            return bool(parts) and _is_anchored(parts[0])
        case Choice(branches):
            return all(map(_is_anchored, branches))
        case Repeat(part, least):
            return least > 0 and _is_anchored(part)
        case _:
            return node is START


def _work(node: Node, follow: int, length: int) -> _Work:
    """``follow`` are the letters that what comes behind may begin with."""
    match node:
        case Letters():
            return _ONE_LETTER
        case LookAround(part):
            return _Work(1, 1 + _work(part, 0, length).steps)
        case Choice(branches):
            # A branch that may take nothing can be taken whatever comes.
            firsts = [ALL_BITS if _nullable(branch) else _first(branch) for branch in branches]
            return _of_choice(list(zip(firsts, [_work(branch, follow, length) for branch in branches], strict=True)))
        case Row(parts):
            ways, steps = 1.0, 1.0
            for part, behind in zip(parts, _behind(parts, follow), strict=True):
                if isinstance(part, Letters):  # most are
                    steps += ways
                    continue
                found = _work(part, behind, length)
                steps += ways * found.steps
                ways *= found.ways
            return _Work(ways, steps)
        case Repeat():
            return _of_repeat(node, follow, length)


def _of_choice(branches: list[tuple[int, _Work]]) -> _Work:
    """Branches that begin with different letters cannot be taken from one place."""
    shared, seen = 0, 0
    for first, _ in branches:
        shared |= seen & first
        seen |= first
    letters = (1 << place for place in range(shared.bit_length()) if shared >> place & 1)
    together = (sum(work.ways for first, work in branches if first & letter) for letter in letters)
    alone = (work.ways for first, work in branches if first & ~shared)
    return _Work(max((1, *alone, *together)), 1 + sum(work.steps for _, work in branches))


def _of_repeat(node: Repeat, follow: int, length: int) -> _Work:
    part, least, rounds = node.part, node.least, length if node.most is None else min(node.most, length)
    if node.possessive:
        inside = _work(part, _first(part) if rounds > 1 else 0, length)
        # A round that fails ends it; only one that must come again sends those before it another way.
        return _Work(1, 1 + rounds * inside.steps) if inside.ways <= 1 or least <= 1 else _Work(1, _ENDLESS)
    again = follow | _first(part) if rounds > 1 else follow
    inside = _work(part, again, length)
    ends = 1 if not _first(part) & follow and not _nullable(part) else rounds - min(least, rounds) + 1
    if inside.ways <= 1:
        return _Work(ends, 1 + rounds * inside.steps)
    if rounds > _COUNTED_ROUNDS:
        return _Work(_ENDLESS, _ENDLESS)
    # Each round is tried from wherever those before it may have stopped.
    behind = list(accumulate(repeat(float(inside.ways), rounds), mul, initial=1.0))
    return _Work(behind[-1] if ends == 1 else sum(behind[least:]), 1 + sum(behind[:-1]) * inside.steps)


def _behind(parts: tuple[Node, ...], follow: int) -> list[int]:
    """For each part the letters that what comes behind it may begin with."""
    found: list[int] = []
    for part in reversed(parts):
        found.append(follow)
        follow = _first(part) | (follow if _nullable(part) else 0)
    return found[::-1]


def _first(node: Node) -> int:
    """The letters that a part may begin with."""
    match node:
        case Letters(bits):
            # A letter that is no sample may be any.
            return bits or ALL_BITS
        case LookAround():
            return 0
        case Choice(branches):
            return _joined(branches)
        case Row(parts):
            known = next((place for place, part in enumerate(parts) if not _nullable(part)), len(parts))
            return _joined(parts[: known + 1])
        case Repeat(part):
            return _first(part)


def _joined(nodes: tuple[Node, ...]) -> int:
    found = 0
    for node in nodes:
        found |= _first(node)
    return found


def _nullable(node: Node) -> bool:
    match node:
        case Letters():
            return False
        case LookAround():
            return True
        case Choice(branches):
            return any(map(_nullable, branches))
        case Row(parts):
            return all(map(_nullable, parts))
        case Repeat(part, least):
            return least == 0 or _nullable(part)


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
