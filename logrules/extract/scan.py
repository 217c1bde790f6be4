"""One Hyperscan pass over a window: which literals of which signals are where.

Block mode on whole lines; the binding releases the GIL during a scan. Its stream mode is not
used: it brought the interpreter down in our trials (python-hyperscan 0.9.1).
"""

from collections.abc import Sequence

import hyperscan

from logrules.pack.pack import Signal


class Scanner:
    """Finds the literals of signals. One scanner serves one thread at a time.

    With ``thin``, the literals that only sampled signals ask for are reported once a scan, which
    keeps the cost of a log that is all progress lines independent of their number.
    """

    def __init__(self, signals: Sequence[Signal], *, thin: bool = False) -> None:
        askers: dict[tuple[bytes, bool, bool], list[int]] = {}
        for number, signal in enumerate(signals):
            for literal in signal.literals:
                key = (literal.encode(), signal.ignore_case, signal.sampled)
                askers.setdefault(key, []).append(number)
        self.signals_of: tuple[tuple[int, ...], ...] = tuple(tuple(dict.fromkeys(who)) for who in askers.values())
        self._database = _compile(list(askers), thin=thin) if askers else None

    def scan(self, data: bytes) -> list[tuple[int, int]]:
        """Pairs of (offset behind the literal, index into ``signals_of``), by rising offset."""
        found: list[tuple[int, int]] = []
        if self._database is not None and data:
            keep = found.append
            self._database.scan(
                data, match_event_handler=lambda entry, _start, end, _flags, _context: keep((end, entry))
            )
        return found


def _compile(entries: Sequence[tuple[bytes, bool, bool]], *, thin: bool) -> hyperscan.Database:
    flags = [
        (hyperscan.HS_FLAG_CASELESS if ignore_case else 0) | (hyperscan.HS_FLAG_SINGLEMATCH if thin and sampled else 0)
        for _, ignore_case, sampled in entries
    ]
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[literal for literal, _, _ in entries],
        ids=list(range(len(entries))),
        elements=len(entries),
        flags=flags,
        literal=True,
    )
    return database
