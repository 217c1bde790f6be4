"""Which hit lines of a log are read, and when: the one sampler of saved and of growing logs.

Of each kind of line in a window the first and the last are read, those at which their number doubles, and the last of
each writer. A log is fed by whole windows or by parts of them as they come. What the first lines of a kind and the
doublings bring is read at once. The last of a kind are known only later: they are held until a line comes that is read
at once, the window ends or somebody asks. Of a window that others are known to follow, or that is full of what a rule
may look for, only what is new is read (`deduplication`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.parsing.hit_line import HitLine, Kind

if TYPE_CHECKING:
    from logrules.parsing.deduplication import EntryRoles, RepeatFilter
    from logrules.parsing.hit_lines import Found

# Of each kind so many first and so many last lines of a window are read. Of routine enough to see every worker of a
# node step, few enough that a log of nothing but steps stays cheap; a thousand equal complaints in a row say no more.
ROUTINE_LINES, FLOOD_LINES = 32, 64
# Behind the head of a log that grows it is known what it is full of: a flood must cost no more than a part of a core.
LATER_ROUTINE_LINES, LATER_FLOOD_LINES = 8, 32
# Fewer of each where a window is full of many such complaints, so that no more of it than about so many lines is read.
LEAST_FLOOD_LINES, WINDOW_LINES = 8, 1_024
# The head and the tail of a log are read in full detail.
FULL_WINDOWS = 2
# So many of the lines of a window that were held are read in shares, then the last of each kind.
HELD_LINES = 256
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
# No job has more lines to be read in a window; behind so many only what is new is.
LINES_IN_FULL = 4_096

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


class Sampler:
    """Which lines of one log are read, and when. ``routine`` entries are of progress; ``roles`` are made when needed.

    For each window ``enter``, then ``take`` what was found in it, at once or in parts, each time what is ready to be
    read; ``release`` gives what is held, in order. How much a window costs is bounded, whatever it contains.
    """

    def __init__(self, routine: frozenset[int], roles: Callable[[], "EntryRoles"]) -> None:
        self._roles = roles
        self._routine = routine
        self._news: RepeatFilter | None = None
        self.enter(0)

    def enter(self, window: int) -> None:
        """Begin with the window of this index. What is held has been released."""
        shares = () if window < FULL_WINDOWS else (LATER_ROUTINE_LINES, LATER_FLOOD_LINES)
        self.window = WindowSample(self._routine, *shares)
        self.thinned = False
        self._read = self._released = 0
        self._held: list[HitLine] = []
        self._chosen = True  # all from one part, of which more was found

    @property
    def holds(self) -> bool:
        """Whether lines are held."""
        return bool(self._held)

    def take(
        self, found: "Found", following: Callable[[], Sequence["Found"]] = tuple, *, past: bool = False
    ) -> list[HitLine]:
        """The lines to read now that these came. ``following`` is what was found in the windows behind.

        A window is ``past`` if the log is known to go on behind those.
        """
        lines, settled, ready = found.lines, found.settled, list[HitLine]()
        if past or self._read + len(lines) > LINES_IN_FULL:
            if not self.thinned:
                ready, self.thinned = self.release(), True
            lines, settled = self._filter().thinned(found, following())
        if settled:
            ready += (*self.release(), *lines[:settled])
        self._read += settled
        self._hold(lines[settled:])
        return ready

    def release(self) -> list[HitLine]:
        """The lines that are held, in order, but for those that are no longer among the last of their kind."""
        lines = self._held if self._chosen and self._released <= HELD_LINES else self._latest()
        self._released += len(lines)
        self._read += len(lines)
        self._held, self._chosen = [], True
        return lines

    def _hold(self, lines: Sequence[HitLine]) -> None:
        if not lines:
            return
        self._chosen = not self._held
        self._held += lines
        if len(self._held) > LINES_IN_FULL:
            self._held = self._latest()

    def _filter(self) -> "RepeatFilter":
        if self._news is None:
            from logrules.parsing.deduplication import RepeatFilter

            self._news = RepeatFilter(self._roles())
        return self._news

    def _latest(self) -> list[HitLine]:
        """Of the lines held the last of each kind and writer, of a thinned window what may be the last failure."""
        if self.thinned:
            return self._filter().latest(self._held)
        kept: list[HitLine] = []
        offsets: set[int] = set()  # a line without an end comes again when it has grown
        seen: Counter[Kind] = Counter()
        writers: dict[Kind, Counter[bytes]] = {}
        for line in reversed(self._held):
            if line.offset in offsets:
                continue
            offsets.add(line.offset)
            kind = line.kind
            seen[kind] += 1
            in_full = self._released + len(kept) <= HELD_LINES
            of_writer = in_full and _is_last(line, writers)
            if of_writer or seen[kind] <= (self.window.share(kind) if in_full else 1):
                kept.append(line)
        return kept[::-1]


def _is_last(line: HitLine, writers: dict[Kind, Counter[bytes]]) -> bool:
    """Whether a line is one of the last of its writer; those behind it were counted in ``writers``."""
    opening = opening_of(line.opening)
    its = writers.setdefault(line.kind, Counter())
    if opening is None or (opening not in its and len(its) >= MAX_WRITERS):
        return False
    its[opening] += 1
    return its[opening] <= LAST_LINES
