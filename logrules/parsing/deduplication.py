"""What a log has said hundreds of times is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from logrules.parsing.hit_lines import Found

# As many lines with the same literals are read in full; then one whenever they have grown by a part in so many. What is
# read of a kind grows with the logarithm of how often it comes, and doubles of it are never passed over.
FAMILIAR_LINES = 64
FAMILIAR_PART = 16


class RepeatFilter:
    """The lines of one source that are still worth reading. Lines with one of ``always`` are."""

    def __init__(self, always: frozenset[int]) -> None:
        self._always = always
        self._seen: Counter[tuple[int, ...]] = Counter()
        self._due: dict[tuple[int, ...], int] = {}

    def thinned(self, found: Found) -> Found:
        """The same without what was read often enough."""
        kept = tuple(line for line in found.lines if self._worth(line.hits))
        return found if len(kept) == len(found.lines) else replace(found, lines=kept)

    def _worth(self, hits: Sequence[tuple[int, int]]) -> bool:
        kind = tuple(dict.fromkeys(entry for _, entry in hits))
        if not self._always.isdisjoint(kind):
            return True
        self._seen[kind] = seen = self._seen[kind] + 1
        if seen <= FAMILIAR_LINES:
            return True
        if seen < self._due.get(kind, FAMILIAR_LINES + FAMILIAR_LINES // FAMILIAR_PART):
            return False
        self._due[kind] = seen + seen // FAMILIAR_PART
        return True
