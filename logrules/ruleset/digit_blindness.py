"""Whether a pattern tells one digit from another: to most, lines that differ in their numbers alone are the same.

Such a pattern is in both of two texts or in neither, if they differ in nothing but which digits stand where digits
stand, and if in one then in the other at the same place.
"""

from logrules.ruleset.pattern_syntax import (
    SAID_BEFORE,
    SAMPLES,
    Choice,
    Letters,
    LookAround,
    Node,
    Repeat,
    Row,
    tree_of,
)

_DIGITS = sum(1 << place for place, letter in enumerate(SAMPLES) if letter in "0123456789")


def tells_digits_apart(pattern: str) -> bool:
    """Whether it may take one digit and not another; also where it is not understood."""
    tree = tree_of(pattern)
    return tree is None or _tells_apart(tree)


def _tells_apart(node: Node) -> bool:
    match node:
        case Letters(bits):
            # What a group took is to come again as it was, digit by digit.
            return node is SAID_BEFORE or bits & _DIGITS not in (0, _DIGITS)
        case Row(parts):
            return any(map(_tells_apart, parts))
        case Choice(branches):
            return any(map(_tells_apart, branches))
        case Repeat(part) | LookAround(part):
            return _tells_apart(part)
