"""What tables name and nobody defined."""

from collections.abc import Collection, Iterable, Iterator

from logrules.model.position import Problem
from logrules.ruleset.causes import AlternativesRow
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.table_reader import CausesFile, ExceptionsFile, ExitsFile, TableFile
from logrules.ruleset.tables import Tables
from logrules.ruleset.yaml_reader import Document


def table_faults(
    document: Document, file: TableFile, tables: Tables, phases: Collection[str], steps: Collection[str]
) -> Iterator[Problem]:
    """Tiers, phases, causes and steps in the rows of a file that no table has."""
    causes = [cause.id for cause in tables.causes]
    tiers = [tier.id for tier in tables.tiers]
    match file:
        case CausesFile(causes=rows, alternatives=alternatives):
            for number, row in enumerate(rows):
                at = ("causes", number)
                yield from _unknown(document, (*at, "tier"), "tier", row.tier, tiers)
                yield from _unknown(document, (*at, "phase"), "phase", row.phase, phases)
                for step in row.fixes:
                    yield from _unknown(document, (*at, "fixes"), "step", step, steps)
            yield from _of_alternatives(document, alternatives, phases, causes, steps)
        case ExceptionsFile(exceptions=found):
            for number, exception in enumerate(found):
                at = ("exceptions", number)
                yield from _unknown(document, (*at, "cause"), "cause", exception.cause, causes)
                yield from _unknown(document, (*at, "phase"), "phase", exception.phase, phases)
                for step in exception.fixes:
                    yield from _unknown(document, (*at, "fixes"), "step", step, steps)
        case ExitsFile(exit_codes=codes):
            for number, code in enumerate(codes):
                yield from _unknown(document, ("exit_codes", number, "cause"), "cause", code.cause, causes)
                for step in code.fixes:
                    yield from _unknown(document, ("exit_codes", number, "fixes"), "step", step, steps)


def _of_alternatives(
    document: Document,
    rows: Iterable[AlternativesRow],
    phases: Collection[str],
    causes: Collection[str],
    steps: Collection[str],
) -> Iterator[Problem]:
    for number, row in enumerate(rows):
        for phase in row.phases:
            yield from _unknown(document, ("alternatives", number, "phases"), "phase", phase, phases)
        for key, named in (("of", row.of), ("may_be", tuple(one.cause for one in row.may_be))):
            for cause in named:
                yield from _unknown(document, ("alternatives", number, key), "cause", cause, causes)
        for step in (step for one in row.may_be for step in one.fixes):
            yield from _unknown(document, ("alternatives", number, "may_be"), "step", step, steps)


def _unknown(
    document: Document, at: tuple[str | int, ...], kind: str, name: str | None, known: Collection[str]
) -> Iterator[Problem]:
    """A name that is not known; where nothing is, the tables are simply not there."""
    if name is not None and known and name not in known:
        hint = near_hint(name, known) or f"known are {', '.join(sorted(known))}"
        yield Problem(
            document.place(at), f"unknown {kind} `{name}`", hint, kind if kind in ("phase", "cause") else "schema"
        )
