"""A log of more kinds of lines than any job writes: what its lines say is told apart no more, only who asks for them.

Some thousand literals in an order of chance come to a kind of line for every few lines, and to read each kind as it
doubles is to read most of them. What the rules look for is less than how it may be spelt.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from logrules.parsing.entry_roles import EntryRoles, runs
from logrules.parsing.hit_line import HitLine
from logrules.parsing.hit_lines import Found
from logrules.parsing.line_identity import is_doubled, words_identity

# Exceptions of so many words are told apart.
MAX_CROWD_TEXTS = 512


class CrowdedLog:
    """The lines of such a log that are read.

    Those where a signal, or whoever else asks for lines, is answered for the first, second, fourth, eighth … time;
    those that name an exception whose words come so often; of who is told of failures the last, as far as none of the
    next windows has one for him. Of lines that mean something only together all are read where one of them is.
    """

    def __init__(self, roles: EntryRoles) -> None:
        self._roles = roles
        self._times: dict[int, int] = {}
        self._naming = roles.exceptions | roles.below
        self._texts: Counter[int] = Counter()

    def read(self, found: Found, following: Iterable[Found]) -> tuple[HitLine, ...]:
        """The lines of a window that are read; ``following`` is what the next windows gave."""
        closing = self._told(found).difference(*map(self._told, following))
        return tuple(found.lines[row] for row in self._rows(found.lines, closing))

    def _is_news(self, line: HitLine) -> bool:
        """Whether a line names an exception whose words come for the first, second, fourth, eighth … time."""
        if self._naming.isdisjoint(line.kind) or not self._roles.may_name(line):
            return False
        words = words_identity(line.raw)
        if words not in self._texts and len(self._texts) >= MAX_CROWD_TEXTS:
            return False
        self._texts[words] += 1
        return is_doubled(self._texts[words])

    def _told(self, found: Found) -> set[int]:
        """Who is told of a failure in a window."""
        return self._roles.asking(self._roles.telling.intersection(found.hits))

    def _rows(self, lines: Sequence[HitLine], closing: set[int]) -> list[int]:
        news: set[int] = set()
        last: dict[int, int] = {}
        times = self._times
        for row, line in enumerate(lines):
            for one in self._roles.asking(line.kind):
                times[one] = answered = times.get(one, 0) + 1
                if is_doubled(answered):
                    news.add(row)
                if one in closing:
                    last[one] = row
            if self._is_news(line):
                news.add(row)
        news.update(last.values())
        of_traces = [row for row, line in enumerate(lines) if not self._roles.of_traces.isdisjoint(line.kind)]
        for run in runs(of_traces, lambda row: lines[row].number):
            if not news.isdisjoint(run):
                news.update(run)
        return sorted(news)
