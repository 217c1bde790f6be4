"""What a session found, told as a report: status, phase, diagnoses with their evidence and fixes."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from logrules.inference.advice import advised_for, steps_for
from logrules.inference.alternatives import alternatives
from logrules.inference.certainty import certainty, features
from logrules.inference.command_slots import filled_text, has_slots
from logrules.inference.culprit import suspects
from logrules.inference.diagnosed_phase import last_phase, phase_of
from logrules.inference.evidence_lines import bare_evidence, evidence_from, evidence_of, last_words
from logrules.inference.failure_captures import raised_by
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.rank_attribution import FailureContext
from logrules.inference.rank_comparison import RankComparison, compared
from logrules.inference.rank_divergence import RankDivergence
from logrules.inference.ranking import Ranking
from logrules.inference.run_state import RunState
from logrules.inference.slot_values import advised, placed, said_by, several, titled
from logrules.inference.workers import WorkerTracker
from logrules.model.deferred import Deferred
from logrules.model.event import Event
from logrules.model.record import record, replace
from logrules.model.report import (
    Comparison,
    Consequence,
    Diagnosis,
    Difference,
    PhaseSource,
    Report,
    Restart,
    Run,
    Severity,
    SourceNote,
    Status,
    Text,
)
from logrules.model.template import template_of
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.rule_text import card_of, title_of

MAX_CONSEQUENCES = 12
# What announces a failure, or gives its details, stands so near to it.
_NEAR_LINES = 4
MAX_UNEXPLAINED = 8


@record
class Findings:
    """What a report is made of: the run that it is of, what holds in it, and the errors that its logs end in."""

    run: RunState
    hypotheses: tuple[Hypothesis, ...]
    last_errors: tuple[Event, ...]
    earlier_runs: tuple[Run, ...]
    notes: tuple[SourceNote, ...]


def report_of(findings: Findings, pack: Pack, lines: int, sources: tuple[str, ...]) -> Report:
    """The report; a pure function of the findings."""
    run, tracker = findings.run, findings.run.tracker
    ranked = ranked_of(findings, pack)
    unknown = _unknown_errors(findings)
    status = _status(ranked, findings, unknown)

    roots = [hypothesis for one in ranked for hypothesis in one.all]
    sides = compared(run, roots, stalled=status is Status.STALLED)
    model = pack.tables.certainty
    reactions = frozenset(tier.id for tier in pack.tables.tiers if tier.reaction)
    diagnoses = tuple(
        replace(
            _diagnosis(one, findings, pack, sides),
            confidence=certainty(model, features(ranked, place, reactions)),
            measured=model.records.get(one.hypothesis.rule.id, (0, 0)),
        )
        for place, one in enumerate(ranked)
    )
    # Lines that merely stand out are worth showing only where no diagnosis says more.
    known = any(one.severity is not Severity.INFO for one in diagnoses)
    unusual = () if known else tuple(evidence_from(observation, {}) for observation in run.outliers.rarest())
    if status is Status.UNEXPLAINED:
        unusual = tuple(map(bare_evidence, unknown[-MAX_UNEXPLAINED:]))
    completed = tracker.completed or run.parting if status is Status.COMPLETED else None
    return Report(
        status=status,
        phase=_phase_shown(status, diagnoses, tracker),
        diagnoses=diagnoses,
        timeline=tracker.spans(),
        earlier_runs=findings.earlier_runs,
        unusual=unusual,
        notes=findings.notes,
        sources=sources,
        lines=lines,
        curves=run.curves.drawn(),
        waits=tracker.waits.spans(run.last),
        comparison=_comparison(sides) if sides else None,
        frameworks=tuple(sorted(run.frameworks)),
        completed_by=evidence_from(completed, {}) if completed else None,
        shell="powershell" if run.job.told.get("windows") else "bash",
    )


def _phase_shown(status: Status, diagnoses: Sequence[Diagnosis], tracker: WorkerTracker) -> str:
    """Where the job failed or stands, else where it got to: where no marker says that, what it is warned of does."""
    ended = status in (Status.FAILED, Status.STALLED)
    nowhere = tracker.latest is None and any(one.severity is Severity.WARNING for one in diagnoses[:1])
    return diagnoses[0].phase if ended or nowhere else last_phase(tracker)


def outcome_of(findings: Findings, pack: Pack) -> tuple[Status, str | None]:
    """How it ended, and the likeliest cause: what is told of a run once another one has begun."""
    ranked = ranked_of(findings, pack)
    status = _status(ranked, findings, _unknown_errors(findings))
    return status, ranked[0].hypothesis.rule.cause if ranked else None


def ranked_of(findings: Findings, pack: Pack) -> tuple[Ranked, ...]:
    """The hypotheses, the likeliest cause first; behind one that says little what else it may be."""
    run = findings.run
    ranked = Ranking(pack.tables.tiers, run.ranks.all_ranks).ranked(findings.hypotheses)
    if not ranked:
        return ranked
    first = ranked[0].hypothesis
    failure = run.failures.record_of(first.first.chain)
    raised, by = (failure.type if failure.chain else "", raised_by(failure)) if failure is not None else (None, "")
    return (*ranked, *alternatives(ranked, phase_of(first, run, pack)[0], raised, by, pack))


def _status(ranked: Sequence[Ranked], findings: Findings, unknown: Sequence[Event]) -> Status:
    job, tracker = findings.run.job, findings.run.tracker
    if any(one.hypothesis.severity is Severity.ERROR for one in ranked):
        return Status.FAILED
    if any(one.hypothesis.rule.stall and not one.hypothesis.survived for one in ranked):
        return Status.STALLED
    if job.activity.exit_status is not None:
        return Status.UNEXPLAINED if job.activity.exit_status else Status.COMPLETED
    if tracker.completed is not None:
        return Status.COMPLETED
    if unknown:
        return Status.UNEXPLAINED
    if not findings.last_errors and (tracker.over or (job.ended and findings.run.parting is not None)):
        return Status.COMPLETED
    return Status.RUNNING if tracker.looped else Status.HEALTHY


def _unknown_errors(findings: Findings) -> Sequence[Event]:
    """The errors that the log ends in, but for those of a kind that a warning rests on."""
    if not findings.last_errors:
        return ()
    warnings = (one for one in findings.hypotheses if one.severity is Severity.WARNING and not one.survived)
    known = {template_of(line.event.message) for one in warnings for line in one.lines}
    return [event for event in findings.last_errors if template_of(event.message) not in known]


def _comparison(sides: RankComparison) -> Comparison:
    spread_s, timeout_s = sides.spread or (None, None)
    return Comparison(
        sides.seen, sides.world, tuple(_difference(one) for one in sides.unlike), spread_s, timeout_s
    )  # fmt: skip


def _difference(one: RankDivergence) -> Difference:
    hosts = tuple(dict.fromkeys(line.worker.host for line in one.lines[:1] if line.worker.host is not None))
    return Difference(
        one.kind, one.ranks, one.others, hosts, one.facts, tuple(evidence_from(line, {}) for line in one.lines)
    )


def _diagnosis(one: Ranked, findings: Findings, pack: Pack, sides: RankComparison | None) -> Diagnosis:
    hypothesis, run = one.hypothesis, findings.run
    rule = hypothesis.rule
    card = card_of(pack, rule.id)
    evidence = evidence_of(hypothesis, run.last, pack.signals, _of_one_event(one))
    if (spoken := last_words(card, hypothesis, run, findings.last_errors)) is not None:
        evidence = (spoken, *evidence)
    ranks, hosts = suspects(FailureContext(one, run.ranks, run.failures), sides)
    phase, phase_from = phase_of(hypothesis, run, pack)
    said = said_by(hypothesis, run.failures, evidence)
    captured = {**several(len(run.ranks.ranks)), **titled(hypothesis, run.failures, evidence)}
    # Only what is no state of the session may be asked for later.
    places = placed(hypothesis, run.failures)
    captures = cache(partial(advised, captured, places, said, run.told(), pack))
    cause = next((one for one in pack.tables.causes if one.id == rule.cause), None)
    shown_phase = None if phase_from is PhaseSource.CAUSE else phase
    seen = advised_for(rule, run.frameworks, pack.tables.settings)
    return Diagnosis(
        rule=rule.id,
        cause=rule.cause,
        phase=phase,
        severity=hypothesis.severity,
        confidence=0.0,
        title=_said(card.title, captures),
        why=_said(card.why, captures),
        restart=_restart(card.restart, rule, shown_phase, run.tracker, pack),
        ranks=ranks,
        hosts=hosts,
        evidence=evidence,
        fixes=Deferred(lambda: steps_for(card, captures(), seen, said, shown_phase)),
        consequences=tuple(_consequence(other, run, pack) for other in one.consequences[:MAX_CONSEQUENCES]),
        references=card.references,
        checks=cause.checks if cause else (),
        phase_from=phase_from,
    )


def _said(text: Text, captures: Callable[[], Mapping[str, str]]) -> Text:
    """The sentence with what the log says in its slots; most have none."""
    return filled_text(text, captures()) if has_slots(text) else text


def _restart(advice: Restart, rule: Rule, phase: str | None, tracker: WorkerTracker, pack: Pack) -> Restart:
    """The card's advice; not to start the same again where the work is done, or where it was ended before it began.

    Who ends a job that has not come to its first step has seen it stand still.
    """
    if advice is not Restart.RETRY:
        return advice
    if tracker.completed is not None or (phase is not None and phase == pack.end):
        return Restart.NO
    return Restart.AFTER_FIX if rule.abrupt and not tracker.looped else advice


def _consequence(hypothesis: Hypothesis, run: RunState, pack: Pack) -> Consequence:
    evidence = evidence_of(hypothesis, run.last, pack.signals)
    captures = titled(hypothesis, run.failures, evidence)
    title = filled_text(title_of(pack, hypothesis.rule.id), captures)
    return Consequence(hypothesis.rule.id, hypothesis.rule.cause, title, evidence[:2])


def _of_one_event(one: Ranked) -> tuple[Hypothesis, ...]:
    """Its consequences whose lines show it too: those that name the same cause, and those told in the same breath."""
    root = one.hypothesis
    return tuple(other for other in one.consequences if other.rule.cause == root.rule.cause or _is_part(other, root))


def _is_part(other: Hypothesis, root: Hypothesis) -> bool:
    """Whether the one is told right at the other, or in the same failure record.

    The wrapper and the logger's word stand above, the details of an error (NCCL's "Last error:", the codes of CANN)
    below.
    """
    first, second = other.first, root.first
    if other.rule.wait is not None or first.event.source != second.event.source:
        return False
    return (first.chain is not None and first.chain == second.chain) or (
        first.worker == second.worker and abs(second.event.line - first.event.line) <= _NEAR_LINES
    )
