"""The vocabulary as people read it: phases and causes with their titles, decoded only when shown."""

import json
from dataclasses import dataclass

from logrules.model.report import Text


@dataclass(frozen=True, slots=True)
class Word:
    """A phase or a cause: what it is called and what it means."""

    id: str
    title: Text
    about: Text
    family: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All phases in pipeline order and all causes."""

    phases: tuple[Word, ...]
    causes: tuple[Word, ...]


def vocabulary_from(text: str) -> Vocabulary:
    """The vocabulary that a pack keeps as JSON text."""
    plain = json.loads(text)
    return Vocabulary(
        tuple(_word(item) for item in plain.get("phases", ())), tuple(_word(item) for item in plain.get("causes", ()))
    )


def _word(item: dict[str, dict[str, str]]) -> Word:
    title, about = item["title"], item["about"]
    return Word(
        str(item["id"]), Text(title["en"], title["zh"]), Text(about["en"], about["zh"]), str(item.get("family", ""))
    )
