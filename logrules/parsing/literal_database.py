"""Literals compiled for Hyperscan, and kept compiled: that takes 50 ms for five thousand, reading them back nothing.

Hyperscan checks the version, the processor and a checksum of what it reads back; whatever it
refuses is compiled again.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeAlias

import hyperscan

from logrules.ruleset.cache_files import keep, kept

# (literal, number to report, Hyperscan flags)
Entry: TypeAlias = tuple[bytes, int, int]


def compiled(entries: Sequence[Entry]) -> "hyperscan.Database":
    """A database of these literals, at least one."""
    expressions, ids, flags = zip(*entries, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=expressions, ids=ids, elements=len(entries), flags=flags, literal=True)
    return database


def kept_or_compiled(entries: Sequence[Entry]) -> "hyperscan.Database":
    """The same, read back from the user's cache folder where it was kept there."""
    seen = hashlib.sha256()
    for literal, number, flags in entries:
        seen.update(b"%d %d %d " % (len(literal), number, flags) + literal)
    name = f"scan-{seen.hexdigest()[:32]}.hs"
    body = kept(name)
    if body is not None:
        try:
            return _read_back(body)
        except hyperscan.error:
            pass
    database = compiled(entries)
    keep("scan", name, hyperscan.dumpb(database))
    return database


def _read_back(body: bytes) -> "hyperscan.Database":
    database = hyperscan.loadb(body, hyperscan.HS_MODE_BLOCK)
    database.scratch = hyperscan.Scratch(database)
    return database
