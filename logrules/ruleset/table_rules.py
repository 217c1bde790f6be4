"""Rows of the tables as rules: what a row recognises is a hypothesis like any other, said with its cause's words."""

from collections.abc import Iterator

from logrules.model.record import replace
from logrules.model.report import Severity
from logrules.ruleset.card_builder import row_text
from logrules.ruleset.causes import Cause
from logrules.ruleset.condition import Occurred
from logrules.ruleset.pack import Rule
from logrules.ruleset.pack_builder import Vocabulary
from logrules.ruleset.rule_builder import rule_of
from logrules.ruleset.tables import ALTERNATIVES, EXCEPTIONS, EXITS, ExitCode, Tables

# No signal makes a row's rule hold: the failure records do.
_NEVER = Occurred(())


def rules_of_tables(tables: Tables, vocabulary: Vocabulary) -> Iterator[tuple[Rule, str]]:
    """The rule and the card of each row of exceptions and exits whose cause is known."""
    causes = vocabulary.causes
    for row in tables.exceptions:
        cause = causes.get(row.cause)
        if cause is not None:
            rule = replace(_rule(EXCEPTIONS + row.id, cause), phase=row.phase, explained_by=row.explained_by)
            yield _raised(replace(rule, fallback=row.fallback)), row_text(row, cause, vocabulary)
    known = {code.id for code in tables.exit_codes}
    forms = (ExitCode(form.id, form.cause) for form in tables.exit_forms if form.cause and form.id not in known)
    for code in (*tables.exit_codes, *forms):
        cause = causes.get(code.cause)
        if cause is not None:
            rule = _rule(EXITS + code.id, cause)
            rule = replace(rule, tier=code.tier or cause.tier, explained_by=code.explained_by)
            yield rule, row_text(code, cause, vocabulary)
    for alternatives in tables.alternatives:
        for one in alternatives.may_be:
            cause = causes.get(one.cause)
            if cause is not None:
                name = f"{ALTERNATIVES}{alternatives.id}/{one.cause}"
                rule = replace(_rule(name, cause), severity=Severity.INFO, culprit="none", stall=False)
                yield rule, row_text(one, cause, vocabulary)


def _raised(rule: Rule) -> Rule:
    """The rule of a row of exceptions: what was raised is no mere warning of a wait, also where its cause often is."""
    severity = Severity.ERROR if rule.severity is Severity.WARNING else rule.severity
    return replace(rule, severity=severity, stall=False)


def _rule(name: str, cause: Cause) -> Rule:
    return replace(rule_of(cause, name, _NEVER), from_table=True)
