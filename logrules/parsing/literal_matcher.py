"""Finds thousands of literals in one pass: with Hyperscan where it is installed, else with an Aho-Corasick automaton.

Both find the same. Hyperscan is the faster by far (2 GB/s against 0.3), but has no wheels for some platforms.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, overload

from logrules.model.errors import LogrulesError


class Literal(NamedTuple):
    """Bytes to be found, and the number to report for them; ``once`` asks for the first place of each scan only."""

    data: bytes
    number: int
    once: bool = False


class HitColumns(Sequence[tuple[int, int]]):
    """Pairs of (offset behind the literal, its number) in two columns: of as many tuples a full line took 30 MB."""

    def __init__(self) -> None:
        self.ends, self.numbers = array("q"), array("l")

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.ends, self.numbers, strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, place: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        if isinstance(place, slice):
            return list(zip(self.ends[place], self.numbers[place], strict=True))
        return self.ends[place], self.numbers[place]


class LiteralMatcher(Protocol):
    """Literals compiled, by the library ``name``. One serves one thread at a time."""

    name: str

    def find(self, data: bytes) -> Sequence[tuple[int, int]]:
        """Pairs of (offset behind the literal, its number), by rising offset; overlapping ones too."""
        ...

    def for_another_thread(self) -> "LiteralMatcher":
        """The same literals, compiled no second time."""
        ...


def matcher_of(literals: Sequence[Literal], *, cache: bool = False) -> LiteralMatcher:
    """What finds these literals, at least one. With ``cache`` it is kept in the user's folder, where that saves time.

    Raises LogrulesError where neither library is installed.
    """
    try:
        from logrules.parsing.hyperscan_matcher import HyperscanMatcher
    except ImportError:
        return _without_hyperscan(literals)
    return HyperscanMatcher(literals, cache=cache)


def _without_hyperscan(literals: Sequence[Literal]) -> LiteralMatcher:
    try:
        from logrules.parsing.aho_corasick_matcher import AhoCorasickMatcher
    except ImportError:
        message = "neither hyperscan nor ahocorasick-rs is installed in this Python: install one of them"
        raise LogrulesError(message) from None
    return AhoCorasickMatcher(literals)
