"""All signals of a pack by their numbers, and the literals by which a scan finds them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from logrules.model.record import record
from logrules.ruleset.long_table import LongTable

if TYPE_CHECKING:
    from logrules.ruleset.pack import Signal


@record
class LiteralTable:
    """The literals of signals, each once: sampled signals have entries of their own.

    ``asked_by`` are the numbers of the signals that ask for each entry, ``sampled`` the entries of sampled signals.
    """

    texts: tuple[bytes, ...] = ()
    asked_by: tuple[tuple[int, ...], ...] = ()
    sampled: tuple[int, ...] = ()


class SignalTable(LongTable["Signal", LiteralTable]):
    """All signals of a pack. Rules, markers and tables name them by their numbers."""

    @staticmethod
    def summarized(rows: Iterable["Signal"]) -> LiteralTable:
        """The literals of the signals."""
        askers: dict[tuple[bytes, bool], tuple[int, ...]] = {}
        for number, signal in enumerate(rows):
            for literal in signal.literals:
                key = (literal.encode(), signal.sampled)
                known = askers.get(key, ())
                if number not in known:
                    askers[key] = (*known, number)
        return LiteralTable(
            tuple(text for text, _ in askers),
            tuple(askers.values()),
            tuple(entry for entry, (_, sampled) in enumerate(askers) if sampled),
        )


def literals_of(signals: "Sequence[Signal]") -> LiteralTable:
    """The literals of some signals, numbered as they are here."""
    return signals.summary if isinstance(signals, SignalTable) else SignalTable.summarized(signals)
