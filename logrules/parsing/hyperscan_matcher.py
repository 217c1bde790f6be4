"""Literals compiled for Hyperscan, and kept compiled: that takes 50 ms for five thousand, reading them back nothing.

Block mode on whole lines; the binding releases the GIL during a scan. Its stream mode is not
used: it brought the interpreter down in our trials (python-hyperscan 0.9.1). Hyperscan checks the version, the
processor and a checksum of what it reads back; whatever it refuses is compiled again.
"""

import hashlib
from collections.abc import Sequence

import hyperscan

from logrules.ruleset.cache_files import keep, kept


class HyperscanMatcher:
    """A database of literals: bytes, the number to report, and whether only their first place is asked for."""

    name = "Hyperscan"

    def __init__(self, literals: Sequence[tuple[bytes, int, bool]]) -> None:
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[data for data, _, _ in literals],
            ids=[number for _, number, _ in literals],
            elements=len(literals),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH if once else 0 for _, _, once in literals],
            literal=True,
        )

    @classmethod
    def kept(cls, literals: Sequence[tuple[bytes, int, bool]]) -> "HyperscanMatcher":
        """The same, read back from the user's cache folder where it was kept there."""
        seen = hashlib.sha256()
        for data, number, once in literals:
            seen.update(b"%d %d %d " % (len(data), number, once) + data)
        name = f"scan-{seen.hexdigest()[:32]}.hs"
        body = kept(name)
        if body is not None:
            try:
                return cls._read_back(body)
            except hyperscan.error:
                pass
        made = cls(literals)
        keep("scan", name, hyperscan.dumpb(made._database))
        return made

    @classmethod
    def _read_back(cls, body: bytes) -> "HyperscanMatcher":
        made = cls.__new__(cls)
        made._database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
        made._database.scratch = hyperscan.Scratch(made._database)
        return made

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """See `LiteralMatcher`."""
        found: list[tuple[int, int]] = []
        hit = found.append
        self._database.scan(data, match_event_handler=lambda number, _start, end, _flags, _context: hit((end, number)))
        return found
