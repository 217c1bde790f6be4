"""A pack under construction, and the checked files that it is made of."""

from collections.abc import Sequence
from typing import TypeAlias

from logrules.model.position import NodePath, Problem
from logrules.model.record import field, mutable_record, record
from logrules.ruleset import models as schema
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack import Framework, Marker, Metric, Rule, Signal, Wait
from logrules.ruleset.tables import Tables
from logrules.ruleset.translation import Translation
from logrules.ruleset.yaml_reader import Document

AnyFile: TypeAlias = schema.RuleFile | FrameworkFile | schema.FixesFile | Tables | Translation


@record
class RuleSource:
    """A document, the checked file that it says, and the pack that it came with ("" for the shipped one)."""

    document: Document
    file: AnyFile
    origin: str = ""

    def problem(
        self,
        at: Sequence[str | int],
        message: str,
        hint: str | None = None,
        *,
        code: str,
        removes: NodePath | None = None,
    ) -> Problem:
        """A fault at this path of the document."""
        return Problem(self.document.place(at), message, hint, code, removes)


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
    cards: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add_signal(self, signal: Signal) -> int:
        """The number that the signal gets."""
        self.signals.append(signal)
        return len(self.signals) - 1
