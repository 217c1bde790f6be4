"""What tables name and nobody defined."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields

from logrules.model.position import Problem
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.table_reader import CausesFile, ExceptionsFile, ExitsFile, TableFile
from logrules.ruleset.tables import Tables
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
                hint = near_hint(name, known[kind]) or f"known are {', '.join(sorted(known[kind]))}"
                sort = kind if kind in ("phase", "cause") else "schema"
                yield Problem(document.place((*at, key)), f"unknown {kind} `{name}`", hint, sort)
    for number, alternative in enumerate(getattr(row, "may_be", ())):
        yield from _unknown(document, (*at, "may_be", number), alternative, known)
