"""Rows of the tables as rules: what a row recognises is a hypothesis like any other, said with its cause's words."""

from collections.abc import Iterable, Iterator

from logrules.model.record import replace
from logrules.model.report import Severity
from logrules.ruleset.card_builder import row_text
from logrules.ruleset.causes import Cause
from logrules.ruleset.condition import Occurred
from logrules.ruleset.pack import Rule
from logrules.ruleset.pack_builder import Vocabulary
from logrules.ruleset.tables import ALTERNATIVES, EXCEPTIONS, EXITS, ExitCode, Tables

# No signal makes a row's rule hold: the failure records do.
_NEVER = Occurred(())


def with_tiers(rules: Iterable[Rule], tables: Tables) -> Iterator[Rule]:
    """The rules, each with the tier of its cause where it says none."""
    tiers = {cause.id: cause.tier for cause in tables.causes}
    last = tables.tiers[-1].id if tables.tiers else ""
    for rule in rules:
        yield replace(rule, tier=rule.tier or tiers.get(rule.cause, last))


def rules_of_tables(tables: Tables, vocabulary: Vocabulary) -> Iterator[tuple[Rule, str]]:
    """The rule and the card of each row of exceptions and exits whose cause is known."""
    causes = {cause.id: cause for cause in tables.causes}
    for row in tables.exceptions:
        cause = causes.get(row.cause)
        if cause is not None:
            rule = _rule(EXCEPTIONS + row.id, cause, row.phase)
            rule = replace(rule, fallback=row.fallback, explained_by=row.explained_by)
            yield _raised(rule), row_text(row, cause, vocabulary)
    known = {code.id for code in tables.exit_codes}
    forms = (ExitCode(form.id, form.cause) for form in tables.exit_forms if form.cause and form.id not in known)
    for code in (*tables.exit_codes, *forms):
        cause = causes.get(code.cause)
        if cause is not None:
            rule = _rule(EXITS + code.id, cause, None)
            rule = replace(rule, tier=code.tier or cause.tier, explained_by=code.explained_by)
            yield rule, row_text(code, cause, vocabulary)
    for alternatives in tables.alternatives:
        for one in alternatives.may_be:
            cause = causes.get(one.cause)
            if cause is not None:
                name = f"{ALTERNATIVES}{alternatives.id}/{one.cause}"
                rule = replace(_rule(name, cause, None), severity=Severity.INFO, culprit="none", stall=False)
                yield rule, row_text(one, cause, vocabulary)


def _raised(rule: Rule) -> Rule:
    """The rule of a row of exceptions: what was raised is no mere warning of a wait, also where its cause often is."""
    severity = Severity.ERROR if rule.severity is Severity.WARNING else rule.severity
    return replace(rule, severity=severity, stall=False)


def _rule(name: str, cause: Cause, phase: str | None) -> Rule:
    return Rule(
        name,
        cause.id,
        cause.severity,
        when=_NEVER,
        phase=phase,
        phase_otherwise=cause.phase,
        culprit=cause.culprit,
        cleared_by=cause.cleared_by,
        stall=cause.stall,
        abrupt=cause.abrupt,
        asynchronous=cause.asynchronous,
        ends_stalls=cause.ends_stalls,
        tier=cause.tier,
        from_table=True,
    )
