"""What a pack's translations leave out: a pack that has a language must have all of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from logrules.model.position import NodePath, Problem
from logrules.ruleset import models as schema
from logrules.ruleset.compile import read_source
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.rule_file import RuleSource, RuleText
from logrules.ruleset.steps import FixFile
from logrules.ruleset.tables import ALTERNATIVES, EXCEPTIONS, EXITS
from logrules.ruleset.translation import TRANSLATIONS, RuleTranslation, StepTranslation, Translation, WordTranslation
from logrules.ruletest.file_contents import cards_in

_CODE = "LR109"
# Characters, or the full-width marks that stand around a command.
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_SENTENCE = re.compile(r"(?:[A-Za-z]+[,;]? ){3,}[A-Za-z]+")


def translations_in(roots: Mapping[str, Path]) -> Iterator[tuple[RuleSource | None, Sequence[Problem]]]:
    """The translations of each pack, by the folder it is in, or what is wrong with them; ``roots`` are by origin."""
    for origin, root in roots.items():
        for path in sorted((root / TRANSLATIONS).glob("*.yaml")):
            shown = str(Path("rules" if not origin else root) / TRANSLATIONS / path.name)
            yield read_source(RuleText(shown, rule_bytes(path), origin, path))


def translation_findings(translated: RuleSource, sources: Iterable[RuleSource]) -> Iterator[Problem]:
    """What people read in these files of one pack and the translation does not say, or does not say in its language."""
    file = translated.file
    if not isinstance(file, Translation):
        return
    for source in sources:
        yield from _steps(source, file)
        yield from _cards(source, file)
        yield from _rows(source, file)
    if file.language == "zh":
        yield from _english(translated, file)


def _steps(source: RuleSource, file: Translation) -> Iterator[Problem]:
    if isinstance(source.file, schema.FixesFile):
        for number, step in enumerate(source.file.fixes):
            said = file.fixes.get(step.id)
            if said is None or bool(step.note) is not bool(said.note):
                yield _missing(source, ("fixes", number), step.id, file)


def _cards(source: RuleSource, file: Translation) -> Iterator[Problem]:
    for here in cards_in(source):
        name, path, card = here.name, here.at, here.card
        said = file.rules.get(name)
        own = [step for step in card.fixes if isinstance(step, FixFile)]
        if said is None:
            yield _missing(source, path, name, file)
        elif bool(card.differs_from) is not bool(said.differs_from):
            yield _missing(source, (*path, "differs_from"), f"{name}: differs_from", file)
        elif [bool(step.note) for step in own] != [bool(step.note) for step in said.fixes]:
            yield _missing(source, (*path, "fixes"), f"{name}: {len(own)} steps and their notes", file)


def _rows(source: RuleSource, file: Translation) -> Iterator[Problem]:
    """Phases and causes, and rows of tables that say more than their cause's row."""
    for at, name, key, said in _rows_of(source.file, file):
        if key not in said:
            yield _missing(source, at, name, file)


def _rows_of(table: object, file: Translation) -> Iterator[tuple[NodePath, str, str, Mapping[str, object]]]:
    """(place, name, key, translations) of each row: what it says in the other language stands there under the key."""
    tables = {
        "phases": ("", file.phases),
        "causes": ("", file.causes),
        "exceptions": (EXCEPTIONS, file.rules),
        "exit_codes": (EXITS, file.rules),
    }
    for kind, (prefix, said) in tables.items():
        for number, row in enumerate(getattr(table, kind, ())):
            if not prefix or row.title or row.why:
                yield (kind, number), row.id, prefix + row.id, said
    for number, row in enumerate(getattr(table, "alternatives", ())):
        for name in (f"{row.id}/{one.cause}" for one in row.may_be if one.title):
            yield ("alternatives", number), name, ALTERNATIVES + name, file.rules


def _missing(source: RuleSource, at: NodePath, name: str, file: Translation) -> Problem:
    return source.problem(at, f"`{name}` is not in {TRANSLATIONS}/{file.language}.yaml", code=_CODE)


def _english(source: RuleSource, file: Translation) -> Iterator[Problem]:
    """Sentences without a Chinese character: the English was left there. A command needs no translation."""
    for kind in ("phases", "causes", "fixes", "rules"):
        for name, row in getattr(file, kind).items():
            if any(_SENTENCE.search(text) and not _CHINESE.search(text) for text in _texts(row)):
                yield source.problem((kind, name), f"`{name}` is not in Chinese", code=_CODE)


def _texts(row: WordTranslation | StepTranslation | RuleTranslation) -> Iterator[str]:
    for name in row.__match_args__:
        said = getattr(row, name)
        yield from (said,) if isinstance(said, str) else (text for step in said for text in _texts(step))
