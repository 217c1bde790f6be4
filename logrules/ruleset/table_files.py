"""Table files checked: pydantic reads them straight into the classes of ``ruleset.tables``."""

from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from logrules.model.record import record
from logrules.ruleset.causes import AlternativesRow, Cause, Tier
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
)


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
