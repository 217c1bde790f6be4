"""Tables of several packs made one: a later row stands in the place of an earlier one of the same id."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from logrules.ruleset.table_reader import PipelineFile, TableFile
from logrules.ruleset.tables import Phase, Tables


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


# Rows of which the first that fits counts: a pack's own go before those that it adds to.
_FIRST_FITS = frozenset({"alternatives"})
# Rows without an id: all count.
_ALL_COUNT = frozenset({"own_words", "nesting"})
# What a file says of these stands in the place of what was said before.
_WHOLE = frozenset({"tiers", "certainty"})
_OTHERWISE_CALLED = {"certainty_model": "certainty"}


def joined_tables(files: Iterable[TableFile]) -> Tables:
    """The tables of all files. The tiers are those of the last file that gives any."""
    known: dict[str, Any] = {}
    for file in files:
        for member in fields(file) if not isinstance(file, PipelineFile) else ():
            name, new = _OTHERWISE_CALLED.get(member.name, member.name), getattr(file, member.name)
            known[name] = _joined(name, known.get(name, ()), new)
    return Tables(**known)


def _joined(name: str, known: Any, new: Any) -> Any:
    if name in _WHOLE:
        return new or known
    if name in _ALL_COUNT:
        return (*known, *new)
    if name in _FIRST_FITS:
        names = {row.id for row in new}
        return (*new, *(row for row in known if row.id not in names))
    return tuple({row.name if name == "classes" else row.id: row for row in (*known, *new)}.values())
