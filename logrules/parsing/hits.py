"""Where literals stand, in two columns: of as many tuples one full line took 30 MB."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TypeAlias

# Bytes to be found, the number to report for them, and whether only their first place in a scan is asked for.
Literal: TypeAlias = tuple[bytes, int, bool]


class Hits:
    """Pairs of (offset behind the literal, its number), by rising offset: the columns ``ends`` and ``numbers``."""

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        made = list(pairs)
        self.ends = array("q", map(itemgetter(0), made))
        self.numbers = array("i", map(itemgetter(1), made))

    def with_more(self, ends: Iterable[int], number: int) -> "Hits":
        """These and, at rising offsets, few more of one number: behind what ends there too."""
        found, taken = Hits(), 0
        for end in ends:
            place = bisect_right(self.ends, end, taken)
            found.ends += self.ends[taken:place]
            found.numbers += self.numbers[taken:place]
            found.ends.append(end)
            found.numbers.append(number)
            taken = place
        found.ends += self.ends[taken:]
        found.numbers += self.numbers[taken:]
        return found

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.ends, self.numbers, strict=True)
