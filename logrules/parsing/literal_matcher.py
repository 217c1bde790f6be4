"""Finds thousands of literals in one pass: with Hyperscan where it is installed, else with an Aho-Corasick automaton.

Both find the same. Hyperscan is the faster by far (2 GB/s against 0.3), but has no wheels for some platforms.
"""

import marshal
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from logrules.model.errors import LogrulesError
from logrules.ruleset.cache_files import keep_for, kept_for

if TYPE_CHECKING:
    import hyperscan


# Bytes to be found, the number to report for them, and whether only their first place in a scan is asked for.
Literal: TypeAlias = tuple[bytes, int, bool]
# The numbers that are found in a line, each once, in their order.
Kind: TypeAlias = tuple[int, ...]


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


class HyperscanMatcher:
    """Literals compiled for Hyperscan. One matcher serves one thread at a time.

    Block mode on whole lines; the binding releases the GIL during a scan. Its stream mode is not used: it brought the
    interpreter down in our trials (python-hyperscan 0.9.1). With ``cache`` what was compiled is kept in the user's
    folder: that takes 50 ms for five thousand, reading them back nothing.

    Raises ImportError where the library is not installed.
    """

    name = "Hyperscan"

    def __init__(self, literals: Sequence[Literal], *, cache: bool = False) -> None:
        self._database = _kept_or_compiled(literals) if cache else _compiled(literals)
        self._scratch = self._database.scratch

    def find(self, data: bytes) -> Hits:
        """Where the literals stand; overlapping ones too."""
        found = Hits()
        end_of, number_of = found.ends.append, found.numbers.append

        def hit(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            end_of(end)
            number_of(number)

        self._database.scan(data, match_event_handler=hit, scratch=self._scratch)
        return found

    def for_another_thread(self) -> "HyperscanMatcher":
        """The same database, which is only read; each scan needs a scratch space of its own."""
        import hyperscan

        twin = copy(self)
        twin._scratch = hyperscan.Scratch(self._database)  # noqa: SLF001 (one of us)
        return twin


class AhoCorasickMatcher:
    """The same with an automaton, which is made in milliseconds, so that nothing of it is kept."""

    name = "ahocorasick_rs"

    def __init__(self, literals: Sequence[Literal]) -> None:
        import ahocorasick_rs

        self._literals = tuple(literals)
        self._automaton = ahocorasick_rs.BytesAhoCorasick([data for data, _, _ in literals])

    def find(self, data: bytes) -> Hits:
        """Where the literals stand; overlapping ones too."""
        return Hits(self._found(data))

    def for_another_thread(self) -> "AhoCorasickMatcher":
        """Itself: nothing in an automaton changes while it searches."""
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


LiteralMatcher: TypeAlias = HyperscanMatcher | AhoCorasickMatcher


def matcher_of(literals: Sequence[Literal], *, cache: bool = False) -> LiteralMatcher:
    """What finds these literals, at least one. With ``cache`` it is kept in the user's folder, where that saves time.

    Raises LogrulesError where neither library is installed.
    """
    try:
        return HyperscanMatcher(literals, cache=cache)
    except ImportError:
        pass
    try:
        return AhoCorasickMatcher(literals)
    except ImportError:
        message = "neither hyperscan nor ahocorasick-rs is installed in this Python: install one of them"
        raise LogrulesError(message) from None


def _compiled(literals: Sequence[Literal]) -> "hyperscan.Database":
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[data for data, _, _ in literals],
        ids=[number for _, number, _ in literals],
        elements=len(literals),
        flags=[hyperscan.HS_FLAG_SINGLEMATCH if once else 0 for _, _, once in literals],
        literal=True,
    )
    return database


def _kept_or_compiled(literals: Sequence[Literal]) -> "hyperscan.Database":
    """Hyperscan checks version, processor and checksum of what it reads back: what it refuses is compiled again."""
    import hyperscan

    asked = _identity(literals)
    body = kept_for("scan", asked)
    if body is not None:
        try:
            return _read_back(bytes(body))
        except hyperscan.error:
            pass
    database = _compiled(literals)
    keep_for("scan", asked, hyperscan.dumpb(database))
    return database


def _identity(literals: Sequence[Literal]) -> bytes:
    """All that the literals are. The old form of `marshal` depends on values alone, not on who else holds them."""
    return marshal.dumps([*literals], 2)


def _read_back(body: bytes) -> "hyperscan.Database":
    import hyperscan

    database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
    database.scratch = hyperscan.Scratch(database)
    return database
