"""What a log has said before is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

from logrules.parsing.hit_lines import Found, HitLine, Kind, kind_of

# As many lines with the same literals are read in full, then those whose words come for the first, second, fourth,
# eighth … time.
FAMILIAR_LINES = 16
# Words of a kind that are told apart. Behind them those that are new are read sixteen times to each doubling of the
# number of lines: what is read of a kind that never says the same grows with the logarithm of how often it comes.
MAX_KIND_TEXTS = 1_024
READ_TO_A_DOUBLING = 16


# Lines of a traceback that are so far apart still belong together: source text and marks stand between its frames.
TRACE_GAP_LINES = 3
# Lines of tracebacks told apart; what comes beyond them is read as if it were new.
MAX_TRACE_TEXTS = 65_536
# Numbers at the beginning of a line say who wrote it, but for the time; further on they are what varies.
WRITER_BYTES, MAX_TEXT_BYTES = 48, 1_024
_TIME = re.compile(rb"(?:\d{4}[-/])?\d\d[-/]\d\d(?=[ T_])|\d\d:\d\d:\d\d(?:[.,]\d+)?")
_DIGITS = b"0123456789"
# What may be an exception of any name. Source text below a frame begins with a small letter or goes on behind a name.
_NAMED = re.compile(rb"[^A-Za-z]{0,8}(?:.{1,200}?[\])|:]\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::\s|:?\s*$)")


class RepeatFilter:
    """The lines of one source that are still worth reading.

    Lines with one of ``of_traces`` mean something only together with their neighbours: a run of them is read where one
    that may name an exception comes for the first, second, fourth, eighth … time, or any other for the first. Those
    with one of ``exceptions`` do name one. Two lines are the same if nothing but numbers differs behind what may name
    their writer.

    Of lines with one of ``telling`` the last of each kind in a window is read too: nobody knows which is the last of
    the log before its end, and by then it would come behind what was read since.
    """

    def __init__(
        self,
        of_traces: frozenset[int],
        exceptions: frozenset[int] = frozenset(),
        telling: frozenset[int] = frozenset(),
    ) -> None:
        self._of_traces = of_traces
        self._exceptions = exceptions
        self._telling = telling
        self._seen: Counter[Kind] = Counter()
        self._texts_of: Counter[Kind] = Counter()
        self._told: Counter[int] = Counter()
        self._texts: Counter[int] = Counter()

    def thinned(self, found: Found) -> Found:
        """The same without what was read often enough."""
        kinds = [kind_of(line.hits) for line in found.lines]
        of_trace = [self._is_of_trace(kind) for kind in kinds]
        last = self._last_of_each(found.lines, kinds)
        runs = _runs(compress(found.lines, of_trace))
        read = frozenset(line.number for run in runs if self._has_news(run, last) for line in run)
        kept = tuple(
            line
            for line, kind, traced in zip(found.lines, kinds, of_trace, strict=True)
            if (line.number in read if traced else self._is_worth(kind, line.raw) or line.number in last)
        )
        return replace(found, lines=kept, thinned=True)

    def _last_of_each(self, lines: Sequence[HitLine], kinds: Sequence[Kind]) -> frozenset[int]:
        """The numbers of the last lines of each kind that tells; in a traceback those that may name an exception."""
        last: dict[Kind, int] = {}
        for line, kind in zip(reversed(lines), reversed(kinds), strict=True):
            if kind in last or self._telling.isdisjoint(kind):
                continue
            if not self._is_of_trace(kind) or self._may_name(line):
                last[kind] = line.number
        return frozenset(last.values())

    def _is_of_trace(self, kind: Kind) -> bool:
        return not self._of_traces.isdisjoint(kind)

    def _has_news(self, run: Sequence[HitLine], last: frozenset[int]) -> bool:
        # Each line counts, also behind the first new one.
        news = [self._is_news(line) or line.number in last for line in run]
        return any(news)

    def _is_news(self, line: HitLine) -> bool:
        known = _identity(line.raw)
        if known not in self._texts and len(self._texts) >= MAX_TRACE_TEXTS:
            return True
        self._texts[known] = seen = self._texts[known] + 1
        return seen == 1 or (_is_doubled(seen) and self._may_name(line))

    def _may_name(self, line: HitLine) -> bool:
        if any(entry in self._exceptions for _, entry in line.hits):
            return True
        return _NAMED.match(line.raw[:MAX_TEXT_BYTES]) is not None

    def _is_worth(self, kind: Kind, text: bytes) -> bool:
        self._seen[kind] = seen = self._seen[kind] + 1
        told = hash((kind, _identity(text)))
        if told not in self._told:
            if self._texts_of[kind] >= MAX_KIND_TEXTS:
                return seen % _stride(seen) == 0
            self._texts_of[kind] += 1
        self._told[told] = times = self._told[told] + 1
        return seen <= FAMILIAR_LINES or _is_doubled(times)


def _identity(text: bytes) -> int:
    writer = _TIME.sub(b"", text[:WRITER_BYTES])
    return hash(writer + text[WRITER_BYTES:MAX_TEXT_BYTES].translate(None, _DIGITS))


def _is_doubled(times: int) -> bool:
    return times & (times - 1) == 0


def _runs(lines: Iterable[HitLine]) -> Iterator[list[HitLine]]:
    """Lines that stand close together."""
    run: list[HitLine] = []
    for line in lines:
        if run and line.number - run[-1].number > TRACE_GAP_LINES:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _stride(seen: int) -> int:
    return 1 << max(seen.bit_length() - READ_TO_A_DOUBLING.bit_length(), 0)
