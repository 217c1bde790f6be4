"""Which hit lines of a log are read, and when: the one sampler of saved and of growing logs.

Of each kind of line in a window the first and the last are read, those at which their number doubles, and the last of
each writer. A log is fed by whole windows or by parts of them as they come. What the first lines of a kind and the
doublings bring is read at once. The last of a kind are known only later: they are held until a line comes that is read
at once, the window ends or somebody asks. Of a window that others are known to follow, or that is full of what a rule
may look for, only what is new is read (`deduplication`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from logrules.parsing.hit_lines import Found, HitLine
from logrules.parsing.literal_matcher import Kind
from logrules.parsing.window_sample import (
    LAST_LINES,
    LATER_FLOOD_LINES,
    LATER_ROUTINE_LINES,
    MAX_WRITERS,
    WindowSample,
    opening_of,
)

if TYPE_CHECKING:
    from logrules.parsing.deduplication import EntryRoles, RepeatFilter

# The head and the tail of a log are read in full detail.
FULL_WINDOWS = 2
# So many of the lines of a window that were held are read in shares, then the last of each kind.
HELD_LINES = 256
# No job has more lines to be read in a window; behind so many only what is new is.
LINES_IN_FULL = 4_096


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
        self, found: Found, following: Callable[[], Sequence[Found]] = tuple, *, past: bool = False
    ) -> list[HitLine]:
        """The lines to read now that these came. ``following`` is what was found in the windows behind.

        A window is ``past`` if the log is known to go on behind those.
        """
        lines, ready = found.lines, list[HitLine]()
        settled = min(found.settled, len(lines))
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
            if line.is_open and not kept:
                # What it will say in the end nobody knows: it does not stand for the last of its kind.
                kept.append(line)
                continue
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
