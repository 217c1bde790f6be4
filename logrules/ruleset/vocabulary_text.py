"""Phases and causes as people read them, in English and in the language that the pack was loaded for."""

from collections.abc import Mapping
from dataclasses import dataclass

from logrules.model.report import Text
from logrules.ruleset.causes import Cause
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import Phase
from logrules.ruleset.translation import WordTranslation


@dataclass(frozen=True, slots=True)
class Word:
    """A phase or a cause: what it is called and what it means."""

    id: str
    title: Text
    about: Text


def phases_of(pack: Pack) -> tuple[Word, ...]:
    """All phases, in the order of the pipeline."""
    return tuple(_word(phase, pack.translation.phases) for phase in pack.phases)


def causes_of(pack: Pack) -> tuple[Word, ...]:
    """All causes, those first that explain others."""
    return tuple(_word(cause, pack.translation.causes) for cause in pack.tables.causes)


def _word(row: Phase | Cause, translated: Mapping[str, WordTranslation]) -> Word:
    said = translated.get(row.id)
    return Word(row.id, Text(row.title, said.title if said else ""), Text(row.about, said.about if said else ""))
