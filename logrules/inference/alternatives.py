"""What a failure may be that nothing knows: the causes that the table of alternatives names for its place and class."""

from collections.abc import Iterable, Sequence

from logrules.inference.exception_table import ExceptionLineage
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.ruleset.causes import AlternativesRow
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import ALTERNATIVES

# As many diagnoses as a reader compares.
_MAX_TOLD = 3


def alternatives(
    ranked: Sequence[Ranked], phase: str, raised: str | None, raised_by: str, pack: Pack
) -> tuple[Ranked, ...]:
    """What the first of the hypotheses may be instead, where it is of a cause that says little.

    ``phase`` is where it failed, ``raised`` the exception's class as printed, empty where the log lacks it, None where
    no exception is told; ``raised_by`` whose code raised it.
    """
    if not ranked or ranked[0].hypothesis.survived:
        return ()
    first = ranked[0].hypothesis
    if not any(first.rule.cause in row.of for row in pack.tables.alternatives) or _is_known(first, pack):
        return ()
    row = _row_for(pack.tables.alternatives, first.rule.cause, phase, _lineage(raised, pack))
    if row is None:
        return ()
    told = {other.rule.cause for one in ranked for other in one.all}
    fitting = [one for one in row.may_be if one.cause not in told and one.raised_by in ("", raised_by or one.raised_by)]
    names = [f"{ALTERNATIVES}{row.id}/{one.cause}" for one in fitting]
    found = (Ranked(Hypothesis(rule, first.matches, supposed=True)) for rule in pack.rules if rule.id in names)
    return tuple(found)[: max(0, _MAX_TOLD - len(ranked))]


def _is_known(hypothesis: Hypothesis, pack: Pack) -> bool:
    """Whether its rule knows more than its cause: a cause with a rule for what nobody knows has that ask alone."""
    cause = hypothesis.rule.cause
    return not hypothesis.rule.fallback and any(rule.fallback and rule.cause == cause for rule in pack.rules)


def _lineage(raised: str | None, pack: Pack) -> ExceptionLineage | None:
    if raised is None:
        return None
    return ExceptionLineage.of(raised, {one.name: one.bases for one in pack.tables.classes})


def _row_for(
    rows: Iterable[AlternativesRow], cause: str, phase: str, lineage: ExceptionLineage | None
) -> AlternativesRow | None:
    fitting = (row for row in rows if cause in row.of and (not row.phases or phase in row.phases))
    return next((row for row in fitting if _is_of_class(row, lineage)), None)


def _is_of_class(row: AlternativesRow, lineage: ExceptionLineage | None) -> bool:
    if lineage is None:
        return not (row.raised or row.classes)
    return not row.classes or lineage.distance(row.classes) is not None
