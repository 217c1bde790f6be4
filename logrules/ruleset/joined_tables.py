"""Tables of several packs made one: a later row stands in the place of an earlier one of the same id."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from logrules.ruleset.table_reader import (
    CausesFile,
    CertaintyFile,
    ExceptionsFile,
    ExitsFile,
    NamesFile,
    OriginsFile,
    PipelineFile,
    SettingsFile,
    StancesFile,
    TableFile,
)
from logrules.ruleset.tables import Phase, Tables


class _Row(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=_Row)


def joined_phases(files: Iterable[TableFile]) -> tuple[Phase, ...]:
    """The phases of all files, in the order of the pipeline."""
    phases: list[Phase] = []
    for file in files:
        for phase in file.phases if isinstance(file, PipelineFile) else ():
            phases = _with(phases, phase)
    return tuple(phases)


def _with(phases: list[Phase], new: Phase) -> list[Phase]:
    order = [phase.id for phase in phases]
    if new.id in order:
        return [new if phase.id == new.id else phase for phase in phases]
    at = order.index(new.after) + 1 if new.after in order else len(order)
    return [*phases[:at], new, *phases[at:]]


def joined_tables(files: Iterable[TableFile]) -> Tables:
    """The tables of all files. The tiers are those of the last file that gives any."""
    found = Tables()
    for file in files:
        match file:
            case CausesFile(causes=causes, tiers=tiers, alternatives=alternatives):
                causes, alternatives = _rows(found.causes, causes), _before(alternatives, found.alternatives)
                found = replace(found, causes=causes, tiers=tiers or found.tiers, alternatives=alternatives)
            case OriginsFile(components=components, own_words=own, nesting=nesting):
                components = _rows(found.components, components)
                own, nesting = (*found.own_words, *own), (*found.nesting, *nesting)
                found = replace(found, components=components, own_words=own, nesting=nesting)
            case StancesFile(stances=stances):
                found = replace(found, stances=_rows(found.stances, stances))
            case ExceptionsFile(exceptions=exceptions, classes=classes):
                known = {one.name: one for one in (*found.classes, *classes)}
                rows = _rows(found.exceptions, exceptions)
                found = replace(found, exceptions=rows, classes=tuple(known.values()))
            case ExitsFile(exit_forms=forms, exit_codes=codes):
                forms, codes = _rows(found.exit_forms, forms), _rows(found.exit_codes, codes)
                found = replace(found, exit_forms=forms, exit_codes=codes)
            case CertaintyFile(certainty_model=certainty):
                found = replace(found, certainty=certainty)
            case NamesFile(other_names=names, told_names=told, numbers=numbers):
                names, told = _rows(found.other_names, names), _rows(found.told_names, told)
                found = replace(found, other_names=names, told_names=told, numbers=_rows(found.numbers, numbers))
            case SettingsFile(settings=settings, renamed=renamed):
                settings, renamed = _rows(found.settings, settings), _rows(found.renamed, renamed)
                found = replace(found, settings=settings, renamed=renamed)
    return found


def _rows(known: Sequence[Row], new: Sequence[Row]) -> tuple[Row, ...]:
    return tuple({row.id: row for row in (*known, *new)}.values())


def _before(new: Sequence[Row], known: Sequence[Row]) -> tuple[Row, ...]:
    """Rows of which the first that fits counts: a pack's own go before those that it adds to."""
    names = {row.id for row in new}
    return (*new, *(row for row in known if row.id not in names))
