"""Table files checked: pydantic reads them straight into the classes of ``ruleset.tables``; then their names."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from logrules.model.position import Problem
from logrules.model.record import record
from logrules.ruleset.causes import AlternativesRow, Cause, Tier
from logrules.ruleset.misspelling import LISTED_BY, known_hint
from logrules.ruleset.name_tables import DerivedNumber, FrameworkSettings, OtherName, RenamedSetting, ToldName
from logrules.ruleset.tables import (
    CertaintyModel,
    Component,
    ExceptionClass,
    ExceptionRow,
    ExitCode,
    ExitForm,
    Nesting,
    OwnWords,
    Phase,
    StanceForm,
    Tables,
)
from logrules.ruleset.yaml_reader import Document

# The keys of rows that name something, and what they name.
_NAMED_BY = {
    "tier": "tier",
    "phase": "phase",
    "phases": "phase",
    "cause": "cause",
    "of": "cause",
    "fixes": "step",
    "quotes": "step",
}


@record
class CausesFile:
    """rules/causes.yaml: the causes, the tiers by which they explain each other, what the unknown may be."""

    causes: tuple[Cause, ...]
    tiers: tuple[Tier, ...] = ()
    alternatives: tuple[AlternativesRow, ...] = ()


@record
class OriginsFile:
    """rules/origins.yaml: components by package path, logger and source file; the words of the user's own names."""

    components: tuple[Component, ...]
    own_words: tuple[OwnWords, ...] = ()
    nesting: tuple[Nesting, ...] = ()


@record
class StancesFile:
    """rules/stances.yaml: the words that make a line advice, echo, retry or caught."""

    stances: tuple[StanceForm, ...]


@record
class ExceptionsFile:
    """rules/exceptions/: which exception, raised where and with what words, names which cause."""

    exceptions: tuple[ExceptionRow, ...]


@record
class ClassesFile:
    """rules/classes.yaml: the classes that exceptions have, and those above them."""

    classes: tuple[ExceptionClass, ...]


@record
class ExitsFile:
    """rules/exits.yaml: the forms in which ends of processes are reported, and what their codes say."""

    exit_forms: tuple[ExitForm, ...]
    exit_codes: tuple[ExitCode, ...] = ()


@record
class CertaintyFile:
    """rules/certainty.yaml: written by bench/fit_certainty.py, never by hand."""

    certainty_model: CertaintyModel


@record
class PipelineFile:
    """rules/pipeline.yaml: the phases of a run in order; another pack's are added to them."""

    phases: tuple[Phase, ...]


@record
class NamesFile:
    """rules/names.yaml: what captured values are called elsewhere, and what lines tell whoever captured nothing."""

    other_names: tuple[OtherName, ...]
    told_names: tuple[ToldName, ...] = ()
    numbers: tuple[DerivedNumber, ...] = ()


@record
class SettingsFile:
    """rules/settings.yaml: whose flags, keys and variables steps name, and what they are called elsewhere."""

    settings: tuple[FrameworkSettings, ...]
    renamed: tuple[RenamedSetting, ...] = ()


TableFile: TypeAlias = (
    CausesFile
    | OriginsFile
    | StancesFile
    | ExceptionsFile
    | ClassesFile
    | ExitsFile
    | CertaintyFile
    | PipelineFile
    | NamesFile
    | SettingsFile
)

# By the key that such a file cannot do without.
TABLE_FILES: dict[str, type[TableFile]] = {
    "phases": PipelineFile,
    "causes": CausesFile,
    "components": OriginsFile,
    "stances": StancesFile,
    "exceptions": ExceptionsFile,
    "classes": ClassesFile,
    "exit_forms": ExitsFile,
    "certainty_model": CertaintyFile,
    "other_names": NamesFile,
    "settings": SettingsFile,
}


@cache
def adapter_of(kind: type) -> TypeAdapter[Any]:
    """What checks a document against a class and says its JSON Schema; unknown keys are faults."""
    for one in _classes_below(kind):
        if is_dataclass(one):
            # A key that Python keeps for itself, such as `not`, is the field of that name with an underscore.
            config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))
            setattr(one, "__pydantic_config__", config)  # noqa: B010 (no field of its own)
    return TypeAdapter(kind)


def _classes_below(kind: type) -> set[Any]:
    from typing import get_args, get_type_hints

    found: set[Any] = {kind}
    todo = [kind]
    while todo:
        for hint in get_type_hints(todo.pop(), include_extras=False).values():
            for part in (hint, *get_args(hint)):
                if is_dataclass(part) and part not in found:
                    found.add(part)
                    todo.append(part)  # type: ignore[arg-type]
    return found


def table_faults(
    document: Document, file: TableFile, tables: Tables, phases: Collection[str], steps: Collection[str]
) -> Iterator[Problem]:
    """Tiers, phases, causes and steps in the rows of a file that no table has."""
    tiers, causes = ([row.id for row in rows] for rows in (tables.tiers, tables.causes))
    known = {"tier": tiers, "phase": phases, "cause": causes, "step": steps}
    if isinstance(file, CausesFile | ExceptionsFile | ExitsFile):
        for member in fields(file):
            for number, row in enumerate(getattr(file, member.name)):
                yield from _unknown(document, (member.name, number), row, known)


def _unknown(
    document: Document, at: tuple[str | int, ...], row: object, known: Mapping[str, Collection[str]]
) -> Iterator[Problem]:
    """Names in a row that are not known; where nothing of a kind is, its table is simply not there."""
    for key, kind in _NAMED_BY.items():
        said = getattr(row, key, None)
        for name in said if isinstance(said, tuple) else (said,):
            if name and known[kind] and name not in known[kind]:
                hint = known_hint(name, known[kind], LISTED_BY.get(kind))
                sort = kind if kind in ("phase", "cause") else "schema"
                yield Problem(document.place((*at, key)), f"unknown {kind} `{name}`", hint, sort)
    for number, alternative in enumerate(getattr(row, "may_be", ())):
        yield from _unknown(document, (*at, "may_be", number), alternative, known)
