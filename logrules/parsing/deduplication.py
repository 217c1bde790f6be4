"""What a log has said before is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import compress
from operator import attrgetter

from logrules.model.record import replace
from logrules.parsing.crowded_log import CrowdedLog
from logrules.parsing.entry_roles import EntryRoles, runs
from logrules.parsing.hit_line import HitLine, Kind
from logrules.parsing.hit_lines import Found
from logrules.parsing.line_identity import is_doubled, line_identity, words_identity

# As many lines with the same literals are read in full, then those whose words come for the first, second, fourth,
# eighth … time.
FAMILIAR_LINES = 16
# More kinds than any job writes.
MANY_KINDS = 1_024
# Words of a kind that are told apart. Behind them those that are new are read sixteen times to each doubling of the
# number of lines: what is read of a kind that never says the same grows with the logarithm of how often it comes.
# Of all kinds together no more texts are told apart: a log that says something else with every line has nothing to
# tell but that it does. Behind them the first, second, fourth, eighth … line of a kind is read, whatever it says.
MAX_KIND_TEXTS, MAX_TEXTS = 1_024, 16_384
# Fewer of a kind that floods a window: what is left of it there is a sample already.
MAX_FLOOD_TEXTS = 128
READ_TO_A_DOUBLING = 16

# Lines of tracebacks told apart: those of two thousand ranks. Behind them their kinds are.
MAX_TRACE_TEXTS = 65_536


class RepeatFilter:
    """The lines of one source that are still worth reading.

    Of lines that mean something only together with their neighbours a run is read where one that may name an exception
    comes for the first, second, fourth, eighth … time, or any other for the first. Two lines are the same if nothing
    but numbers differs behind what may name their writer; of a kind that floods a window, nothing but numbers behind
    its prefixes.

    Of lines that tell of failures the last of each kind in a window is read too, unless the next window has more of
    it: nobody knows which is the last of the log before its end, and by then it would come behind what was read since.

    From where it has more kinds than any job writes, a log is read as a `CrowdedLog`.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        # There are far more lines than kinds.
        self._is_of_trace = cache(lambda kind: not roles.of_traces.isdisjoint(kind))
        self._kinds: set[Kind] = set()
        self._crowd: CrowdedLog | None = None
        self._seen: dict[Kind, int] = {}
        self._texts_of: Counter[Kind] = Counter()
        self._told: Counter[int] = Counter()
        self._texts: Counter[int] = Counter()

    def thinned(self, found: Found, following: Sequence[Found] = ()) -> Found:
        """The same without what was read often enough; ``following`` is what the next windows gave."""
        if self._crowd is None and self._is_crowded(found):
            self._crowd = CrowdedLog(self._roles)
            for told_apart in (self._kinds, self._seen, self._texts_of, self._told, self._texts):
                told_apart.clear()
        # A job that starts anew may fail alike in windows that are near: of its log only the next one is looked at.
        kept = self._worth(found, following[:1]) if self._crowd is None else self._crowd.read(found, following)
        return replace(found, lines=kept, thinned=True)

    def _is_crowded(self, found: Found) -> bool:
        if not found.crowded:  # there is nothing to be told from the kinds of such a window
            self._kinds.update(line.kind for line in found.lines)
        return found.crowded or len(self._kinds) > MANY_KINDS

    def _worth(self, found: Found, following: Sequence[Found]) -> tuple[HitLine, ...]:
        of_trace = [self._is_of_trace(line.kind) for line in found.lines]
        last = self._last_of_each(found.lines, [line for then in following for line in then.lines])
        runs_of_traces = runs(compress(found.lines, of_trace), attrgetter("number"))
        read = frozenset(
            line.number for run in runs_of_traces if self._has_news(run, found.flooded, last) for line in run
        )
        return tuple(
            line
            for line, traced in zip(found.lines, of_trace, strict=True)
            if (line.number in read if traced else self._is_worth(line, found.flooded) or line.number in last)
        )

    def _last_of_each(self, lines: Iterable[HitLine], following: Iterable[HitLine]) -> frozenset[int]:
        """The numbers of the last lines of each kind that tells, in a traceback those that may name an exception."""
        latest, again = self._latest(lines), self._latest(following)
        return frozenset(number for kind, number in latest.items() if kind not in again)

    def _latest(self, lines: Iterable[HitLine]) -> dict[Kind, int]:
        latest = {line.kind: line.number for line in lines}
        telling = {kind for kind in latest if not self._roles.telling.isdisjoint(kind)}
        of_trace = {kind for kind in telling if self._is_of_trace(kind)}
        named = {line.kind: line.number for line in lines if line.kind in of_trace and self._roles.may_name(line)}
        return {**{kind: latest[kind] for kind in telling - of_trace}, **named}

    def _has_news(self, run: Sequence[HitLine], flooded: AbstractSet[Kind], last: frozenset[int]) -> bool:
        # Each line counts, also behind the first new one.
        news = [self._is_news(line, flooded) or line.number in last for line in run]
        return any(news)

    def _is_news(self, line: HitLine, flooded: AbstractSet[Kind]) -> bool:
        if len(self._texts) >= MAX_TRACE_TEXTS:
            return is_doubled(self._count(line.kind))
        told = _identity(line, flooded)
        self._texts[told] = times = self._texts[told] + 1
        return times == 1 or (is_doubled(times) and self._roles.may_name(line))

    def _is_worth(self, line: HitLine, flooded: AbstractSet[Kind]) -> bool:
        kind = line.kind
        seen = self._count(kind)
        if len(self._told) >= MAX_TEXTS:
            return is_doubled(seen)
        told = hash((kind, _identity(line, flooded)))
        if told not in self._told:
            if self._texts_of[kind] >= (MAX_FLOOD_TEXTS if kind in flooded else MAX_KIND_TEXTS):
                return seen % _stride(seen) == 0
            self._texts_of[kind] += 1
        self._told[told] = times = self._told[told] + 1
        return is_doubled(times) or seen <= FAMILIAR_LINES

    def _count(self, kind: Kind) -> int:
        """How many lines of a kind there were, this one too."""
        self._seen[kind] = seen = self._seen.get(kind, 0) + 1
        return seen


def _identity(line: HitLine, flooded: AbstractSet[Kind]) -> int:
    """What two lines share that are the same: in a flood, numbers tell only those apart whose prefixes have them."""
    return (words_identity if line.kind in flooded else line_identity)(line.raw)


def _stride(seen: int) -> int:
    return 1 << max(seen.bit_length() - READ_TO_A_DOUBLING.bit_length(), 0)
