"""Numbers as people say them: ranks, lengths of time, how many of something."""

from collections.abc import Collection, Sequence
from itertools import groupby

from logrules.model.report import Text

# More runs of ranks than these nobody reads; how many ranks they are says more.
MAX_RUNS = 12
# Ranks are told by those that are missing where these are so few.
_FEW = 4
_ONE, _MANY = Text("rank {ranks}", "rank {ranks}"), Text("ranks {ranks}", "rank {ranks}")
_EXCEPT = Text("{ranks} except {missing}", "{ranks}（{missing} 除外）")
_MORE = Text("{ranks}, … ({count} in all)", "{ranks}……（共 {count} 个）")
_UNITS_S = ((86_400, "d"), (3_600, "h"), (60, "m"))


def ranks_in_words(ranks: Sequence[int]) -> str:
    """The culprit, then the others as ranges: "3", "3 (+ 0-2, 7)"."""
    runs = spans(sorted(set(ranks[1:])))
    others = ", ".join(runs[:MAX_RUNS]) + (", …" if len(runs) > MAX_RUNS else "")
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


def counted(count: int, noun: str) -> str:
    """So many of something in English: "1 file", "2 files"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def ranks_said(ranks: Collection[int], language: str) -> str:
    """Ranks as one says them: "rank 3", "ranks 0-3, 8", "ranks 0-511 except 37"."""
    known = sorted(set(ranks))
    if len(known) == 1:
        return _ONE.of(language).format(ranks=known[0])
    is_dense = known[-1] - known[0] < 2 * len(known)
    missing = sorted(set(range(known[0], known[-1] + 1)).difference(known)) if is_dense else []
    if missing and len(known) >= _FEW * len(missing):
        span = f"{known[0]}-{known[-1]}"
        said = _EXCEPT.of(language).format(ranks=span, missing=_bounded(missing, language))
    else:
        said = _bounded(known, language)
    return _MANY.of(language).format(ranks=said)


def _bounded(numbers: Sequence[int], language: str) -> str:
    runs = spans(numbers)
    said = ", ".join(runs[:MAX_RUNS])
    return said if len(runs) <= MAX_RUNS else _MORE.of(language).format(ranks=said, count=len(numbers))


def spans(numbers: Sequence[int]) -> list[str]:
    """Rising numbers as one says each unbroken run: "3", "5-7"."""
    # Within a run all numbers are as far from their places.
    runs = groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0])
    ends = [(run[0][1], run[-1][1]) for run in (list(found) for _, found in runs)]
    return [str(low) if low == high else f"{low}-{high}" for low, high in ends]
