"""Literals in an Aho-Corasick automaton: for platforms that Hyperscan has no wheels for."""

from collections.abc import Iterator, Sequence

import ahocorasick_rs

from logrules.parsing.hits import Hits, Literal


class AhoCorasickMatcher:
    """An automaton of literals. It is made in milliseconds, so nothing of it is kept."""

    name = "ahocorasick_rs"

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._literals = tuple(literals)
        self._automaton = ahocorasick_rs.BytesAhoCorasick([data for data, _, _ in literals])

    def find(self, data: bytes) -> Hits:
        """See `LiteralMatcher`."""
        return Hits(self._found(data))

    def for_another_thread(self) -> "AhoCorasickMatcher":
        """See `LiteralMatcher`: nothing in an automaton changes while it searches."""
        return self

    def _found(self, data: bytes) -> Iterator[tuple[int, int]]:
        done: set[int] = set()
        for place, _start, end in self._automaton.find_matches_as_indexes(data, overlapping=True):
            if place in done:
                continue
            _, number, once = self._literals[place]
            if once:
                done.add(place)
            yield end, number
