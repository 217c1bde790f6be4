"""Numbers as people say them: ranks and lengths of time."""

from collections.abc import Sequence

_UNITS_S = ((86_400, "d"), (3_600, "h"), (60, "m"))


def ranks_in_words(ranks: Sequence[int]) -> str:
    """The culprit, then the others as ranges: "3", "3 (+ 0-2, 7)"."""
    others = _ranges(sorted(set(ranks[1:])))
    return f"{ranks[0]} (+ {others})" if others else str(ranks[0])


def duration(seconds: float) -> str:
    """A length of time to two units: "40s", "12m", "1h 5m"."""
    left = round(seconds)
    parts = []
    for size, unit in _UNITS_S:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
    if left or not parts:
        parts.append(f"{left}s")
    return " ".join(parts[:2])


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
