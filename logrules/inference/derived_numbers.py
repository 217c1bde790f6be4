"""Numbers that steps name and no line says: what a log's numbers come to."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor, gcd, prod

from logrules.ruleset.name_tables import Derivation, DerivedNumber

# What a log tells is no longer a size beyond this.
_MAX_DIGITS = 12


def with_numbers(captures: Mapping[str, str], numbers: Iterable[DerivedNumber]) -> dict[str, str]:
    """The captures, and beside them the numbers that can be made of them, and of numbers made before."""
    found = dict(captures)
    for one in numbers:
        made = _made(one.how, [found.get(name, "") for name in one.of])
        if made is not None:
            found.setdefault(one.id, made)
    return found


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
    if how in (Derivation.MULTIPLE, Derivation.NEXT_MULTIPLE):
        return _multiple(*sizes, above=how is Derivation.NEXT_MULTIPLE)
    return str(prod(sizes) if how is Derivation.PRODUCT else gcd(*sizes))


def _multiple(size: int, of: int, *, above: bool) -> str | None:
    """The multiple next to the size, at or below it or at or ``above``; None where that is nothing at all."""
    times = -(-size // of) if above and of else size // of if of else 0
    return str(times * of) if times else None


def _share(of: str, over: str) -> str | None:
    try:
        share = float(of) / float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return f"{floor(share * 100) / 100:.2f}" if 0 < share < 1 else None
