"""What a log has said hundreds of times is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

from logrules.parsing.hit_lines import Found, HitLine, Kind, kind_of

# As many lines with the same literals are read in full, then sixteen to each doubling of their number, the doubled one
# among them: what is read of a kind grows with the logarithm of how often it comes.
FAMILIAR_LINES = 64
READ_TO_A_DOUBLING = 16


# Lines of a traceback that are so far apart still belong together: source text and marks stand between its frames.
TRACE_GAP_LINES = 3
# Lines of tracebacks told apart; what comes beyond them is read as if it were new.
MAX_TRACE_TEXTS = 65_536


class RepeatFilter:
    """The lines of one source that are still worth reading.

    Lines with one of ``of_traces`` mean something only together with their neighbours: a run of them is read where any
    of its lines comes, letter by letter, for the first, second, fourth, eighth … time.
    """

    def __init__(self, of_traces: frozenset[int]) -> None:
        self._of_traces = of_traces
        self._seen: Counter[Kind] = Counter()
        self._texts: Counter[int] = Counter()

    def thinned(self, found: Found) -> Found:
        """The same without what was read often enough."""
        of_trace = [self._is_of_trace(line) for line in found.lines]
        runs = _runs(compress(found.lines, of_trace))
        read = frozenset(line.number for run in runs if self._has_news(run) for line in run)
        kept = tuple(
            line
            for line, traced in zip(found.lines, of_trace, strict=True)
            if (line.number in read if traced else self._is_worth(kind_of(line.hits)))
        )
        return found if len(kept) == len(found.lines) else replace(found, lines=kept)

    def _is_of_trace(self, line: HitLine) -> bool:
        return any(entry in self._of_traces for _, entry in line.hits)

    def _has_news(self, run: Sequence[HitLine]) -> bool:
        # Each line counts, also behind the first new one.
        news = [self._is_news(line.raw) for line in run]
        return any(news)

    def _is_news(self, text: bytes) -> bool:
        known = hash(text)
        if known not in self._texts and len(self._texts) >= MAX_TRACE_TEXTS:
            return True
        self._texts[known] = seen = self._texts[known] + 1
        return seen & (seen - 1) == 0

    def _is_worth(self, kind: Kind) -> bool:
        self._seen[kind] = seen = self._seen[kind] + 1
        return seen <= FAMILIAR_LINES or seen % _stride(seen) == 0


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
    return 1 << (seen.bit_length() - READ_TO_A_DOUBLING.bit_length())
