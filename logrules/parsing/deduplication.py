"""What a log has said hundreds of times is read ever more seldom: a warning with every step says little new.

Applies between the head and the tail of a big log only, line by line in the log's own order, so
that neither blocks nor threads can matter.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from logrules.parsing.hit_lines import Found, Kind, kind_of

# As many lines with the same literals are read in full, then sixteen to each doubling of their number, the doubled one
# among them: what is read of a kind grows with the logarithm of how often it comes.
FAMILIAR_LINES = 64
READ_TO_A_DOUBLING = 16


class RepeatFilter:
    """The lines of one source that are still worth reading. Lines with one of ``always`` are."""

    def __init__(self, always: frozenset[int]) -> None:
        self._always = always
        self._seen: Counter[Kind] = Counter()

    def thinned(self, found: Found) -> Found:
        """The same without what was read often enough."""
        kept = tuple(line for line in found.lines if self._worth(line.hits))
        return found if len(kept) == len(found.lines) else replace(found, lines=kept)

    def _worth(self, hits: Sequence[tuple[int, int]]) -> bool:
        kind = kind_of(hits)
        if not self._always.isdisjoint(kind):
            return True
        self._seen[kind] = seen = self._seen[kind] + 1
        return seen <= FAMILIAR_LINES or seen % _stride(seen) == 0


def _stride(seen: int) -> int:
    return 1 << (seen.bit_length() - READ_TO_A_DOUBLING.bit_length())
