"""Literals compiled for Hyperscan, and kept compiled: that takes 50 ms for five thousand, reading them back nothing.

Block mode on whole lines; the binding releases the GIL during a scan. Its stream mode is not
used: it brought the interpreter down in our trials (python-hyperscan 0.9.1). Hyperscan checks the version, the
processor and a checksum of what it reads back; whatever it refuses is compiled again.
"""

import marshal
from collections.abc import Sequence
from copy import copy

import hyperscan

from logrules.parsing.hits import Hits, Literal
from logrules.ruleset.cache_files import keep_for, kept_for


class HyperscanMatcher:
    """A database of literals. With ``cache`` it is read back from the user's cache folder where it was kept there."""

    name = "Hyperscan"

    def __init__(self, literals: Sequence[Literal], *, cache: bool = False) -> None:
        self._database = _kept_or_compiled(literals) if cache else _compiled(literals)
        self._scratch = self._database.scratch

    def find(self, data: bytes) -> Hits:
        """See `LiteralMatcher`."""
        found = Hits()
        end_of, number_of = found.ends.append, found.numbers.append

        def hit(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            end_of(end)
            number_of(number)

        self._database.scan(data, match_event_handler=hit, scratch=self._scratch)
        return found

    def for_another_thread(self) -> "HyperscanMatcher":
        """See `LiteralMatcher`: a database is only read, but each scan needs a scratch space of its own."""
        twin = copy(self)
        twin._scratch = hyperscan.Scratch(self._database)  # noqa: SLF001 (one of us)
        return twin


def _compiled(literals: Sequence[Literal]) -> "hyperscan.Database":
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
    database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
    database.scratch = hyperscan.Scratch(database)
    return database
