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

# The keys of rows that name something, and what they name.
_NAMED_BY = {
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
    tiers: frozenset[str]
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
            frozenset(tier.id for tier in tables.tiers),
            frozenset(frameworks),
            steps or {},
        )

    @classmethod
    def of_pack(cls, pack: Pack) -> "Vocabulary":
        """The vocabulary of a compiled pack."""
        steps = [schema.NamedFixFile.model_validate(step) for step in map(json.loads, pack.steps.values())]
        names = [framework.id for framework in pack.frameworks]
        return cls.of(pack.phases, pack.tables, names, {step.id: step for step in steps})

    def unknown(self, source: RuleSource, at: Sequence[str | int], card: schema.CardFile) -> Iterable[Problem]:
        """Causes, tiers and frameworks that the card names and nobody defined."""
        if self.causes and card.cause not in self.causes:
            yield self._unknown(source, [*at, "cause"], "cause", card.cause, self.causes)
        for index, cause in enumerate(card.explained_by):
            if self.causes and cause not in self.causes:
                yield self._unknown(source, [*at, "explained_by", index], "cause", cause, self.causes)
        if card.tier and self.tiers and card.tier not in self.tiers:
            yield self._unknown(source, [*at, "tier"], "tier", card.tier, self.tiers)
        for index, name in enumerate(card.requires):
            if self.frameworks and name not in self.frameworks:
                yield self._unknown(source, [*at, "requires", index], "framework", name, self.frameworks)

    def unknown_phase(self, source: RuleSource, at: Sequence[str | int], phase: str | None) -> Iterable[Problem]:
        """A phase that nobody defined."""
        if phase and self.phases and phase not in self.phases:
            yield self._unknown(source, at, "phase", phase, self.phases)

    def unknown_step(self, source: RuleSource, at: Sequence[str | int], name: str) -> Problem:
        """A step that nobody defined."""
        return self._unknown(source, at, "step", name, self.steps)

    def unknown_in_table(self, source: RuleSource) -> Iterator[Problem]:
        """Tiers, phases, causes and steps that the rows of a table name and nobody defined."""
        if isinstance(source.file, CausesFile | ExceptionsFile | ExitsFile):
            for member in fields(source.file):
                for number, row in enumerate(getattr(source.file, member.name)):
                    yield from self._unknown_in_row(source, (member.name, number), row)

    def _unknown_in_row(self, source: RuleSource, at: Sequence[str | int], row: object) -> Iterator[Problem]:
        known = {"tier": self.tiers, "phase": self.phases, "cause": self.causes, "step": self.steps}
        for key, sort in _NAMED_BY.items():
            said = getattr(row, key, None)
            for name in said if isinstance(said, tuple) else (said,):
                if name and known[sort] and name not in known[sort]:
                    yield self._unknown(source, [*at, key], sort, name, known[sort])
        for number, alternative in enumerate(getattr(row, "may_be", ())):
            yield from self._unknown_in_row(source, (*at, "may_be", number), alternative)

    def _unknown(
        self, source: RuleSource, at: Sequence[str | int], sort: str, name: str, known: Collection[str]
    ) -> Problem:
        hint = known_hint(name, known, LISTED_BY.get(sort))
        kind = sort if sort in ("phase", "cause") else "schema"
        return source.problem(at, f"unknown {sort} `{name}`", hint, kind=kind)
