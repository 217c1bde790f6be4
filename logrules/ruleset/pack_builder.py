"""A pack under construction, the checked files that it is made of, and the vocabulary that they may use."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TypeAlias

from logrules.model.position import Problem
from logrules.model.record import field, mutable_record, record
from logrules.ruleset import models as schema
from logrules.ruleset.causes import Cause
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.misspelling import LISTED_BY, known_hint
from logrules.ruleset.pack import Framework, Marker, Metric, Pack, Rule, Signal, Wait
from logrules.ruleset.table_reader import CausesFile, ExceptionsFile, ExitsFile, TableFile
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.translation import Translation
from logrules.ruleset.yaml_reader import Document

# The keys that name something, and what they name: of cards, and of rows of tables.
_CARD_NAMES = {"cause": "cause", "explained_by": "cause", "tier": "tier", "requires": "framework"}
_ROW_NAMES = {
    "tier": "tier",
    "phase": "phase",
    "phases": "phase",
    "cause": "cause",
    "explained_by": "cause",
    "of": "cause",
    "fixes": "step",
    "quotes": "step",
}
AnyFile: TypeAlias = schema.RuleFile | FrameworkFile | schema.FixesFile | TableFile | Translation


@record
class RuleSource:
    """A document, the checked file that it says, and the pack that it came with ("" for the shipped one)."""

    document: Document
    file: AnyFile
    origin: str = ""

    def problem(self, at: Sequence[str | int], message: str, hint: str | None = None, *, kind: str) -> Problem:
        """A fault at this path of the document."""
        return Problem(self.document.place(at), message, hint, kind)


@mutable_record
class PackBuilder:
    """A pack under construction."""

    signals: list[Signal] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    markers: list[Marker] = field(default_factory=list)
    waits: dict[str, Wait] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    frameworks: list[Framework] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add_signal(self, signal: Signal) -> int:
        """The number that the signal gets."""
        self.signals.append(signal)
        return len(self.signals) - 1


@record
class Vocabulary:
    """The phases, causes, frameworks and steps that rules may name; what is empty is not known, and not asked for."""

    phases: frozenset[str]
    causes: Mapping[str, Cause]
    tiers: tuple[str, ...]
    frameworks: frozenset[str]
    steps: Mapping[str, schema.NamedFixFile]

    @classmethod
    def of(
        cls,
        phases: Iterable[Phase],
        tables: Tables,
        frameworks: Iterable[str] = (),
        steps: Mapping[str, schema.NamedFixFile] | None = None,
    ) -> "Vocabulary":
        """The vocabulary of these tables."""
        return cls(
            frozenset(phase.id for phase in phases),
            {cause.id: cause for cause in tables.causes},
            tuple(tier.id for tier in tables.tiers),
            frozenset(frameworks),
            steps or {},
        )

    @classmethod
    def of_pack(cls, pack: Pack) -> "Vocabulary":
        """The vocabulary of a compiled pack."""
        steps = [schema.NamedFixFile.model_validate(step) for step in map(json.loads, pack.steps.values())]
        names = [framework.id for framework in pack.frameworks]
        return cls.of(pack.phases, pack.tables, names, {step.id: step for step in steps})

    def cause(self, name: str) -> Cause:
        """The row of a cause; of one that nobody defined, with what holds of any."""
        last = self.tiers[-1] if self.tiers else ""
        return self.causes.get(name) or Cause(name, family="", tier=last, title=name, about="")

    def unknown(self, source: RuleSource, at: Sequence[str | int], sort: str, name: str | None) -> Iterator[Problem]:
        """A phase, cause, tier, framework or step, as ``sort`` says, that nobody defined."""
        if name and (known := self._known(sort)) and name not in known:
            yield self.problem(source, at, sort, name)

    def problem(self, source: RuleSource, at: Sequence[str | int], sort: str, name: str) -> Problem:
        """That nobody defined it, and what may have been meant."""
        hint = known_hint(name, self._known(sort), LISTED_BY.get(sort))
        return source.problem(
            at, f"unknown {sort} `{name}`", hint, kind=sort if sort in ("phase", "cause") else "schema"
        )

    def _known(self, sort: str) -> Collection[str]:
        known: Collection[str] = getattr(self, f"{sort}s")
        return known

    def unknown_in_card(self, source: RuleSource, at: Sequence[str | int], card: schema.CardFile) -> Iterator[Problem]:
        """Causes, tiers and frameworks that the card names and nobody defined."""
        return self._unknown_below(source, at, card, _CARD_NAMES)

    def unknown_in_table(self, source: RuleSource) -> Iterator[Problem]:
        """Tiers, phases, causes and steps that the rows of a table name and nobody defined."""
        if isinstance(source.file, CausesFile | ExceptionsFile | ExitsFile):
            for member in fields(source.file):
                for number, row in enumerate(getattr(source.file, member.name)):
                    yield from self._unknown_below(source, (member.name, number), row, _ROW_NAMES)

    def _unknown_below(
        self, source: RuleSource, at: Sequence[str | int], row: object, sorts: Mapping[str, str]
    ) -> Iterator[Problem]:
        for key, sort in sorts.items():
            said = getattr(row, key, None)
            if isinstance(said, list | tuple):
                for number, name in enumerate(said):
                    yield from self.unknown(source, (*at, key, number), sort, name)
            else:
                yield from self.unknown(source, (*at, key), sort, said)
        for number, alternative in enumerate(getattr(row, "may_be", ())):
            yield from self._unknown_below(source, (*at, "may_be", number), alternative, sorts)
