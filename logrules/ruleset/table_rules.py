"""Rows of the tables as rules: what a row recognises is a hypothesis like any other, said with its cause's words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from logrules.model.report import Severity
from logrules.ruleset.card_builder import row_text
from logrules.ruleset.condition import Occurred
from logrules.ruleset.pack import Rule
from logrules.ruleset.pack_builder import Words
from logrules.ruleset.tables import EXCEPTIONS, EXITS, Cause, ExceptionRow, ExitCode, Tables

# No signal makes a row's rule hold: the failure records do.
_NEVER = Occurred(())


def with_tiers(rules: Iterable[Rule], tables: Tables) -> Iterator[Rule]:
    """The rules, each with the tier of its cause where it says none."""
    tiers = {cause.id: cause.tier for cause in tables.causes}
    last = _last_tier(tables)
    for rule in rules:
        yield replace(rule, tier=rule.tier or tiers.get(rule.cause, last))


def rules_of_tables(tables: Tables, words: Words) -> Iterator[tuple[Rule, str]]:
    """The rule and the card of each row of exceptions and exits whose cause is known."""
    causes = {cause.id: cause for cause in tables.causes}
    last_tier = _last_tier(tables)
    for row in tables.exceptions:
        cause = causes.get(row.cause)
        if cause is not None:
            rule = replace(_rule(EXCEPTIONS + row.id, cause, row.phase, last_tier), fallback=row.fallback)
            yield rule, _card(row, cause, row.fixes, words)
    known = {code.id for code in tables.exit_codes}
    forms = (ExitCode(form.id, form.cause) for form in tables.exit_forms if form.cause and form.id not in known)
    for code in (*tables.exit_codes, *forms):
        cause = causes.get(code.cause)
        if cause is not None:
            rule = replace(_rule(EXITS + code.id, cause, None, last_tier), tier=code.tier or cause.tier)
            yield rule, _card(code, cause, (), words)


def _last_tier(tables: Tables) -> str:
    return tables.tiers[-1].id if tables.tiers else ""


def _rule(name: str, cause: Cause, phase: str | None, last_tier: str) -> Rule:
    """A row's rule: what was raised or ended is an error, unless it only says that something stood still."""
    return Rule(
        name,
        cause.id,
        cause.severity if cause.tier == last_tier else Severity.ERROR,
        when=_NEVER,
        phase=phase,
        phase_otherwise=cause.phase,
        culprit=cause.culprit,
        cleared_by=cause.cleared_by,
        stall=cause.stall,
        tier=cause.tier,
        from_table=True,
    )


def _card(row: ExceptionRow | ExitCode, cause: Cause, fixes: Sequence[str], words: Words) -> str:
    return row_text(row.title, row.why, cause, fixes, words)
