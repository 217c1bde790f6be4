"""Which hit lines of a big log are still worth reading: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so that neither blocks nor
threads can matter. Lines are told apart by their words and by who wrote them, without times and numbers that vary.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from logrules.model.record import record, replace
from logrules.parsing.hit_line import HitLine, Kind
from logrules.parsing.hit_lines import Found

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


def _beginning(text: bytes) -> bytes:
    """The beginning of a line, where it may say who wrote it, without a time."""
    return _TIME.sub(b"", text[:WRITER_BYTES])


def line_identity(text: bytes) -> int:
    """What lines share that differ in nothing but numbers behind what may name their writer."""
    return hash(_beginning(text) + text[WRITER_BYTES:MAX_TEXT_BYTES].translate(None, _DIGITS))


def words_identity(text: bytes) -> int:
    """The same without any number but those of its prefixes; where it has none, with those of its beginning."""
    beginning = _beginning(text)
    prefixes = _PREFIXES.match(beginning)
    writer = beginning if prefixes is None else prefixes[0]
    return hash((writer, text[:MAX_TEXT_BYTES].translate(None, _DIGITS)))


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

    Of lines that mean something only together with their neighbours all are read where one of them is. From where it
    has more kinds than any job writes, a log is read by who asks for its lines, and no more by what they say.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        self._kinds: set[Kind] = set()
        self._sample: SampleByKind | SampleByAsker = SampleByKind(roles)

    def thinned(self, found: Found, following: Sequence[Found] = ()) -> Found:
        """The same without what was read often enough; ``following`` is what the next windows gave."""
        if isinstance(self._sample, SampleByKind) and self._is_crowded(found):
            self._kinds.clear()
            self._sample = SampleByAsker(self._roles)
        lines = found.lines
        read = self._sample.news(found) | self._sample.last(found, following)
        for run in self._runs(lines):
            if not read.isdisjoint(run):
                read.update(run)
        return replace(found, lines=tuple(lines[row] for row in sorted(read)), thinned=True)

    def _is_crowded(self, found: Found) -> bool:
        if not found.crowded:  # there is nothing to be told from the kinds of such a window
            self._kinds.update(line.kind for line in found.lines)
        return found.crowded or len(self._kinds) > MANY_KINDS

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


class SampleByKind:
    """Which lines of a log say something new.

    In a traceback those are news that may name an exception, whenever their words come for the first, second, fourth,
    eighth … time, and any other for the first. Two lines are the same if nothing but numbers differs behind what may
    name their writer; of a kind that floods a window, nothing but numbers behind its prefixes.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        self._seen: Counter[Kind] = Counter()
        self._texts_of: Counter[Kind] = Counter()
        self._told: Counter[int] = Counter()
        self._texts: Counter[int] = Counter()

    def news(self, found: Found) -> set[int]:
        """The rows of the lines of a window that are news. Each line counts, also behind the first new one."""
        return {
            row
            for row, line in enumerate(found.lines)
            if (self._is_news if self._roles.is_of_trace(line.kind) else self._is_worth)(line, found.flooded)
        }

    def last(self, found: Found, following: Sequence[Found]) -> set[int]:
        """The rows of the last lines of each kind that tells, in a traceback those that may name an exception.

        But for those of which the next window has more: nobody knows which is the last of the log before its end, and
        by then it would come behind what was read since. A job that starts anew may fail alike in windows that are
        near: of its log only the next one is looked at.
        """
        again = self._latest(following[0].lines) if following else {}
        return {row for kind, row in self._latest(found.lines).items() if kind not in again}

    def _latest(self, lines: Iterable[HitLine]) -> dict[Kind, int]:
        latest = {line.kind: row for row, line in enumerate(lines)}
        telling = {kind for kind in latest if not self._roles.telling.isdisjoint(kind)}
        of_trace = {kind for kind in telling if self._roles.is_of_trace(kind)}
        named = {
            line.kind: row for row, line in enumerate(lines) if line.kind in of_trace and self._roles.may_name(line)
        }
        return {**{kind: latest[kind] for kind in telling - of_trace}, **named}

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
        self._seen[kind] = seen = self._seen[kind] + 1
        return seen


def _identity(line: HitLine, flooded: AbstractSet[Kind]) -> int:
    """What two lines share that are the same: in a flood, numbers tell only those apart whose prefixes have them."""
    return (words_identity if line.kind in flooded else line_identity)(line.raw)


def _stride(seen: int) -> int:
    return 1 << max(seen.bit_length() - READ_TO_A_DOUBLING.bit_length(), 0)


# Exceptions of so many words are told apart in a crowded log.
MAX_CROWD_TEXTS = 512


class SampleByAsker:
    """Which lines of a log are read whose lines are told apart no more, only who asks for them.

    Some thousand literals in an order of chance come to a kind of line for every few lines, and to read each kind as it
    doubles is to read most of them. What the rules look for is less than how it may be spelt.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        self._times: Counter[Hashable] = Counter()
        self._naming = roles.exceptions | roles.below
        self._texts: Counter[int] = Counter()

    def news(self, found: Found) -> set[int]:
        """The rows where somebody who asks, or words of an exception, come for the first, second, fourth … time."""
        rows: set[int] = set()
        for row, line in enumerate(found.lines):
            asking = self._roles.asking(line.kind)
            self._times.update(asking)
            if any(is_doubled(self._times[one]) for one in asking):
                rows.add(row)
            if self._names_anew(line):
                rows.add(row)
        return rows

    def last(self, found: Found, following: Sequence[Found]) -> set[int]:
        """The rows of the last line for each who is told of failures, as far as none of the next windows has one."""
        closing = self._told(found).difference(*map(self._told, following))
        last = {one: row for row, line in enumerate(found.lines) for one in self._roles.asking(line.kind) & closing}
        return set(last.values())

    def _names_anew(self, line: HitLine) -> bool:
        if self._naming.isdisjoint(line.kind) or not self._roles.may_name(line):
            return False
        words = words_identity(line.raw)
        if words not in self._texts and len(self._texts) >= MAX_CROWD_TEXTS:
            return False
        self._texts[words] += 1
        return is_doubled(self._texts[words])

    def _told(self, found: Found) -> set[Hashable]:
        """Who is told of a failure in a window."""
        return self._roles.asking(self._roles.telling.intersection(found.hits))
