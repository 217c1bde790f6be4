"""In which phase a diagnosed job was, and which of its lines say so.

Each function whose name begins with ``_of`` is one sign of it, and gives no phase where the log does not show that
sign. One table says in which order they are asked.
"""

from collections.abc import Callable, Sequence

from logrules.inference.ending import OUTLIVED_LINES
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Observation
from logrules.inference.run_state import RunState
from logrules.inference.spoken_phase import is_under_way, spoken_phase
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event
from logrules.model.record import record
from logrules.model.report import PhaseSource
from logrules.model.timeline import PhaseSpan
from logrules.parsing.exception_line import CUT_OFF
from logrules.ruleset.condition import Detector
from logrules.ruleset.pack import Pack


@record
class PhaseContext:
    """What signs of a phase are looked for in: a hypothesis and its run.

    ``marked`` is the phase that markers tell of its first line, ``record`` the failure record that it is told in.
    """

    hypothesis: Hypothesis
    run: RunState
    marked: str | None
    record: int | None

    @property
    def first(self) -> Observation:
        """Its first line."""
        return self.hypothesis.first

    @property
    def pack(self) -> Pack:
        """The pack that it is diagnosed by."""
        return self.run.pack

    @property
    def last_lines(self) -> Sequence[Event]:
        """The last lines of the log that its first line stands in."""
        return self.run.job.endings.lines.get(self.first.event.source, ())

    @property
    def is_at_start(self) -> bool:
        """Whether markers left the job at its start."""
        return self.marked is not None and self.marked == self.pack.start

    @property
    def knows_little(self) -> bool:
        """Whether markers say so little that signs which are weaker elsewhere may know more."""
        return self.marked is None or self.is_at_start


def phase_of(hypothesis: Hypothesis, run: RunState) -> tuple[str, PhaseSource]:
    """The phase that the most telling sign gives, and of what kind that sign is."""
    # What an asynchronous failure hits is reported by whatever comes next, down to what cleans up at the end.
    never = run.pack.end if hypothesis.rule.asynchronous else None
    context = PhaseContext(hypothesis, run, _marked(hypothesis.first, run, never), _record(hypothesis))
    for sign, source in _SIGNS:
        phase = sign(context)
        if phase is not None and phase != never:
            return phase, source
    return last_phase(run.tracker), PhaseSource.LAST


def last_phase(tracker: WorkerTracker) -> str:
    """The phase that anybody entered last; a job begins at its launch."""
    return tracker.latest[1] if tracker.latest else "launch"


def _of_rule(context: PhaseContext) -> str | None:
    return context.hypothesis.rule.phase


def _of_refused_start(context: PhaseContext) -> str | None:
    """A program that was refused its start was at its start, whatever its log told of before."""
    return None if context.first.refused_program is None else context.pack.start


def _of_frames(context: PhaseContext) -> str | None:
    if context.record is None:
        return None
    failures = context.run.failures
    phase, failure = failures.phases.of(context.record), failures.record_of(context.record)
    # The outer frames of a traceback that is cut off only say that a program was started.
    is_cut_off = failure is not None and failure.message.startswith(CUT_OFF)
    return None if is_cut_off and phase == context.pack.start and not context.knows_little else phase


def _of_traceback_above(context: PhaseContext) -> str | None:
    """Where markers left a job at its start, the frames of a traceback above a line of its end know more."""
    if context.first.chain is not None or not context.is_at_start:
        return None
    return context.run.failures.phases.before(context.first)


def _of_header(context: PhaseContext) -> str | None:
    return context.run.failures.phases.of_header(context.first.event) if context.knows_little else None


def _of_failure_beside(context: PhaseContext) -> str | None:
    """The first failure among its other lines: a library logs what failed before the traceback begins."""
    first, failures = context.first, context.run.failures
    if first.chain is not None or not context.knows_little:
        return None
    own = (line for line in context.hypothesis.lines if line.worker == first.worker)
    chains = {line.order: line.chain for line in own if line.chain is not None}
    failed = (chains[order] for order in sorted(chains) if failures.record_of(chains[order]) is not None)
    return next(filter(None, map(failures.phases.of, failed)), None)


def _of_last_words(context: PhaseContext) -> str | None:
    """What the last lines say of where a job is that never came to a loop, for a rule about its silence."""
    return _spoken(context, context.last_lines) if isinstance(context.hypothesis.rule.when, Detector) else None


def _of_words_above(context: PhaseContext) -> str | None:
    """What the line above says that is being done, where a process ended without a traceback."""
    if context.first.chain is not None:
        return None
    failed = context.first.event
    above = [line for line in context.last_lines if line.line < failed.line][-1:]
    phase = _spoken(context, above)
    wordings = context.run.job.endings.wordings
    return phase if phase is not None and is_under_way(context.pack.phases, above, wordings) else None


