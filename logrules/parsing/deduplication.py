"""What a log has said hundreds of times is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from logrules.parsing.hit_lines import Found

# As many lines with the same literals are read in full; of those that follow, one in so many.
FAMILIAR_LINES = 256
FAMILIAR_APART = 32


class RepeatFilter:
    """The lines of one source that are still worth reading. Lines with one of ``always`` are."""

    def __init__(self, always: frozenset[int]) -> None:
        self._always = always
        self._seen: Counter[tuple[int, ...]] = Counter()

    def thinned(self, found: Found) -> Found:
        """The same without what was read often enough."""
        kept = tuple(line for line in found.lines if self._worth(line.hits))
        return found if len(kept) == len(found.lines) else replace(found, lines=kept)

    def _worth(self, hits: Sequence[tuple[int, int]]) -> bool:
        kind = tuple(dict.fromkeys(entry for _, entry in hits))
        if not self._always.isdisjoint(kind):
            return True
        self._seen[kind] += 1
        beyond = self._seen[kind] - FAMILIAR_LINES
        return beyond <= 0 or beyond % FAMILIAR_APART == 0
