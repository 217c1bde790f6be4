"""What people read, in another language than English: rules/translations/<language>.yaml."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from logrules.model.record import record


@record
class WordTranslation:
    """A phase or a cause."""

    title: str
    about: str


@record
class StepTranslation:
    """A step of a fix."""

    do: str
    note: str = ""


@record
class RuleTranslation:
    """A rule or a wait; ``fixes`` are the steps that it spells out itself, in their order."""

    title: str
    why: str
    differs_from: str = ""
    fixes: tuple[StepTranslation, ...] = ()


@record
class Translation:
    """All that people read, by the id of what it stands for. A rule's waits are ``waits/<framework>/<wait>``."""

    language: str = "en"
    phases: Mapping[str, WordTranslation] = field(default_factory=dict)
    causes: Mapping[str, WordTranslation] = field(default_factory=dict)
    fixes: Mapping[str, StepTranslation] = field(default_factory=dict)
    rules: Mapping[str, RuleTranslation] = field(default_factory=dict)


def joined(language: str, files: Iterable[Translation]) -> Translation:
    """All of them in one; what a later one says of a thing goes before what an earlier one says."""
    phases: dict[str, WordTranslation] = {}
    causes: dict[str, WordTranslation] = {}
    fixes: dict[str, StepTranslation] = {}
    rules: dict[str, RuleTranslation] = {}
    for file in files:
        phases |= file.phases
        causes |= file.causes
        fixes |= file.fixes
        rules |= file.rules
    return Translation(language, phases, causes, fixes, rules)
