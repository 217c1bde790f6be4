"""All rules of a pack in their order, and which of them a signal, silence or a name concerns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from logrules.model.record import field, record
from logrules.ruleset.condition import (
    Absence,
    Detector,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricTrend,
    Waiting,
    all_signals,
    leaves,
)
from logrules.ruleset.long_table import LongTable

if TYPE_CHECKING:
    from logrules.ruleset.pack import Rule

_MINDING_SILENCE = (Absence, Detector, MetricBound, MetricIs, MetricSpike, MetricTrend, Waiting)


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
