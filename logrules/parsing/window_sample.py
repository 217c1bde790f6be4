"""Which hit lines of one window are read: of each kind the first and the last, and those at which its number doubles.

The last of each writer are read too, as far as its lines are alike. The choice is made from positions, before any line
is decoded.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.parsing.literal_matcher import Kind

# Of each kind so many first and so many last lines of a window are read. Of routine enough to see every worker of a
# node step, few enough that a log of nothing but steps stays cheap; a thousand equal complaints in a row say no more.
ROUTINE_LINES, FLOOD_LINES = 32, 64
# Behind the head of a log that grows it is known what it is full of: a flood must cost no more than a part of a core.
LATER_ROUTINE_LINES, LATER_FLOOD_LINES = 8, 32
# Fewer of each where a window is full of many such complaints, so that no more of it than about so many lines is read.
LEAST_FLOOD_LINES, WINDOW_LINES = 8, 1_024
# So many of the last lines of each writer are read, as far as its lines are alike.
LAST_LINES = 4
# More openings are none of writers.
MAX_WRITERS = 32
# Who writes is read off so many lines at the beginning, in which a writer comes twice.
_READ, _TWICE = 4 * MAX_WRITERS, 2
# What a collector or a logger puts in front of an opening: the time, in the forms that most give it.
_TIME = rb"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d[.,\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]{1,2}"
_OPENING = late_pattern(rb"(?:" + _TIME + rb")?([^\s:\])>|][^:\])>|\r\n]{0,62}[:\])>|])")
# A window in which more different entries of the scanner were found was written by no job: those of open logs have 140
# at most, those of eight jobs in one log 767.
MANY_ENTRIES = 1_024

# How the line of this number opens.
Opening: TypeAlias = Callable[[int], bytes | None]


def opening_of(line: bytes, at: int = 0) -> bytes | None:
    """How the line at this place opens behind a time, up to its first colon or closing bracket; None with none near."""
    found = _OPENING.match(line, at)
    return found[1] if found is not None else None


@record
class ChosenLines:
    """The lines of a window to be read, each with its kind, in order; up to the ``latest`` at once.

    Of the ``flooded`` kinds there were more.
    """

    lines: Sequence[tuple[int, Kind]]
    latest: int
    flooded: frozenset[Kind] = frozenset()


class WindowSample:
    """What came of one window, and what of it is read: of each kind a share. ``routine`` entries are of progress.

    A window is a fixed range of its source, so the choice does not depend on block boundaries.
    """

    def __init__(
        self, routine: frozenset[int] = frozenset(), routine_lines: int = ROUTINE_LINES, flood_lines: int = FLOOD_LINES
    ) -> None:
        self._routine, self._routine_lines = routine, routine_lines
        self._flood = flood_lines
        self._seen: Counter[Kind] = Counter()
        self._entries: set[int] = set()

    def is_crowded(self, entries: Iterable[int]) -> bool:
        """Whether with these it has so many different entries that kinds of lines are not worth comparing."""
        self._entries.update(entries)
        return len(self._entries) > MANY_ENTRIES

    def share(self, kind: Kind) -> int:
        """How many first and how many last lines of a kind are read; fewer if many kinds flood the window."""
        return self._routine_lines if self._routine.issuperset(kind) else self._flood

    def choose(self, alike: Mapping[Kind, Sequence[int]], opening: Opening) -> ChosenLines:
        """Which are read of the lines that came now, by kind."""
        for kind, its in alike.items():
            self._seen[kind] += len(its)
        while self._flood > LEAST_FLOOD_LINES and self._wanted() > WINDOW_LINES:
            self._flood //= 2
        lines: list[tuple[int, Kind]] = []
        flooded: set[Kind] = set()
        latest = -1
        for kind, its in alike.items():
            at_once, others = self._of_kind(kind, its, opening)
            read = others.union(at_once)
            lines += [(nth, kind) for nth in read]
            latest = max(latest, *at_once) if at_once else latest
            if len(read) < len(its):
                flooded.add(kind)
        return ChosenLines(sorted(lines), latest, frozenset(flooded))

    def _of_kind(self, kind: Kind, its: Sequence[int], opening: Opening) -> tuple[Sequence[int], set[int]]:
        """Which of these lines are read at once, and which of all may turn out to be the last."""
        share, behind = self.share(kind), self._seen[kind]
        before = behind - len(its)
        first = its[: max(share - before, 0)]
        if behind <= 2 * share:
            return first, set(its)
        doubled = (its[(1 << power) - 1 - before] for power in range(before.bit_length(), behind.bit_length()))
        return (*first, *doubled), {*last_of_writers(its, share, opening), *its[-share:]}

    def _wanted(self) -> int:
        return sum(min(count, 2 * self._flood) for count in self._seen.values())


def last_of_writers(alike: Sequence[int], share: int, opening: Opening) -> set[int]:
    """Of lines of a kind the last of each writer, where the last ``share`` of all hold fewer of its.

    Who fell silent is to be seen again: where a window is full of lines of a kind, the last of them are those of
    whoever writes still. The first ``share`` are read anyway.
    """
    if len(alike) <= 2 * share:
        return set()
    openings = [opening(nth) for nth in alike[:_READ]]
    writers = {each for each in openings if each is not None}
    if not 1 < len(writers) <= min(MAX_WRITERS, len(openings) // _TWICE):
        return set()
    late = Counter(map(opening, alike[-share:]))
    missing = {writer: LAST_LINES - late[writer] for writer in writers if late[writer] < LAST_LINES}
    kept: set[int] = set()
    for nth in reversed(alike[share:-share]):
        if not missing:
            break
        writer = opening(nth)
        if writer in missing:
            kept.add(nth)
            missing[writer] -= 1
            if not missing[writer]:
                del missing[writer]
    return kept
