"""Finds thousands of literals in one pass: with Hyperscan where it is installed, else with an Aho-Corasick automaton.

Both find the same. Hyperscan is the faster by far (2 GB/s against 0.3), but has no wheels for some platforms.
"""

from collections.abc import Sequence
from typing import Protocol

from logrules.model.errors import LogrulesError
from logrules.parsing.hits import Hits, Literal


class LiteralMatcher(Protocol):
    """Literals compiled, by the library ``name``. One serves one thread at a time."""

    name: str

    def find(self, data: bytes) -> Hits:
        """Where they stand; overlapping ones too."""
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
