"""A pack under construction, the checked files that it is made of, and the vocabulary that they may use."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from logrules.model.position import Problem
from logrules.model.record import field, mutable_record, record
from logrules.ruleset import models as schema
from logrules.ruleset.causes import Cause
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.pack import Framework, Marker, Metric, Pack, Rule, Signal, Wait
from logrules.ruleset.table_reader import TableFile
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.translation import Translation
from logrules.ruleset.yaml_reader import Document

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
            hint = near_hint(card.cause, self.causes) or "see `logrules explain --causes`"
            yield source.problem([*at, "cause"], f"unknown cause `{card.cause}`", hint, kind="cause")
        for index, cause in enumerate(card.explained_by):
            if self.causes and cause not in self.causes:
                near = near_hint(cause, self.causes)
                yield source.problem([*at, "explained_by", index], f"unknown cause `{cause}`", near, kind="cause")
        if card.tier and self.tiers and card.tier not in self.tiers:
            known = ", ".join(sorted(self.tiers))
            yield source.problem([*at, "tier"], f"unknown tier `{card.tier}`; tiers are {known}", kind="schema")
        for index, name in enumerate(card.requires):
            if self.frameworks and name not in self.frameworks:
                near = near_hint(name, self.frameworks)
                yield source.problem([*at, "requires", index], f"unknown framework `{name}`", near, kind="schema")

    def unknown_phase(self, source: RuleSource, at: Sequence[str | int], phase: str | None) -> Iterable[Problem]:
        """A phase that nobody defined."""
        if phase and self.phases and phase not in self.phases:
            hint = near_hint(phase, self.phases) or f"phases are {', '.join(sorted(self.phases))}"
            yield source.problem(at, f"unknown phase `{phase}`", hint, kind="phase")
