"""Numbers that steps name and no line says: what a log's numbers come to."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor, gcd, prod

from logrules.ruleset.name_tables import Derivation, DerivedNumber

# What a log tells is no longer a size beyond this.
_MAX_DIGITS = 12


def with_numbers(captures: Mapping[str, str], numbers: Iterable[DerivedNumber]) -> dict[str, str]:
    """The captures, and beside them the numbers that can be made of them."""
    found = ((one.id, _made(one.how, [captures.get(name, "") for name in one.of])) for one in numbers)
    return {**{name: value for name, value in found if value is not None}, **captures}


def _made(how: Derivation, told: Sequence[str]) -> str | None:
    """The number; None where one of those that it is made of is not told."""
    if how is Derivation.SHARE:
        return _share(*told)
    if not all(text.isdecimal() and len(text) <= _MAX_DIGITS for text in told):
        return None
    sizes = [int(text) for text in told]
    if how is Derivation.HALF:
        # Of one nothing less is left.
        return str(sizes[0] // 2) if sizes[0] > 1 else None
    return str(prod(sizes) if how is Derivation.PRODUCT else gcd(*sizes))


def _share(of: str, over: str) -> str | None:
    try:
        share = float(of) / float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return f"{floor(share * 100) / 100:.2f}" if 0 < share < 1 else None
