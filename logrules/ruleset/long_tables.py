"""The long tables of a pack, its signals and its rules, of which a diagnosis needs a few rows.

Each row is built when somebody asks for it. What is asked of all of them together is kept beside them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from logrules.model.record import field, record
from logrules.ruleset.condition import Absence, Metrical, Stillness, all_signals, leaves

if TYPE_CHECKING:
    from logrules.ruleset.pack import Rule, Signal

Row = TypeVar("Row")
Summary = TypeVar("Summary")


class LongTable(Sequence[Row], Generic[Row, Summary]):
    """Frozen rows in order, and their ``summary``: what is asked of all of them, which is kept with them.

    To build the thousands of rows of a kept pack takes longer than to read a log of a hundred lines.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: list[Row | bytes] = list(rows)
        self._built: Callable[[bytes], Row] | None = None
        self._summary: Summary | None = None

    @classmethod
    def from_kept(cls, rows: list[bytes], built: Callable[[bytes], Row], summary: Summary) -> "LongTable[Row, Summary]":
        """A table of rows as they were kept, each of which ``built`` makes from its bytes."""
        found = cls()
        found._rows, found._built, found._summary = [*rows], built, summary
        return found

    @staticmethod
    def summarized(rows: Sequence[Row]) -> Summary:
        """What is asked of all rows together."""
        raise NotImplementedError

    @property
    def summary(self) -> Summary:
        """What is asked of all rows together; reckoned once, and for a kept table not at all."""
        if self._summary is None:
            self._summary = self.summarized(self)
        return self._summary

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return tuple(map(self._row, range(*place.indices(len(self._rows)))))
        row = self._rows[place]
        return self._row(place) if isinstance(row, bytes) else row

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(len(self._rows)))

    def _row(self, place: int) -> Row:
        row = self._rows[place]
        if isinstance(row, bytes) and self._built is not None:
            row = self._rows[place] = self._built(row)
        return row  # type: ignore[return-value]  # bytes only in a table that can build them

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, LongTable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of other mutable values: rows are put in on demand


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
    def summarized(rows: "Iterable[Signal]") -> LiteralTable:
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


_MINDING_SILENCE = Absence | Stillness | Metrical


@record
class RuleSummary:
    """Places of rules: ``by_id``, those ``asking`` for a signal, those that silence moves, and the fallbacks."""

    by_id: Mapping[str, int] = field(default_factory=dict)
    asking: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    silent: tuple[int, ...] = ()
    fallbacks: tuple[int, ...] = ()


class RuleTable(LongTable["Rule", RuleSummary]):
    """All rules of a pack, those of the rows of tables last."""

    @staticmethod
    def summarized(rows: "Sequence[Rule]") -> RuleSummary:
        """Which rules a signal, silence or a name concerns."""
        asking: dict[int, list[int]] = {}
        silent: list[int] = []
        for place, rule in enumerate(rows):
            for signal in all_signals(rule.when):
                asking.setdefault(signal, []).append(place)
            if any(isinstance(leaf, _MINDING_SILENCE) for leaf in leaves(rule.when)):
                silent.append(place)
        return RuleSummary(
            {rule.id: place for place, rule in enumerate(rows)},
            {signal: tuple(places) for signal, places in asking.items()},
            tuple(silent),
            tuple(place for place, rule in enumerate(rows) if rule.fallback),
        )

    def named(self, name: str) -> "Rule | None":
        """The rule of this id, if there is one."""
        place = self.summary.by_id.get(name)
        return None if place is None else self[place]

    def asking(self, signal: int) -> "Iterator[Rule]":
        """The rules that ask for a signal."""
        return map(self.__getitem__, self.summary.asking.get(signal, ()))

    def silent(self) -> "Iterator[Rule]":
        """The rules whose answer silence can change."""
        return map(self.__getitem__, self.summary.silent)

    def fallbacks(self) -> "Iterator[Rule]":
        """The rules for what no other rule knows."""
        return map(self.__getitem__, self.summary.fallbacks)
