"""How a run stands or ended, and what may have been wrong with it: the likeliest cause first.

Behind a cause that says little stand those that the table of alternatives names for its place and class. In front of
silence alone stands what the log still waits for, or says in its last line to be doing.
"""

from collections.abc import Iterator, Sequence

from logrules.inference import ranking
from logrules.inference.diagnosed_phase import phase_of
from logrules.inference.exception_table import ExceptionLineage
from logrules.inference.failure_analysis import raised_by
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.last_lines import is_under_way_at_last, last_lines, telling_line, waits_left
from logrules.inference.run_state import RunState
from logrules.model.event import Event
from logrules.model.failure import Failure
from logrules.model.record import record, replace
from logrules.model.report import Severity, Status
from logrules.model.template import template_of
from logrules.ruleset.causes import AlternativesRow
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.pattern import searched
from logrules.ruleset.tables import ALTERNATIVES, WAITS

# As many diagnoses as a reader compares.
_MAX_TOLD = 3


@record
class RunOutcome:
    """How a run stands or ended, its hypotheses in order, and the ``last_errors`` that its logs end in.

    ``unknown`` are those of them that no hypothesis rests on.
    """

    status: Status
    ranked: tuple[Ranked, ...]
    last_errors: tuple[Event, ...]
    unknown: Sequence[Event]

    @property
    def cause(self) -> str | None:
        """The likeliest cause."""
        return self.ranked[0].hypothesis.rule.cause if self.ranked else None


def outcome_of(run: RunState, hypotheses: Sequence[Hypothesis], last_errors: tuple[Event, ...]) -> RunOutcome:
    """How the run stands or ended; a pure function of what is known of it."""
    ranked = ranking.ranked(hypotheses, run.pack.tables.tiers, run.ranks.all_ranks)
    if ranked:
        ranked = _with_alternatives(ranked, run)
    # Those of a kind that a warning rests on are known.
    warnings = (one for one in hypotheses if one.severity is Severity.WARNING and not one.survived)
    known = {template_of(line.event.message) for one in warnings for line in one.lines} if last_errors else set()
    unknown = [event for event in last_errors if template_of(event.message) not in known]
    return RunOutcome(_status(ranked, run, last_errors, unknown), ranked, last_errors, unknown)


def _status(ranked: Sequence[Ranked], run: RunState, last_errors: Sequence[Event], unknown: Sequence[Event]) -> Status:
    job, tracker = run.job, run.tracker
    if any(one.hypothesis.severity is Severity.ERROR for one in ranked):
        return Status.FAILED
    if any(one.hypothesis.rule.stall and not (one.hypothesis.survived or one.hypothesis.supposed) for one in ranked):
        return Status.STALLED
    if job.activity.exit_status is not None:
        return Status.UNEXPLAINED if job.activity.exit_status else Status.COMPLETED
    if tracker.completed is not None:
        return Status.COMPLETED
    if unknown:
        return Status.UNEXPLAINED
    if not last_errors and (tracker.over or (job.ended and run.parting is not None)):
        return Status.COMPLETED
    return Status.RUNNING if tracker.looped else Status.HEALTHY


def _with_alternatives(ranked: Sequence[Ranked], run: RunState) -> tuple[Ranked, ...]:
    """The hypotheses, with what the first of them may be instead where it is of a cause that says little."""
    first = ranked[0].hypothesis
    if first.survived or _is_known(first, run.pack):
        return tuple(ranked)
    phase, silent = phase_of(first, run)[0], first.rests_on_silence
    # A log that ends in a wait, but seems to have been cut off there: its writer may wait, or may go on.
    waits = [f"{WAITS}{one.wait.id}" for one in waits_left(run, phase)[:1]] if silent else []
    told = {other.rule.cause for one in ranked for other in one.all}
    row = _fitting_row(first, phase, run)
    rules: dict[str, Rule] = {}
    for name in (*waits, *_alternatives(row, first, run)):
        rule = run.pack.rules.named(name)
        if rule is not None and rule.cause not in told:
            # What else may stand there stands where it does.
            rules.setdefault(rule.cause, replace(rule, phase=phase) if silent and rule.wait is None else rule)
    found = tuple(Ranked(Hypothesis(rule, first.matches, supposed=True)) for rule in rules.values())
    shown = found[: max(0, _MAX_TOLD - len(ranked))]
    waits_first = bool(shown) and shown[0].hypothesis.rule.wait is not None
    in_front = 1 if waits_first or (silent and row is not None and _is_at_work(row, phase, run)) else 0
    return (*shown[:in_front], *ranked, *shown[in_front:])


def _is_at_work(row: AlternativesRow, phase: str, run: RunState) -> bool:
    """Whether the last line says what is being done: the words of a row do, or it is of a phase that a job passes once.

    At its start a job does much that no row knows.
    """
    passed = any(one.id == phase and not one.loop for one in run.pack.phases) and phase != run.pack.start
    return row.words is not None or (passed and is_under_way_at_last(run))


def _fitting_row(first: Hypothesis, phase: str, run: RunState) -> AlternativesRow | None:
    """The first row of the table that fits its cause, place and class, and the words of what its log ends in."""
    failure = run.failures.record_of(first.first.chain)
    told = telling_line(last_lines(run), run.job.endings.wordings)
    words = told.message if told is not None else ""
    rows = (row for row in run.pack.tables.alternatives if first.rule.cause in row.of)
    fits = (row for row in rows if phase in (row.phases or (phase,)) and _is_of_class(row, failure, run.pack))
    return next((row for row in fits if row.words is None or searched(row.words, words) is not None), None)


def _alternatives(row: AlternativesRow | None, first: Hypothesis, run: RunState) -> Iterator[str]:
    """The rules of a row, as far as they are for what raised the failure."""
    failure = run.failures.record_of(first.first.chain)
    by = raised_by(failure) if failure is not None else ""
    if row is not None:
        fitting = (one.cause for one in row.may_be if one.raised_by in ("", by or one.raised_by))
        yield from (f"{ALTERNATIVES}{row.id}/{cause}" for cause in fitting)


def _is_known(hypothesis: Hypothesis, pack: Pack) -> bool:
    """Whether its rule knows more than its cause: a cause with a rule for what nobody knows has that ask alone."""
    cause = hypothesis.rule.cause
    return not hypothesis.rule.fallback and any(rule.cause == cause for rule in pack.rules.fallbacks())


def _is_of_class(row: AlternativesRow, failure: Failure | None, pack: Pack) -> bool:
    """Whether the row is for what was raised; a failure that the log lacks is of no class."""
    if failure is None:
        return not (row.raised or row.classes)
    bases = {one.name: one.bases for one in pack.tables.classes}
    lineage = ExceptionLineage.of(failure.type if failure.chain else "", bases)
    return not row.classes or lineage.distance(row.classes) is not None
