"""In which phase a diagnosed job was, and which of its lines say so."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from logrules.inference.ending import OUTLIVED_LINES
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.last_lines import last_lines, telling_line
from logrules.inference.observation import Observation
from logrules.inference.progress_line import bar_of
from logrules.inference.run_state import RunState
from logrules.inference.wording import is_under_way, spoken_phase
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event
from logrules.model.report import PhaseSource
from logrules.parsing.cut_off import CUT_OFF
from logrules.ruleset.condition import Detector
from logrules.ruleset.pack import Rule

# A phase, or none, and the kind of sign that gives it.
_Signs: TypeAlias = Iterator[tuple[str | None, PhaseSource]]


def phase_of(hypothesis: Hypothesis, run: RunState) -> tuple[str, PhaseSource]:
    """The phase that the most telling sign gives, and of what kind that sign is."""
    # What an asynchronous failure hits is reported by whatever comes next, down to what cleans up at the end.
    never = run.pack.end if hypothesis.rule.asynchronous else None
    for phase, source in _signs(hypothesis, run, never):
        if phase is not None and phase != never:
            return phase, source
    return last_phase(run), PhaseSource.LAST


def last_phase(run: RunState) -> str:
    """The phase that anybody entered last; before all markers that in which a job begins."""
    return run.tracker.latest[1] if run.tracker.latest else run.pack.start or ""


def _signs(hypothesis: Hypothesis, run: RunState, never: str | None) -> _Signs:
    """What the log shows of the phase, the most telling first."""
    rule, first, start, failures = hypothesis.rule, hypothesis.first, run.pack.start, run.failures
    marked, record = _marked(first, run, never), _record(hypothesis)
    # Markers say little where none says where the job is, and where they left it at its start.
    at_start = marked is not None and marked == start
    little = marked is None or at_start
    yield rule.phase, PhaseSource.RULE
    if first.refused_program is not None:
        # Whatever its log told of before.
        yield start, PhaseSource.RULE
    if record is not None and (little or not (_is_cut_off(record, run) and failures.phase_of(record) == start)):
        yield failures.phase_of(record), PhaseSource.FRAMES
    if little:
        yield from _signs_beside(hypothesis, run, at_start=at_start)
    if isinstance(rule.when, Detector):
        # What is silent said last where it is.
        yield run.preparing(), PhaseSource.LAST
        yield _spoken(run, _last_lines(first, run)) if little else None, PhaseSource.LAST
    called = _of_calls(record, run)
    if not (at_start and (called is not None or _wrote_on(first, run))):
        yield marked, PhaseSource.MARKERS
    yield called, PhaseSource.FRAMES
    # Where a log begins too late for markers, the frames of a later traceback still tell what was running.
    yield failures.first_phase(), PhaseSource.OTHER_FRAMES
    yield _of_next_marker(first.event, run.tracker), PhaseSource.LAST
    if little and first.chain is None:
        # The line above a process that ended without a traceback says what is being done.
        above = [line for line in _last_lines(first, run) if line.line < first.event.line][-1:]
        if is_under_way(run.pack.phases, above, run.job.endings.wordings):
            yield _spoken(run, above), PhaseSource.LAST
    yield _of_cause(rule, run), PhaseSource.CAUSE


def _signs_beside(hypothesis: Hypothesis, run: RunState, *, at_start: bool) -> _Signs:
    """What tells where markers say little: that the job is ``at_start``, or nothing."""
    first, failures = hypothesis.first, run.failures
    if at_start and first.chain is None:
        # The frames of a traceback above a line of its end.
        yield failures.phase_before(first), PhaseSource.OTHER_FRAMES
    yield failures.phase_of_header(first.event), PhaseSource.HEADER
    if first.chain is None:
        yield _of_failure_beside(hypothesis, run), PhaseSource.OTHER_FRAMES


def _last_lines(first: Observation, run: RunState) -> Sequence[Event]:
    return run.job.endings.lines.get(first.event.source, ())


def _is_cut_off(record: int, run: RunState) -> bool:
    """Whether a traceback is cut off: its outer frames only say that a program was started."""
    failure = run.failures.record_of(record)
    return failure is not None and failure.message.startswith(CUT_OFF)


def _of_failure_beside(hypothesis: Hypothesis, run: RunState) -> str | None:
    """The first failure among its other lines: a library logs what failed before the traceback begins."""
    own = (line for line in hypothesis.lines if line.worker == hypothesis.first.worker)
    chains = {line.order: line.chain for line in own if line.chain is not None}
    failed = (chains[order] for order in sorted(chains) if run.failures.record_of(chains[order]) is not None)
    return next(filter(None, map(run.failures.phase_of, failed)), None)


def _spoken(run: RunState, lines: Sequence[Event]) -> str | None:
    """What the last of these lines says of where a job is that never came to a loop."""
    if run.tracker.looped or not lines:
        return None
    # What only shows that something moves, as a bar without a name, leaves the last word to what it says.
    after = run.tracker.last_placed().get(lines[-1].source, 0) if run.tracker.latest is not None else 0
    return spoken_phase(run.pack.phases, lines, after)


def _of_calls(record: int | None, run: RunState) -> str | None:
    """The phase that having come through a group of frames speaks for, where no frame tells one."""
    failure = run.failures.record_of(record)
    if failure is None:
        return None
    rows = (row for row in run.pack.tables.nesting if not row.phases)
    phases = {group: row.becomes for row in rows for group in row.groups}
    groups = (frame.origin.group for link in failure.chain for frame in link.frames)
    return next((phases[group] for group in groups if group in phases), None)


def _wrote_on(first: Observation, run: RunState) -> bool:
    """Whether a line stands so far behind all that says where its writers are that these did other things meanwhile."""
    event, endings = first.event, run.job.endings
    told = run.tracker.last_placed().get(event.source)
    if first.chain is not None or told is None:
        return False
    return event.line - told >= OUTLIVED_LINES or (event.line > told and endings.repeats())


def _of_next_marker(event: Event, tracker: WorkerTracker) -> str | None:
    """What the first marker behind a line says, where none stands above it.

    How the job ends tells nothing, nor what it may do because it failed: to save, say.
    """
    spans = (span for span in tracker.spans() if span.source == event.source and span.first_line >= event.file_line)
    entered = min(spans, key=lambda span: span.first_line, default=None)
    return entered.phase if entered is not None and entered.phase in tracker.startup | tracker.loops else None


def _of_cause(rule: Rule, run: RunState) -> str | None:
    """Where such a failure usually happens, in a loop that the jobs of the frameworks seen have: no server trains.

    A job that falls silent before its first step is at its start, unless the bar of a loop without a name began.
    """
    told = telling_line(last_lines(run), run.job.endings.wordings)
    bar = bar_of(told.message) if told is not None else None
    begun = run.tracker.looped or run.job.endings.repeats() or (bar is not None and not bar[0])
    if isinstance(rule.when, Detector) and not begun:
        return run.pack.start
    return run.frameworks.likely_loop(rule.phase_otherwise)


def _marked(first: Observation, run: RunState, never: str | None) -> str | None:
    """The phase that markers tell of a line; the loop that an evaluation or a save interrupted, where that went on.

    Who writes lines of the kinds that he wrote before he began to save is no longer saving. Instead of the
    phase that it is ``never`` in, the one before.
    """
    phase, tracker = first.phase, run.tracker
    if phase is None or (phase != never and phase not in tracker.interruptions):
        return phase
    # What was entered in its log down to this line, the last first.
    log, last = first.event.source, first.event.file_line
    above = (span for span in tracker.spans() if span.source == log and span.first_line <= last)
    entered = sorted(above, key=lambda span: -span.first_line)
    if phase in tracker.interruptions - tracker.evaluations:
        own = next((span for span in entered if span.phase == phase), None)
        if own is not None and run.job.endings.resumed(first.event, own.first_line):
            before = (span.phase for span in entered if span.first_line < own.first_line)
            phase = next((one for one in before if one in tracker.loops), None)
    if phase is not None and phase == never:
        return next((span.phase for span in entered if span.phase != never), None)
    return phase


def _record(hypothesis: Hypothesis) -> int | None:
    """The failure record of its first line, or of one that repeats it: loggers print a message above its frames."""
    first = hypothesis.first
    if first.chain is not None or not first.event.message:
        return first.chain
    repeats = [
        line
        for line in hypothesis.lines
        if line.chain is not None and line.worker == first.worker and line.event.message.endswith(first.event.message)
    ]
    return min(repeats, key=lambda line: line.order).chain if repeats else None
