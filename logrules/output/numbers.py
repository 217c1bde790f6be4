"""Numbers as people say them: ranks, lengths of time, how many of something, how sure a diagnosis is."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import TypeAlias

from logrules.model.report import Diagnosis, Text
from logrules.output import messages as words

# More runs of ranks than these nobody reads; how many ranks they are says more.
MAX_RUNS = 12
# Ranks are told by those that are missing where these are so few.
_FEW = 4
_ONE, _MANY = Text("rank {ranks}", "rank {ranks}"), Text("ranks {ranks}", "rank {ranks}")
_EXCEPT = Text("{ranks} except {missing}", "{ranks}（{missing} 除外）")
_MORE = Text("{ranks}, … ({count} in all)", "{ranks}……（共 {count} 个）")
Run: TypeAlias = tuple[int, int]
# From here on tenths of a second tell nothing.
_TENTHS_S = 10.0
_UNITS_S = ((86_400, "d"), (3_600, "h"), (60, "m"))


def ranks_in_words(ranks: Sequence[int]) -> str:
    """The culprit, then the others as ranges: "3", "3 (+ 0-2, 7)"."""
    runs = spans(sorted(set(ranks[1:])))
    others = ", ".join(runs[:MAX_RUNS]) + (", …" if len(runs) > MAX_RUNS else "")
    return f"{ranks[0]} (+ {others})" if others else str(ranks[0])


def moment(seconds: float, zone: tzinfo | None = UTC) -> datetime | None:
    """The moment so many seconds after the epoch; None of one that no calendar has, such as one of the year 10000."""
    try:
        return datetime.fromtimestamp(seconds, zone)
    except (ValueError, OverflowError, OSError):
        return None


def time_of_day(seconds: float, zone: tzinfo | None = None) -> str:
    """Hours, minutes and seconds."""
    at = moment(seconds, zone)
    return f"{at:%H:%M:%S}" if at is not None else "--:--:--"


def duration(seconds: float) -> str:
    """A length of time to two units: "40s", "12m", "1h 5m"; below ten seconds with its tenths: "0.4s"."""
    if round(seconds, 1) < _TENTHS_S and round(seconds, 1) % 1:
        return f"{seconds:.1f}s"
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


def lines_said(count: int, language: str) -> str:
    """So many lines: "1 line", "1,042 lines"."""
    return f"{count:,} {(words.LINE if count == 1 else words.LINES).of(language)}"


def ranks_said(ranks: Collection[int], language: str) -> str:
    """Ranks as one says them: "rank 3", "ranks 0-3, 8", "ranks 0-511 except 37"."""
    return _runs_said(_runs(sorted(set(ranks))), language)


def other_ranks_said(ranks: Collection[int], world: int, language: str) -> str:
    """The same of those of a world that are not among these; nothing where there are none.

    A log may say that its world is of a million ranks: they are told by their runs, and never listed.
    """
    others = _between([(-1, -1), *_runs(sorted(set(ranks).intersection(range(world)))), (world, world)])
    return _runs_said(others, language) if others else ""


def _runs_said(known: Sequence[Run], language: str) -> str:
    first, last, count = known[0][0], known[-1][1], _count(known)
    if count == 1:
        return _ONE.of(language).format(ranks=first)
    missing = _between(known)
    if missing and last - first < 2 * count and count >= _FEW * _count(missing):
        said = _EXCEPT.of(language).format(ranks=f"{first}-{last}", missing=_bounded(missing, language))
    else:
        said = _bounded(known, language)
    return _MANY.of(language).format(ranks=said)


def _bounded(runs: Sequence[Run], language: str) -> str:
    said = ", ".join(map(_span, runs[:MAX_RUNS]))
    return said if len(runs) <= MAX_RUNS else _MORE.of(language).format(ranks=said, count=_count(runs))


def spans(numbers: Sequence[int]) -> list[str]:
    """Rising numbers as one says each unbroken run: "3", "5-7"."""
    return list(map(_span, _runs(numbers)))


def _runs(numbers: Sequence[int]) -> list[Run]:
    """The unbroken runs of rising numbers, by their first and last."""
    starts = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1] + 1]
    return [(numbers[at], numbers[behind - 1]) for at, behind in pairwise([*starts, len(numbers)])]


def _between(runs: Sequence[Run]) -> list[Run]:
    """The runs of what lies between others."""
    return [(low + 1, high - 1) for (_, low), (high, _) in pairwise(runs) if low + 1 < high]


def _count(runs: Iterable[Run]) -> int:
    return sum(high - low + 1 for low, high in runs)


def _span(run: Run) -> str:
    low, high = run
    return str(low) if low == high else f"{low}-{high}"


# From this certainty on it is told in these words.
_WORDS = (
    (0.9, Text("almost certain", "几乎可以确定")),
    (0.75, Text("likely", "很可能")),
    (0.5, Text("possible", "有可能")),
    (0.0, Text("a guess", "仅为猜测")),
)
# Of fewer labelled logs than these the strongest word is not said, and no count: it would speak for chance.
_MIN_LOGS = 5
_RIGHT = Text("right in {right} of {of} labelled logs", "在 {of} 份标注日志中判断正确 {right} 份")
_LITTLE_MEASURED = Text("little measured", "实测很少")
_NOT_MEASURED = Text("not measured", "尚无实测")


def certainty_in_words(one: Diagnosis, language: str) -> str:
    """Word and counts: "likely (right in 11 of 12 labelled logs)", "possible (little measured)"."""
    words = _WORDS if one.measured[1] >= _MIN_LOGS else _WORDS[1:]
    word = next((word for least, word in words if one.confidence >= least), _WORDS[-1][1])
    if language == "zh":
        return f"{word.zh}（{_record_in_words(one, language)}）"
    return f"{word.en} ({_record_in_words(one, language)})"


def _record_in_words(one: Diagnosis, language: str) -> str:
    """In how many labelled logs the rule was right when it came first, where these are enough to say something."""
    right, seen = one.measured
    if seen < _MIN_LOGS:
        return (_LITTLE_MEASURED if seen else _NOT_MEASURED).of(language)
    return _RIGHT.of(language).format(right=right, of=seen)
