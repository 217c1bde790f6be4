"""Whether a pattern can backtrack catastrophically: a repetition that matches a text in more than one way.

A repeated part becomes an automaton of its letters (Glushkov's: a state for each letter of the pattern). The part is
ambiguous where two ways through it over the same text part and meet again; each round then doubles the ways, and
a text that does not fit in the end is tried in all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from logrules.ruleset.pattern_syntax import Choice, Letters, LookAround, Node, Repeat, Row, tree_of

# A part that may come up to so many times doubles its ways too rarely to matter.
FEW_TIMES = 10
# Beyond this a part is too big to be judged in time.
MAX_LETTERS = 300


def catastrophic(pattern: str) -> bool:
    """Whether some repetition in the pattern is ambiguous. What cannot be understood is not held to be."""
    tree = tree_of(pattern)
    return tree is not None and any(map(_ambiguous, _loops(tree)))


def _loops(node: Node) -> Iterator[Node]:
    """What is repeated many times and can be tried another way."""
    match node:
        case Repeat(part, _, most, possessive):
            if not possessive:
                many = most is None or most > FEW_TIMES
                if many and not isinstance(part, Letters):
                    yield part
                yield from _loops(part)
        case Row(parts) | Choice(parts):
            for part in parts:
                yield from _loops(part)
        case _:
            pass


@dataclass(slots=True)
class _Automaton:
    """Letters by number, and which may follow which, as often as there are ways from one to the other."""

    bits: list[int] = field(default_factory=list)
    follow: dict[int, list[int]] = field(default_factory=dict)

    def add(self, bits: int) -> int:
        self.bits.append(bits)
        self.follow[len(self.bits) - 1] = []
        return len(self.bits) - 1

    def join(self, lasts: list[int], firsts: list[int]) -> None:
        for last in lasts:
            self.follow[last] += firsts


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where a part begins and ends, and whether it can be nothing."""

    firsts: list[int]
    lasts: list[int]
    nullable: bool


def _ambiguous(part: Node) -> bool:
    if _letters(part) > MAX_LETTERS:
        return False
    automaton = _Automaton()
    ends = _built(part, automaton)
    automaton.join(ends.lasts, ends.firsts)
    return _meets_again(automaton)


def _letters(node: Node) -> int:
    match node:
        case Letters():
            return 1
        case Repeat(part):
            return _letters(part)
        case Row(parts) | Choice(parts):
            return sum(map(_letters, parts))
        case LookAround():
            return 0


def _built(node: Node, automaton: _Automaton) -> _Ends:
    match node:
        case Letters(bits):
            state = automaton.add(bits)
            return _Ends([state], [state], nullable=False)
        case Choice(branches):
            built = [_built(branch, automaton) for branch in branches]
            firsts = [state for ends in built for state in ends.firsts]
            lasts = [state for ends in built for state in ends.lasts]
            return _Ends(firsts, lasts, any(ends.nullable for ends in built))
        case Row(parts):
            return _in_a_row([_built(part, automaton) for part in parts], automaton)
        case Repeat(part, least, most, possessive):
            ends = _built(part, automaton)
            if not possessive and (most is None or most > 1):
                automaton.join(ends.lasts, ends.firsts)
            return _Ends(ends.firsts, ends.lasts, ends.nullable or least == 0)
        case LookAround():
            return _Ends([], [], nullable=True)


def _in_a_row(parts: list[_Ends], automaton: _Automaton) -> _Ends:
    firsts: list[int] = []
    lasts: list[int] = []
    nullable = True
    for ends in parts:
        automaton.join(lasts, ends.firsts)
        firsts = firsts + ends.firsts if nullable else firsts
        lasts = lasts + ends.lasts if ends.nullable else ends.lasts
        nullable = nullable and ends.nullable
    return _Ends(firsts, lasts, nullable)


def _meets_again(automaton: _Automaton) -> bool:
    """Whether two ways over the same text part and meet again. In a loop every state leads to every other."""
    parted: set[tuple[int, int]] = set()
    for states in automaton.follow.values():
        if len(set(states)) < len(states):
            return True
        parted.update(_together(automaton, states, states))
    waiting = list(parted)
    while waiting:
        one, other = waiting.pop()
        for pair in _together(automaton, automaton.follow[one], automaton.follow[other]):
            if pair[0] == pair[1]:
                return True
            if pair not in parted:
                parted.add(pair)
                waiting.append(pair)
        if set(automaton.follow[one]) & set(automaton.follow[other]):
            return True
    return False


def _together(automaton: _Automaton, some: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """The pairs of different states that the same letter leads to."""
    bits = automaton.bits
    return (
        (min(one, other), max(one, other))
        for one in some
        for other in others
        if one != other and bits[one] & bits[other]
    )