def _spoken(context: PhaseContext, lines: Sequence[Event]) -> str | None:
    tracker = context.run.tracker
    if tracker.looped or not context.knows_little:
        return None
    return spoken_phase(context.pack.phases, lines, tracker.went_on().get(context.first.event.source, 0))


def _of_markers(context: PhaseContext) -> str | None:
    """What markers tell, unless that is the start and the job has left it: it calls a model, or wrote on for long."""
    if context.is_at_start and (_of_calls(context) is not None or _wrote_on(context)):
        return None
    return context.marked


def _of_calls(context: PhaseContext) -> str | None:
    """The phase that having come through a group of frames speaks for, where no frame tells one."""
    failure = context.run.failures.record_of(context.record)
    if failure is None:
        return None
    rows = (row for row in context.pack.tables.nesting if not row.phases)
    phases = {group: row.becomes for row in rows for group in row.groups}
    groups = (frame.origin.group for link in failure.chain for frame in link.frames)
    return next((phases[group] for group in groups if group in phases), None)


def _of_any_traceback(context: PhaseContext) -> str | None:
    """Where a log begins too late for markers, the frames of a later traceback still tell what was running."""
    return context.run.failures.phases.first()


def _of_next_marker(context: PhaseContext) -> str | None:
    """What the first marker behind a line says, where none stands above it.

    How the job ends tells nothing, nor what it may do because it failed: to save, say.
    """
    event, tracker = context.first.event, context.run.tracker
    spans = (span for span in tracker.spans() if span.source == event.source and span.first_line >= event.file_line)
    entered = min(spans, key=lambda span: span.first_line, default=None)
    return entered.phase if entered is not None and entered.phase in tracker.startup | tracker.loops else None


def _of_cause(context: PhaseContext) -> str | None:
    """Where such a failure usually happens, in a loop that the jobs of the frameworks seen have: no server trains.

    A job that falls silent before its first step is at its start.
    """
    rule, run, pack = context.hypothesis.rule, context.run, context.pack
    if isinstance(rule.when, Detector) and not run.tracker.looped and not run.job.endings.repeats():
        return pack.start
    phase = rule.phase_otherwise
    loops = [one.loops for one in pack.frameworks if one.loops and one.id in run.frameworks]
    looping = any(one.id == phase and one.loop for one in pack.phases)
    if not looping or not loops or any(phase in one for one in loops):
        return phase
    return loops[0][0]


# The most telling first.
_SIGNS: tuple[tuple[Callable[[PhaseContext], str | None], PhaseSource], ...] = (
    (_of_rule, PhaseSource.RULE),
    (_of_refused_start, PhaseSource.RULE),
    (_of_frames, PhaseSource.FRAMES),
    (_of_traceback_above, PhaseSource.OTHER_FRAMES),
    (_of_header, PhaseSource.HEADER),
    (_of_failure_beside, PhaseSource.OTHER_FRAMES),
    (_of_last_words, PhaseSource.LAST),
    (_of_markers, PhaseSource.MARKERS),
    (_of_calls, PhaseSource.FRAMES),
    (_of_any_traceback, PhaseSource.OTHER_FRAMES),
    (_of_next_marker, PhaseSource.LAST),
    (_of_words_above, PhaseSource.LAST),
    (_of_cause, PhaseSource.CAUSE),
)


def _marked(first: Observation, run: RunState, never: str | None) -> str | None:
    """The phase that markers tell of a line; the loop that an evaluation or a save interrupted, where that went on.

    Who writes lines of the kinds that he wrote before he began to save is no longer saving. Instead of the
    phase that it is ``never`` in, the one before.
    """
    phase, tracker = first.phase, run.tracker
    if phase is None or (phase != never and phase not in tracker.interruptions):
        return phase
    entered = _entered_above(first.event, tracker)
    if phase in tracker.interruptions - tracker.loops:
        own = next((span for span in entered if span.phase == phase), None)
        if own is not None and run.job.endings.resumed(first.event, own.first_line):
            before = (span.phase for span in entered if span.first_line < own.first_line)
            phase = next((one for one in before if one in tracker.loops), None)
    if phase is not None and phase == never:
        return next((span.phase for span in entered if span.phase != never), None)
    return phase


def _entered_above(event: Event, tracker: WorkerTracker) -> list[PhaseSpan]:
    """The phases that were entered in its log down to this line, the last first."""
    spans = [span for span in tracker.spans() if span.source == event.source and span.first_line <= event.file_line]
    return sorted(spans, key=lambda span: -span.first_line)


def _wrote_on(context: PhaseContext) -> bool:
    """Whether a line stands so far behind all that says where its writers are that these did other things meanwhile."""
    if context.first.chain is not None:
        return False
    event, endings = context.first.event, context.run.job.endings
    told = context.run.tracker.went_on().get(event.source)
    return told is not None and (event.line - told >= OUTLIVED_LINES or (event.line > told and endings.repeats()))


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
