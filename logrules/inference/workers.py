"""Where each worker is: phases entered, waits opened and closed, steps made.

A worker is what the lines say of their writer. Workers of the same role are peers: what one does says
nothing of the other, except that nobody steps through a loop while a peer has yet to start.
"""

from collections.abc import Collection, Iterable, Sequence

from logrules.inference.cadence import SHORTEST_S, Rhythm, Rounds
from logrules.inference.observation import Observation
from logrules.inference.progress_line import bar_of, is_full, label_of, progress_key
from logrules.inference.waits import OpenWaits
from logrules.inference.worker_state import WorkerState, peers
from logrules.model.change import Change, PhaseEntered
from logrules.model.event import Event, Worker
from logrules.model.timeline import PhaseSpan
from logrules.ruleset.pack import Marker, Pack, Wait

MAX_SPANS = 20_000
LOCK_STEP = 3  # rounds that no rank makes while a peer is still before its first: they step together


class WorkerTracker:
    """Follows all workers of a job through the markers of a pack.

    ``loops`` are the phases that loop, ``startup`` those before the first of them, ``interruptions`` those that
    interrupt one: ``evaluations`` where they loop themselves.
    """

    def __init__(self, pack: Pack) -> None:
        first_loop = next((n for n, phase in enumerate(pack.phases) if phase.loop), len(pack.phases))
        self.loops = frozenset(phase.id for phase in pack.phases if phase.loop)
        self.startup = frozenset(phase.id for phase in pack.phases[:first_loop])
        self.interruptions = frozenset(marker.leaves for marker in pack.markers if marker.leaves is not None)
        self.evaluations = self.interruptions & self.loops
        self._idle = frozenset(phase.id for phase in pack.phases if phase.idle)
        self._waits = {wait.id: wait for wait in pack.waits}
        self._no_rhythm = Rhythm(shortest_s=SHORTEST_S * pack.patience)
        self._last_phase = pack.end
        self._loop_order = -1
        self.workers: dict[Worker, WorkerState] = {}
        # What each process called itself last, by its log, host and number: some take a better name with their rank.
        self._names: dict[tuple[str, str | None, int], Worker] = {}
        self.waits = OpenWaits()
        self.latest: tuple[Worker, str] | None = None
        self.steps = Rounds()
        # Those of each log that tells of steps.
        self.steps_in: dict[str, Rounds] = {}
        self.completed: Observation | None = None
        # The last line that said so, whatever was begun after it.
        self._worked: Observation | None = None
        self.completions = 0
        # Its processes are gone, for better or worse.
        self.over = False
        self._stepped_in: set[str] = set()
        self.looped = False
        self._spans: list[PhaseSpan] = []

    def phase_at(self, event: Event) -> str | None:
        """The phase in which a line was written, as far as markers tell.

        A driver's and its workers' lines tell of the same pipeline, so the latest marker of any of them counts; only a
        peer's says nothing of this worker, except that nobody steps through a loop while a peer is still starting.
        """
        if self.latest is None:
            return None
        own = self.workers.get(event.worker)
        latest_worker, latest_phase = self.latest
        latest = self.workers[latest_worker]
        if own is None or own.phase is None or not peers(event.worker, latest_worker):
            return self._where(latest, latest_phase, event)
        behind = own.phase in self.startup and own.latest is not None and own.latest.order < self._loop_order
        return latest_phase if behind else self._where(own, own.phase, event)

    def _where(self, state: WorkerState, phase: str, event: Event) -> str | None:
        """The phase; the loop that an evaluation or a save interrupted where that is over, which may be unknown."""
        if state.phase != phase or phase not in self.interruptions or not state.is_past(event):
            return phase
        # What has not begun to train is measured for its own sake.
        return state.home or (phase if phase in self.loops else None)

    def is_held_out(self, markers: Sequence[Marker], observation: Observation) -> bool:
        """Whether a line is of an evaluation, which training was interrupted for; its last line too."""
        phases = (observation.phase, *(marker.enters for marker in markers if marker.leaves is not None))
        return not self.evaluations.isdisjoint(phases)

    def is_measuring(self, event: Event) -> bool:
        """Whether the writer of a line evaluates a model; a bar of the loop that this interrupts says otherwise."""
        own = self.workers.get(event.worker)
        return own is not None and own.phase in self.evaluations and not own.is_home_bar(event.message)

    @property
    def owes_nothing(self) -> bool:
        """Whether silence is normal now: the run is over, or it serves whoever asks."""
        return self.over or (self.latest is not None and self.latest[1] in self._idle)

    def is_after_work(self, later: Observation) -> bool:
        """Whether this stands behind the line that said that the work is done, and no step was made since.

        What is saved then may be the last that its program says.
        """
        done = self._worked
        if done is None or later.order <= done.order:
            return False
        return all(state.stepped is None or state.stepped.order < done.order for state in self.workers.values())

    def stepped_past(self, earlier: Observation, phase: str | None) -> bool:
        """Whether who wrote this while starting has stepped through a loop since: more than the step then under way."""
        if phase not in self.startup or self.steps.count == earlier.round:
            return False
        return any(
            state.stepped is not None and state.stepped.order > earlier.order and not peers(worker, earlier.worker)
            for worker, state in self.workers.items()
        )

    def steps_on(self, earlier: Observation) -> bool:
        """Whether the very writer of this has made a step through a loop since.

        A library's header names a process whose steps bear no name. Not of a server, whose other replicas answer on.
        """
        for own in (self.workers.get(earlier.worker), self.workers.get(Worker(earlier.worker.source))):
            if own is not None and own.stepped is not None:
                return own.phase not in self._idle and own.stepped.order > earlier.order
        return False

    def last_placed(self) -> dict[str, int]:
        """The last line of each source that said where a worker is, and not only that something is over."""
        found: dict[str, int] = {}
        for state in self.workers.values():
            if state.placed is not None:
                event = state.placed.event
                found[event.source] = max(found.get(event.source, 0), event.line)
        return found

    def apply(self, markers: Sequence[Marker], observation: Observation) -> tuple[Change, ...]:
        """Move the writer of a line on. Of several markers on one line, none closes what another opens."""
        worker = observation.worker
        if worker not in self.workers:
            self.workers[worker] = WorkerState(rhythm=self._no_rhythm)
        state = self.workers[worker]
        self._end_of_former(markers, observation)
        self.waits.end_of_starters(observation)
        counted = _counted(markers)
        known = {name: state.waits[name] for marker in counted for name in marker.opens if name in state.waits}
        repeated = {name for name, wait in known.items() if wait.is_repeated_by(observation)}
        spoken_of = repeated.union(*(marker.renews for marker in counted))
        changes = [change for marker in counted for change in self._move_on(marker, state, observation, spoken_of)]
        # What is opened once is not waited for again once it is past.
        opened = ((name, marker.once) for marker in counted for name in marker.opens)
        for name in dict.fromkeys(name for name, once in opened if not (once and name in state.passed)):
            if name in repeated and name in state.waits:
                state.waits[name].renew(observation)
            else:
                changes += self._open(state, self._waits[name], observation)
        if any(marker.completes for marker in counted):
            self._complete(observation)
        if any(marker.ends for marker in counted):
            self._finish(observation)
        state.see(observation)
        if not all(map(_only_ends, counted)):
            state.placed = observation
        return tuple(changes)

    def _move_on(
        self, marker: Marker, state: WorkerState, observation: Observation, spoken_of: Collection[str]
    ) -> Iterable[Change]:
        closing = marker.progress and self.completed is not None and is_full(observation.event.message)
        if not closing and (marker.progress or marker.opens or marker.enters not in (None, self._last_phase)):
            self.completed, self.over, state.left = None, False, None
        if marker.closes:
            self.waits.end_named(marker.closes, observation)
            # Where the log begins in the middle of it, its beginning was not seen.
            state.passed.update(marker.closes)
        if marker.renews:
            self.waits.renew(marker.renews, observation)
        if marker.rests:
            state.rest(observation)
        if marker.moves:
            self.waits.end_of(observation.worker, observation, keep=spoken_of)
        if marker.enters:
            yield from self._enter(state, marker.enters, observation)
        if marker.progress:
            yield from self._progress(state, marker, observation)
        if marker.leaves is not None and state.phase == marker.leaves:
            state.left_phase = True
            if state.home is not None:
                yield from self._enter(state, state.home, observation)

    def spans(self) -> tuple[PhaseSpan, ...]:
        """The timeline: every worker's phases in the order in which they ended."""
        return (*self._spans, *(span for state in self.workers.values() for span in state.span(state.latest)))

    def _open(self, state: WorkerState, wait: Wait, observation: Observation) -> Iterable[Change]:
        """Its writer waits, or is at least in the phase of such a wait: what is only waited for at first comes once."""
        message = observation.event.message
        if bar_of(message) is not None:
            # A bar begins: where it gets, it may have been before.
            state.progress_text, state.repeats = message, 0
        past = wait.first and wait.phase in self._stepped_in
        if not past:
            self.waits.begin(state, wait, observation)
        if past or wait.phase != state.phase:
            yield from self._enter(state, wait.phase, observation)

    def _enter(self, state: WorkerState, phase: str, observation: Observation) -> Iterable[Change]:
        self.latest = (observation.worker, phase)
        self.looped = self.looped or phase in self.loops
        if phase in self.loops:
            self._loop_order = observation.order
            self.waits.end_of_all(observation, self.loops)
        if state.phase != phase:
            if len(self._spans) < MAX_SPANS:
                self._spans += state.span(observation)
            state.enter(phase, observation, self.startup)
            if phase in self.loops and phase not in self.interruptions:
                state.home = phase
            yield PhaseEntered(observation.worker, phase, observation.time)

    def _progress(self, state: WorkerState, marker: Marker, observation: Observation) -> Iterable[Change]:
        worker, message = observation.worker, observation.event.message
        if progress_key(message) == progress_key(state.progress_text):
            state.repeats += 1
            state.progress_text = message
            return
        same_bar = label_of(message) == label_of(state.progress_text)
        state.progress_text, state.repeats = message, 0
        if state.home is not None and state.phase in self.interruptions and state.is_home_bar(message):
            yield from self._enter(state, state.home, observation)
        phase = marker.enters or state.phase
        if phase == state.home:
            state.home_bar = bar_of(message) or state.home_bar
        self.latest = (worker, phase) if phase else self.latest
        if phase not in self.loops:
            known = state.bar_rhythm if state.bar is not None and same_bar else self._no_rhythm
            state.bar, state.bar_rhythm = observation, known.after(observation.watched_time)
            return
        state.stepped, state.bar, state.counted = observation, None, False
        self._stepped_in.add(phase)
        state.rhythm = state.rhythm.after(observation.watched_time)
        self.steps.step(worker)
        self.steps_in.setdefault(worker.source, Rounds()).step(worker)
        self.waits.end_of_all(observation, self.loops)
        self.waits.end_of_others(observation, in_step=self.steps.count >= LOCK_STEP)

    def _complete(self, observation: Observation) -> None:
        worker = observation.worker
        self.workers[worker].left = observation
        # The first of its ranks, which speaks for a job, may be there and have work left.
        first = (state for one, state in self.workers.items() if one.rank == 0 and peers(one, worker))
        if worker.rank and any(state.left is None for state in first):
            return
        self.completed = self._worked = observation
        self.completions += 1
        self._finish(observation)

    def _finish(self, observation: Observation) -> None:
        """Its processes have ended: nobody waits any more."""
        self.over = True
        self.waits.end_of_all(observation)

    def _end_of_former(self, markers: Sequence[Marker], observation: Observation) -> None:
        """A process that goes by another name now has come through what it waited for under the one before."""
        worker = observation.worker
        if worker.pid is None or not any(marker.moves for marker in markers):
            return
        process = (worker.source, worker.host, worker.pid)
        former = self._names.get(process, worker)
        self._names[process] = worker
        if former != worker:
            self.waits.end_of(former, observation)


def _counted(markers: Sequence[Marker]) -> list[Marker]:
    """The markers of a line that count: figures of a whole run are no step.

    A line is a step of the phase that one of them names: those that only say that something moves come last.
    """
    whole = any(marker.completes for marker in markers)
    counted = (marker for marker in markers if marker.completes or not (whole and marker.progress))
    return sorted(counted, key=lambda marker: marker.progress and marker.enters is None)


def _only_ends(marker: Marker) -> bool:
    """Whether a line of this marker says that something is over, and of nothing that goes on."""
    return bool(marker.closes or marker.ends) and not (marker.moves or marker.renews)
