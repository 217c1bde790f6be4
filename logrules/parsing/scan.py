"""One Hyperscan pass over a window: which literals of which signals are where.

Block mode on whole lines; the binding releases the GIL during a scan. Its stream mode is not
used: it brought the interpreter down in our trials (python-hyperscan 0.9.1).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import hyperscan

from logrules.parsing.lines_below import lines_below
from logrules.parsing.literal_database import Entry, compiled, kept_or_compiled
from logrules.ruleset.pack import Signal, TraceForm


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a log's routine is reported: literals that only sampled signals ask for, and the ``common`` ones.

    ``routine`` is True for all of it, None for the first of each literal in a scan, False for nothing.
    What a log is full of then costs nothing, however full it is.
    """

    routine: bool | None = True
    common: frozenset[int] = frozenset()


EVERYTHING = Detail()


class Scanner:
    """Finds the literals of signals. One scanner serves one thread at a time.

    With ``cache`` its database is read back from the user's cache folder, or kept there. With a ``trace`` the lines
    below a frame are found too: an exception may have any name.
    """

    def __init__(
        self,
        signals: Sequence[Signal],
        detail: Detail = EVERYTHING,
        *,
        cache: bool = False,
        trace: TraceForm | None = None,
    ) -> None:
        askers: dict[tuple[bytes, bool], list[int]] = {}
        for number, signal in enumerate(signals):
            for literal in signal.literals:
                key = (literal.encode(), signal.sampled)
                askers.setdefault(key, []).append(number)
        self.signals_of: tuple[tuple[int, ...], ...] = tuple(tuple(dict.fromkeys(who)) for who in askers.values())
        self._frames: frozenset[int] = frozenset()
        if trace is not None and trace.below is not None:
            self._frames = frozenset(entry for entry, asked in enumerate(self.signals_of) if trace.frame in asked)
            # An entry of its own, behind those of the literals: lines below frames are not to be taken for others.
            self.signals_of = (*self.signals_of, (trace.below,))
        self.sampled = frozenset(number for number, (_, sampled) in enumerate(askers) if sampled)
        entries = list(_wanted(list(askers), detail))
        self._database = (kept_or_compiled(entries) if cache else compiled(entries)) if entries else None

    def scan(self, data: bytes) -> list[tuple[int, int]]:
        """Pairs of (offset behind the literal, index into ``signals_of``), by rising offset."""
        found: list[tuple[int, int]] = []
        if self._database is not None and data:
            keep = found.append
            self._database.scan(
                data, match_event_handler=lambda entry, _start, end, _flags, _context: keep((end, entry))
            )
        if self._frames:
            below = lines_below(data, [end for end, entry in found if entry in self._frames])
            if below:
                found = sorted([*found, *((at, len(self.signals_of) - 1) for at in below)])
        return found


def _wanted(entries: Sequence[tuple[bytes, bool]], detail: Detail) -> Iterator[Entry]:
    for number, (literal, sampled) in enumerate(entries):
        flags = 0
        if detail.routine is not True and (sampled or number in detail.common):
            if detail.routine is False:
                continue
            flags |= hyperscan.HS_FLAG_SINGLEMATCH
        yield literal, number, flags
