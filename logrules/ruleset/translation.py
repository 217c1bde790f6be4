"""What people read, in another language than English: rules/translations/<language>.yaml."""

from collections.abc import Mapping, Sequence

from logrules.model.record import field, record

# The folder of a pack in which they lie, a file a language.
TRANSLATIONS = "translations"


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


def joined(files: Sequence[Translation]) -> Translation:
    """All of them, which are into one language, in one; what a later one says goes before what an earlier one says."""
    kinds = ("phases", "causes", "fixes", "rules")
    said = {kind: {name: row for file in files for name, row in getattr(file, kind).items()} for kind in kinds}
    return Translation(files[-1].language, **said) if files else Translation()
