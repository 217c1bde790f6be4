"""In which phase a diagnosed job was, and which of its lines say so."""

from logrules.inference.ending import OUTLIVED_LINES, Endings
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.run_state import RunState
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event
from logrules.model.failure import Failure
from logrules.model.report import PhaseSource
from logrules.model.timeline import PhaseSpan
from logrules.ruleset.condition import Detector
from logrules.ruleset.pack import Pack, Rule


def phase_of(hypothesis: Hypothesis, run: RunState, pack: Pack) -> tuple[str, PhaseSource]:
    """The rule's fixed phase, else what frames or markers say of its first line, else the next best word."""
    rule, first, failures = hypothesis.rule, hypothesis.first, run.failures
    chain = _record(hypothesis)
    told = failures.phase_of(chain) if chain is not None else None
    # Where the log begins too late for markers, the frames of a later traceback still tell what was running.
    later = failures.first_phase()
    here = _by_markers(first.phase, first.event, run.tracker, run.job.endings)
    # What cleans up behind such a failure reports it too.
    never = pack.end if rule.asynchronous else None
    if here is not None and here == never:
        here = _before_end(first.event, run.tracker, never)
    at_start = here in (None, pack.start)
    headed = failures.phases.of_header(first.event) if at_start else None
    spoken = _spoken(hypothesis, run, pack) if at_start else None
    # A job whose markers left it at its start was where a traceback above a line of its end shows it.
    ended = first.chain is None and here is not None and here == pack.start
    further = failures.phase_before(first) if ended else None
    if ended and further is None and _left_start(first.event, run.tracker, run.job.endings):
        # It started, and then wrote for long what no marker knows.
        here = None
    # What was called in a model had left the start of its job behind.
    called = _called(failures.record_of(chain), pack)
    if called is not None and here == pack.start:
        here = None
    words = (
        (rule.phase, PhaseSource.RULE),
        (told, PhaseSource.FRAMES),
        (further, PhaseSource.OTHER_FRAMES),
        (headed, PhaseSource.HEADER),
        # A library logs what failed before its traceback begins, where nothing has told a phase yet.
        (_beside(hypothesis, run) if at_start else None, PhaseSource.OTHER_FRAMES),
        (None if spoken else here, PhaseSource.MARKERS),
        (spoken, PhaseSource.LAST),
        (called, PhaseSource.FRAMES),
        (later, PhaseSource.OTHER_FRAMES),
        (_entered_next(first.event, run.tracker) if here is None else None, PhaseSource.LAST),
        (_usual_phase(rule, run, pack), PhaseSource.CAUSE),
    )
    found = next(((phase, source) for phase, source in words if phase not in (None, never)), None)
    return found or (last_phase(run.tracker), PhaseSource.LAST)


def _by_markers(phase: str | None, event: Event, tracker: WorkerTracker, endings: Endings) -> str | None:
    """The phase that markers say of a line, or the loop before it where that was taken up again; None for no such loop.

    Who writes lines of the kinds that he wrote before he began to save is no longer saving.
    """
    if phase is None or phase in tracker.loops or phase not in tracker.interruptions:
        return phase
    entered = _entered_above(event, tracker)
    own = next((span for span in entered if span.phase == phase), None)
    if own is None or not endings.resumed(event, own.first_line):
        return phase
    looped = (span.phase for span in entered if span.first_line < own.first_line and span.phase in tracker.loops)
    return next(looped, None)


def _left_start(event: Event, tracker: WorkerTracker, endings: Endings) -> bool:
    """Whether a line stands so far behind all that says where its writers are that these did other things meanwhile."""
    told = tracker.went_on().get(event.source)
    return told is not None and (event.line - told >= OUTLIVED_LINES or (event.line > told and endings.repeats()))


def _entered_above(event: Event, tracker: WorkerTracker) -> list[PhaseSpan]:
    """The phases that were entered in its log down to this line, the last first."""
    spans = [span for span in tracker.spans() if span.source == event.source and span.first_line <= event.file_line]
    return sorted(spans, key=lambda span: -span.first_line)


def _before_end(event: Event, tracker: WorkerTracker, last: str) -> str | None:
    """The phase from which its source came to its end."""
    return next((span.phase for span in _entered_above(event, tracker) if span.phase != last), None)


def _entered_next(event: Event, tracker: WorkerTracker) -> str | None:
    """What the first marker behind a line says, where none stands above it.

    How the job ends tells nothing, nor what it may do because it failed: to save, say.
    """
    spans = (span for span in tracker.spans() if span.source == event.source and span.first_line >= event.file_line)
    entered = min(spans, key=lambda span: span.first_line, default=None)
    return entered.phase if entered is not None and entered.phase in tracker.startup | tracker.loops else None


def _called(failure: Failure | None, pack: Pack) -> str | None:
    """The phase that having come through a group of frames speaks for, where no frame tells one."""
    rows = (row for row in pack.tables.nesting if not row.phases)
    phases = {group: row.becomes for row in rows for group in row.groups}
    frames = (frame for link in (failure.chain if failure is not None else ()) for frame in link.frames)
    return next((phases[frame.origin.group] for frame in frames if frame.origin.group in phases), None)


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


def _spoken(hypothesis: Hypothesis, run: RunState, pack: Pack) -> str | None:
    """What the last lines say of where a job was that never came to a loop, for a rule about its silence."""
    if not isinstance(hypothesis.rule.when, Detector) or run.tracker.looped:
        return None
    # Its patterns take a millisecond to compile, and few logs end so.
    from logrules.inference.spoken_phase import spoken_phase

    source = hypothesis.first.event.source
    lines = run.job.endings.lines.get(source, ())
    return spoken_phase(pack.phases, lines, run.tracker.went_on().get(source, 0))


def _usual_phase(rule: Rule, run: RunState, pack: Pack) -> str | None:
    """Where such a failure usually happens, in a loop that the jobs of the frameworks seen have: no server trains.

    A job that falls silent before its first step is at its start.
    """
    phase = rule.phase_otherwise
    if isinstance(rule.when, Detector) and not run.tracker.looped and not run.job.endings.repeats():
        return pack.start
    loops = [one.loops for one in pack.frameworks if one.loops and one.id in run.frameworks]
    looping = any(one.id == phase and one.loop for one in pack.phases)
    if not looping or not loops or any(phase in one for one in loops):
        return phase
    return loops[0][0]


def last_phase(tracker: WorkerTracker) -> str:
    """The phase that anybody entered last; a job begins at its launch."""
    return tracker.latest[1] if tracker.latest else "launch"


def _beside(hypothesis: Hypothesis, run: RunState) -> str | None:
    """The phase of the first failure among the other lines of a hypothesis that begins outside of one."""
    first, failures = hypothesis.first, run.failures
    if first.chain is not None:
        return None
    own = (line for line in hypothesis.lines if line.worker == first.worker)
    chains = {line.order: line.chain for line in own if line.chain is not None}
    failed = (chains[order] for order in sorted(chains) if failures.record_of(chains[order]) is not None)
    phases = map(failures.phase_of, failed)
    return next((phase for phase in phases if phase is not None), None)
