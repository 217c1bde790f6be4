"""Which lines say something new of a log that repeats itself: a warning with every step says little.

Applies line by line in the log's own order, so that neither blocks nor threads can matter. Lines are told apart by
their words and by who wrote them, without times and numbers that vary.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from logrules.model.record import record
from logrules.parsing.hit_lines import Found, HitLine
from logrules.parsing.literal_matcher import Kind

# Numbers at the beginning of a line say who wrote it, but for the time; further on they are what varies.
WRITER_BYTES, MAX_TEXT_BYTES = 48, 1_024
_TIME = re.compile(rb"(?:\d{4}[-/])?\d\d[-/]\d\d(?=[ T_])|\d\d:\d\d:\d\d(?:[.,]\d+)?")
_DIGITS = b"0123456789"
# What stands before a message: marks that end in a bracket, a bar or a colon.
_PREFIXES = re.compile(rb"(?:[^\])|:]{0,48}[\])|:]+\s+)+")
# What may be an exception of any name. Source text below a frame begins with a small letter or goes on behind a name.
# Two patterns take a fifth of the time of one with an optional prefix: what the second begins with is searched quickly.
_NAME = rb"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::\s|:?\s*$)"
_NAMED, _NAMED_BEHIND = re.compile(rb"[^A-Za-z]{0,8}" + _NAME), re.compile(rb"[\])|:]\s+" + _NAME)


def line_identity(text: bytes, *, in_flood: bool = False) -> int:
    """What lines share that differ in nothing but numbers behind what may name their writer.

    That is their beginning; in a flood no more than their prefixes, if they have any.
    """
    writer, behind = _TIME.sub(b"", text[:WRITER_BYTES]), text[WRITER_BYTES:MAX_TEXT_BYTES]
    if in_flood:
        prefixes = _PREFIXES.match(writer)
        writer, behind = writer if prefixes is None else prefixes[0], text[:MAX_TEXT_BYTES]
    return hash((writer, behind.translate(None, _DIGITS)))


def may_name_exception(text: bytes) -> bool:
    """Whether a line below a frame may be an exception of any name, in CapWords as nearly all are."""
    head = text[:MAX_TEXT_BYTES]
    return _NAMED.match(head) is not None or _NAMED_BEHIND.search(head, 1) is not None


def is_doubled(times: int) -> bool:
    """Whether something comes for the first, second, fourth, eighth … time."""
    return times & (times - 1) == 0


# Lines of a traceback that are so far apart still belong together: source text and marks stand between its frames.
TRACE_GAP_LINES = 3


@record
class EntryRoles:
    """Entries by what they tell of.

    Lines with one of ``of_traces`` mean something only together with their neighbours. Those with one of ``exceptions``
    name one; those with one of ``below`` stand below a frame and may do so. Lines with one of ``telling`` tell of a
    failure. By entry, ``askers`` are the signals that ask for it: entries with the same mean the same to all rules.
    """

    of_traces: frozenset[int] = frozenset()
    exceptions: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()
    telling: frozenset[int] = frozenset()
    askers: Sequence[Hashable] = ()

    def asking(self, entries: Iterable[int]) -> set[Hashable]:
        """Who asks for one of these entries."""
        return {self.askers[entry] for entry in entries}

    def is_of_trace(self, kind: Kind) -> bool:
        """Whether lines of this kind mean something only together with their neighbours."""
        return not self.of_traces.isdisjoint(kind)

    def may_name(self, line: HitLine) -> bool:
        """Whether a line may name an exception."""
        return not self.exceptions.isdisjoint(line.kind) or may_name_exception(line.raw)


# As many lines with the same literals are read in full, then those whose words come for the first, second, fourth,
# eighth … time.
FAMILIAR_LINES = 16
# More kinds than any job writes.
MANY_KINDS = 1_024
# Words of a kind that are told apart, fewer of one that floods a window: what is left of it there is a sample already.
# Of all kinds together no more texts are told apart: a log that says something else with every line has nothing to tell
# but that it does. Behind them the first, second, fourth, eighth … line of a kind is read, whatever it says.
MAX_KIND_TEXTS, MAX_FLOOD_TEXTS, MAX_TEXTS = 1_024, 128, 16_384
# Lines of tracebacks told apart: those of two thousand ranks. Behind them their kinds are.
MAX_TRACE_TEXTS = 65_536
# Exceptions of so many words are told apart in a crowded log.
MAX_CROWD_TEXTS = 512


class RepeatFilter:
    """The lines of one log that are still worth reading.

    The first lines of a kind are news, then those whose words come for the first, second, fourth, eighth … time. In a
    traceback only what may name an exception is news again; its lines are read together.

    Some thousand literals in an order of chance come to a kind of line for every few lines. From where it has more
    kinds than any job writes, a log is *crowded*: it is read by who asks for its lines, and no more by what they say,
    for what the rules look for is less than how it may be spelt.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        self._naming = roles.exceptions | roles.below
        self._kinds: set[Kind] = set()
        self._crowded = False
        self._failing: frozenset[Hashable] = frozenset()  # those in a crowd who are told of failures
        self._times: Counter[Hashable] = Counter()  # of texts, of kinds, and of who asks
        self._texts_of: Counter[Kind] = Counter()
        self._texts: Counter[bool] = Counter()  # of tracebacks and of others

    def thinned(self, found: Found, following: Sequence[Found] = ()) -> tuple[Sequence[HitLine], int]:
        """The lines that are worth reading, and how many of them, from the first, are not only the last of their kind.

        ``following`` is what was found in the next windows: of what they tell again the last is theirs. Nobody knows
        which is the last of the log before its end, and by then it would come behind what was read since. A job that
        starts anew may fail alike in windows that are near: of its log only the next one is looked at.
        """
        self._look_for_a_crowd(found)
        again = set[Hashable]().union(*map(self._told, following if self._crowded else following[:1]))
        runs = list(self._runs(found.lines))
        news = _with_runs(self._news(found), runs)
        read = news | _with_runs(self._last(found.lines, again), runs)
        settled = max(news, default=-1)
        return [found.lines[row] for row in sorted(read)], sum(row <= settled for row in read)

    def latest(self, lines: Sequence[HitLine]) -> list[HitLine]:
        """Of lines that are held the last that tell of failures."""
        return [lines[row] for row in sorted(_with_runs(self._last(lines, frozenset()), self._runs(lines)))]

    def _look_for_a_crowd(self, found: Found) -> None:
        if self._crowded:
            return
        if not found.crowded:  # there is nothing to be told from the kinds of such a window
            self._kinds.update(line.kind for line in found.lines)
        if found.crowded or len(self._kinds) > MANY_KINDS:
            self._crowded, self._failing = True, frozenset(self._roles.asking(self._roles.telling))
            for known in (self._kinds, self._times, self._texts_of, self._texts):
                known.clear()

    def _runs(self, lines: Sequence[HitLine]) -> Iterator[list[int]]:
        """The rows of lines of tracebacks, those together that stand close together."""
        run: list[int] = []
        for row, line in enumerate(lines):
            if self._roles.is_of_trace(line.kind):
                if run and line.number - lines[run[-1]].number > TRACE_GAP_LINES:
                    yield run
                    run = []
                run.append(row)
        if run:
            yield run

    def _news(self, found: Found) -> set[int]:
        """The rows of the lines that are news. Each line counts, also behind the first new one."""
        if self._crowded:
            return {row for row, line in enumerate(found.lines) if self._is_asked_anew(line)}
        return {row for row, line in enumerate(found.lines) if self._is_news(line, found.flooded)}

    def _is_news(self, line: HitLine, flooded: AbstractSet[Kind]) -> bool:
        kind = line.kind
        of_trace, in_flood = self._roles.is_of_trace(kind), kind in flooded
        text = hash((kind, line_identity(line.raw, in_flood=in_flood)))
        seen = self._count(kind)
        if text not in self._times and not self._has_room(kind, of_trace=of_trace, in_flood=in_flood):
            return is_doubled(seen)
        times = self._count(text)
        if of_trace:
            return times == 1 or (is_doubled(times) and self._roles.may_name(line))
        return is_doubled(times) or seen <= FAMILIAR_LINES

    def _has_room(self, kind: Kind, *, of_trace: bool, in_flood: bool) -> bool:
        """Whether another text of this kind may be told apart."""
        if of_trace:
            has_room = self._texts[True] < MAX_TRACE_TEXTS
        else:
            of_kind = MAX_FLOOD_TEXTS if in_flood else MAX_KIND_TEXTS
            has_room = self._texts[False] < MAX_TEXTS and self._texts_of[kind] < of_kind
        self._texts_of[kind] += has_room
        self._texts[of_trace] += has_room
        return has_room

    def _is_asked_anew(self, line: HitLine) -> bool:
        """Whether somebody who asks, or words of an exception, come for the first, second, fourth … time."""
        asking: set[Hashable] = self._roles.asking(line.kind)
        if not self._naming.isdisjoint(line.kind) and self._roles.may_name(line):
            text = line_identity(line.raw, in_flood=True)
            if text in self._times or self._texts[True] < MAX_CROWD_TEXTS:
                self._texts[True] += text not in self._times
                asking.add(text)
        return any(map(is_doubled, list(map(self._count, asking))))

    def _count(self, what: Hashable) -> int:
        self._times[what] = times = self._times[what] + 1
        return times

    def _last(self, lines: Sequence[HitLine], again: AbstractSet[Hashable]) -> set[int]:
        """The rows of the last lines of what ends with them; of what comes ``again`` none."""
        last = {one: row for row, line in enumerate(lines) for one in self._ends_with(line)}
        return {row for one, row in last.items() if one not in again}

    def _ends_with(self, line: HitLine) -> Iterable[Hashable]:
        """What this line may be the last of: those who are told of a failure by it, or its kind if it tells of one."""
        if self._crowded:
            return self._failing & self._roles.asking(line.kind)
        if self._roles.telling.isdisjoint(line.kind):
            return ()
        return (line.kind,) if not self._roles.is_of_trace(line.kind) or self._roles.may_name(line) else ()

    def _told(self, found: Found) -> set[Hashable]:
        """What any line of a window may be the last of."""
        if self._crowded:
            return self._roles.asking(self._roles.telling.intersection(found.hits))
        return {one for line in found.lines for one in self._ends_with(line)}


def _with_runs(rows: set[int], runs: Iterable[Sequence[int]]) -> set[int]:
    """These rows, and with one of a traceback those of its other lines."""
    return rows.union(*(run for run in runs if not rows.isdisjoint(run)))
