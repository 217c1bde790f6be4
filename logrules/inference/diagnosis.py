"""What a session found, told as a report: status, phase, diagnoses with their evidence and fixes."""

from collections.abc import Callable, Mapping, Sequence

from logrules.inference.advice import Circumstances, advised_for, steps_for
from logrules.inference.certainty import certainty, features
from logrules.inference.command_slots import filled_text, has_slots
from logrules.inference.culprit import suspects, workers_at_fault
from logrules.inference.diagnosed_phase import last_phase, phase_of
from logrules.inference.evidence_lines import bare_evidence, evidence_from, evidence_of, last_words
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.outcome import RunOutcome
from logrules.inference.rank_attribution import FailureContext
from logrules.inference.rank_comparison import compared
from logrules.inference.run_state import RunState
from logrules.inference.slot_values import said_by, slots_of, titled
from logrules.model.deferred import Deferred
from logrules.model.event import Event
from logrules.model.report import (
    Comparison,
    Consequence,
    Diagnosis,
    Evidence,
    PhaseSource,
    Report,
    Restart,
    Severity,
    Status,
    Text,
)
from logrules.ruleset.pack import Rule
from logrules.ruleset.rule_text import Card, card_of, title_of

MAX_CONSEQUENCES = 12
# What announces a failure, or gives its details, stands so near to it.
_NEAR_LINES = 4
MAX_UNEXPLAINED = 8


def report_of(run: RunState, outcome: RunOutcome) -> Report:
    """What a run shows, told as a report; a pure function of what is known of it."""
    tracker, status = run.tracker, outcome.status
    roots = [hypothesis for one in outcome.ranked for hypothesis in one.all]
    sides = compared(run, roots, stalled=status is Status.STALLED)
    diagnoses = tuple(_diagnosis(place, outcome, run, sides) for place in range(len(outcome.ranked)))
    completed = tracker.completed or run.parting if status is Status.COMPLETED else None
    return Report(
        status=status,
        phase=_phase_shown(status, diagnoses, run),
        diagnoses=diagnoses,
        timeline=tracker.spans(),
        unusual=_unusual(run, outcome, diagnoses),
        curves=run.curves.drawn(),
        waits=tracker.waits.spans(run.last),
        comparison=sides,
        frameworks=tuple(sorted(run.frameworks.names)),
        completed_by=evidence_from(completed, {}) if completed else None,
        shell="powershell" if run.job.told.get("windows") else "bash",
        start=run.pack.start or "",
    )


def _unusual(run: RunState, outcome: RunOutcome, diagnoses: Sequence[Diagnosis]) -> tuple[Evidence, ...]:
    """The errors that nobody knows; else lines that merely stand out, where no diagnosis says more."""
    if outcome.status is Status.UNEXPLAINED:
        return tuple(map(bare_evidence, outcome.unknown[-MAX_UNEXPLAINED:]))
    known = any(one.severity is not Severity.INFO for one in diagnoses)
    return () if known else tuple(evidence_from(observation, {}) for observation in run.outliers.rarest())


def _phase_shown(status: Status, diagnoses: Sequence[Diagnosis], run: RunState) -> str:
    """Where the job failed or stands, else where it got to: where no marker says that, what it is warned of does."""
    ended = status in (Status.FAILED, Status.STALLED)
    nowhere = run.tracker.latest is None and any(one.severity is Severity.WARNING for one in diagnoses[:1])
    return diagnoses[0].phase if ended or nowhere else last_phase(run)


def _diagnosis(place: int, outcome: RunOutcome, run: RunState, sides: Comparison | None) -> Diagnosis:
    one, pack = outcome.ranked[place], run.pack
    hypothesis, rule = one.hypothesis, one.hypothesis.rule
    card = card_of(pack, rule.id)
    evidence = _evidence(one, card, run, outcome.last_errors)
    ranks, hosts = suspects(FailureContext(one, run), sides)
    phase, phase_from = phase_of(hypothesis, run)
    shown_phase = None if phase_from is PhaseSource.CAUSE else phase
    said = said_by(hypothesis, run, evidence)
    captures = slots_of(hypothesis, run, evidence, said, (ranks, hosts))
    seen = advised_for(rule, run.frameworks.names, pack.tables.settings)
    model, index = pack.tables.certainty_model, run.job.index
    return Diagnosis(
        rule=rule.id,
        cause=rule.cause,
        phase=phase,
        severity=hypothesis.severity,
        confidence=certainty(model, features(outcome.ranked, place, index.reactions)),
        title=_supposed(_said(card.title, captures), hypothesis),
        why=_said(card.why, captures),
        restart=_restart(card.restart, rule, shown_phase, run),
        ranks=ranks,
        hosts=hosts,
        evidence=evidence,
        fixes=Deferred(lambda: steps_for(card.steps, pack.tables, Circumstances(seen, said, shown_phase, captures()))),
        consequences=tuple(_consequence(other, run) for other in one.consequences[:MAX_CONSEQUENCES]),
        references=card.references,
        checks=index.checks.get(rule.cause, ()),
        measured=model.records.get(rule.id, (0, 0)),
        phase_from=phase_from,
        workers=workers_at_fault(hypothesis),
    )


def _evidence(one: Ranked, card: Card, run: RunState, last_errors: Sequence[Event]) -> tuple[Evidence, ...]:
    """The lines that show it and those told with it; in front, where its title asks for them, the job's last words."""
    root = one.hypothesis
    beside = tuple(it for it in one.consequences if it.rule.cause == root.rule.cause or _is_part(it, root))
    spoken = last_words(card, root, run, last_errors)
    evidence = evidence_of(root, run, beside)
    return evidence if spoken is None else (spoken, *evidence)


def _supposed(title: Text, hypothesis: Hypothesis) -> Text:
    """The title of a wait that a log may only have been cut off in says no more than that."""
    unsure = hypothesis.supposed and hypothesis.rule.wait is not None
    return Text(f"Perhaps: {title.en}", f"或许：{title.zh}" if title.zh else "") if unsure else title


def _said(text: Text, captures: Callable[[], Mapping[str, str]]) -> Text:
    """The sentence with what the log says in its slots; most have none."""
    return filled_text(text, captures()) if has_slots(text) else text


def _restart(advice: Restart, rule: Rule, phase: str | None, run: RunState) -> Restart:
    """The card's advice; not to start the same again where the work is done, or where it was ended before it began.

    Who ends a job that has not come to its first step has seen it stand still.
    """
    if advice is not Restart.RETRY:
        return advice
    if run.tracker.completed is not None or (phase is not None and phase == run.pack.end):
        return Restart.NO
    return Restart.AFTER_FIX if rule.abrupt and not run.tracker.looped else advice


def _consequence(hypothesis: Hypothesis, run: RunState) -> Consequence:
    evidence = evidence_of(hypothesis, run)
    captures = titled(hypothesis, run.failures, evidence)
    title = filled_text(title_of(run.pack, hypothesis.rule.id), captures)
    return Consequence(hypothesis.rule.id, hypothesis.rule.cause, title, evidence[:2])


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
