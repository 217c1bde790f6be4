"""The runs of a job that follow each other in its logs: where another one begins, and which of them a report is of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import takewhile

from logrules.inference.ending import OUTLIVED_LINES
from logrules.inference.failure_analysis import captures_of
from logrules.inference.observation import Observation
from logrules.inference.rule_evaluation import RuleEvaluation
from logrules.inference.run_state import JobState, RunState
from logrules.inference.unlike_calls import PLACES
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event, Hit, Stance
from logrules.model.failure import Failure
from logrules.model.record import field, mutable_record, replace
from logrules.model.report import Run, Status
from logrules.ruleset.pack import Marker


class FollowedRun:
    """A run from its first line on: its ``state``, and the ``rules`` that hold in it."""

    def __init__(self, job: JobState, first_line: int) -> None:
        self.state = RunState(job)
        self.rules = RuleEvaluation(self.state)
        self.first_line = first_line
        # The markers by which it was started, and whether a header stands before one: a buffer is no logger's.
        self.started_by: set[str] = set()
        self.logged_start = False
        self._job = job

    @property
    def is_over(self) -> bool:
        """Whether it made progress or failed: what starts now is another run."""
        tracker = self.state.tracker
        return tracker.completed is not None or tracker.looped or self.rules.failing()

    def has_only_begun(self, line: int, within: int) -> bool:
        """Whether it has made no progress by this line, at most so many lines after its first."""
        return line - self.first_line <= within and not self.is_over

    def take_record(self, recorded: GroupRecord) -> None:
        """Take what a rank's flight recorder has on a process group."""
        self.state.see_record(recorded, self._observe(recorded, self._job.clock.read(recorded), None, PLACES))

    def take(
        self,
        event: Event,
        time: float | None,
        markers: Sequence[Marker],
        chain: int | None,
        failures: Sequence[Failure],
    ) -> Iterator[Change]:
        """Take the next line, written at ``time``: its ``markers``, and the ``failures`` that it reports.

        ``chain`` is the failure record that it is part of.
        """
        state, observation = self.state, self._observe(event, time, chain)
        if starts := [marker.id for marker in markers if marker.starts]:
            self.started_by.update(starts)
            self.logged_start = self.logged_start or bool(event.headers) or event.stamp is not None
        if markers:
            yield from state.move(markers, observation)
            yield from self.rules.judge_moves()
            # A line that says where its writer is was written there.
            observation = replace(observation, phase=state.tracker.phase_at(event))
        state.see(observation, markers)
        # Metrics on held-out data are not those of the training.
        yield from self._route(event.hits, observation, held_out=state.tracker.is_held_out(markers, observation))
        yield from self._take_failures(failures, observation)

    def judge_cut_off(self) -> Iterator[Change]:
        """A log that ends within a traceback has failed, for an unknown reason: used if nothing else is known."""
        if self.rules.alarmed():
            return
        for lines in self._job.endings.lines.values():
            failure = self.state.failures.cut_off(lines)
            if failure is not None:
                yield from self._take_failures((failure,), self._observe_late(failure.last, failure))

    def judge_last_errors(self, *errors: Sequence[Event]) -> Iterator[Change]:
        """A log that ends in errors which no rule knows has failed of what their words say: if nothing else tells why.

        Of several lists of ``errors`` the first counts that has one whose words say something.
        """
        for some in errors:
            if not self.rules.knows_why():
                yield from self._judge_logged(some)

    def _judge_logged(self, errors: Iterable[Event]) -> Iterator[Change]:
        ends, failures = self.state.failures.reported_ends(), self.state.failures

        def said_itself(line: Event) -> bool:
            return not any(end.holds(line) for end in ends)

        for line in filter(said_itself, errors):
            below = takewhile(said_itself, self._job.endings.below(line))
            failure = failures.logged(line, self._job.endings.wordings.lines_below(line, below))
            if failure is not None:
                failures.keep(failure, self._observe_late(line, failure))
                yield from self.rules.judge_failures()

    def _observe_late(self, line: Event, failure: Failure) -> Observation:
        """A line of what failed, of a log that has ended."""
        return replace(self._observe(line, self._job.clock.read(line), failure.id), late=True)

    def _observe(self, event: Event, time: float | None, chain: int | None, places: int = 1) -> Observation:
        self._job.order += places
        order, tracker, arrived = self._job.order, self.state.tracker, event.arrived
        unwatched_s = 0.0 if arrived is None else arrived - self._job.clock.watched(arrived)
        rounds, phase, own = tracker.steps.count, tracker.phase_at(event), tracker.steps_in.get(event.source)
        own_rounds = own.count if own is not None else 0
        return Observation(event, order, time, phase, chain, rounds, tracker.completions, unwatched_s, own_rounds)

    def _take_failures(self, failures: Iterable[Failure], observation: Observation) -> Iterator[Change]:
        told = tuple(failures)
        for failure in told:
            yield from self._route_exception(failure, observation)
        for failure in told:
            self.state.failures.keep(failure, observation)
        if told:
            yield from self.rules.judge_failures()

    def _route(self, hits: Iterable[Hit], observation: Observation, *, held_out: bool = False) -> Iterator[Change]:
        """Pass each signal to the rules that need it, unless it is a metric."""
        for hit in hits:
            metric = self.state.metrics.by_signal.get(hit.signal)
            if metric is None or not (held_out or self.state.measure(metric, observation)):
                yield from self.rules.move(observation, hit.signal)

    def _route_exception(self, failure: Failure, observation: Observation) -> Iterator[Change]:
        """Pass a whole traceback to the rules, with the line that names what was raised."""
        pack = self._job.pack
        trace = pack.trace
        if trace is None or not failure.chain or failure.stance is Stance.CAUGHT:
            return
        if failure.root.event.line != observation.event.line:
            return
        told = captures_of(failure)
        summary = f"{failure.type}: {failure.message}" if failure.message else failure.type
        hits = tuple(
            Hit(number, {**told, **captures})
            for number in trace.records
            if (captures := self._job.captures.of(pack.signals[number], summary, summary)) is not None
        )
        yield from self._route(hits, replace(observation, event=replace(observation.event, hits=hits)))


# What a launcher prints through a buffer comes out when it ends: its first words and its last, in so many lines.
_LATE_LINES = 12
# More batch jobs than these wrote to no log; who counts further prints something else in those words.
_MAX_JOBS = 10_000
# Slurm gives the processes of a job that it ends KillWait, 30 s, to end by themselves; where they stick in the kernel,
# UnkillableStepTimeout, a minute, passes until the node is drained. Sites that changed these gave some minutes.
_KILLED_S = 600.0


class RunTurn(Enum):
    """What a line says of runs: a scheduler's next job begins, or another run does."""

    JOB = auto()
    RUN = auto()


@mutable_record
class BatchJobs:
    """The batch jobs that append to each log, by the captures ``job_id`` and ``ended_job`` of its lines.

    One that speaks up again once another has spoken runs beside it: of such a log nothing is told apart.
    """

    current: str | None = None
    _known: dict[str, set[str]] = field(default_factory=dict)
    # When the scheduler ended the job that wrote to a log last.
    _ended: dict[str, float] = field(default_factory=dict)

    def turns(self, event: Event, time: float | None) -> bool:
        """Whether by this line, written at ``time``, another job begins than wrote the lines above it."""
        if self._is_named_anew(event):
            return True
        ended = self._ended.get(event.source)
        outlasts = ended is not None and time is not None and time - ended > _KILLED_S
        if outlasts:
            del self._ended[event.source]
        if time is not None and any("ended_job" in hit.captures for hit in event.hits):
            self._ended[event.source] = time
        return outlasts

    def _is_named_anew(self, event: Event) -> bool:
        said = next((job for hit in event.hits if (job := hit.captures.get("job_id")) is not None), None)
        jobs = self._known.setdefault(event.source, set()) if said is not None else set()
        if said is None or said in jobs or len(jobs) >= _MAX_JOBS:
            return False
        jobs.add(said)
        before, self.current = self.current, said
        return len(jobs) > 1 and before != said


class RunHistory:
    """The earlier runs, of which the outcome is kept, and the one before the present in full: it may be taken back."""

    def __init__(self) -> None:
        self.earlier: list[Run] = []
        self._before: FollowedRun | None = None
        self._batch_jobs = BatchJobs()

    def turn(self, run: FollowedRun, event: Event, time: float | None, markers: Sequence[Marker]) -> RunTurn | None:
        """What a line, written at ``time`` with these markers, says of runs; None where the present one goes on."""
        if self._batch_jobs.turns(event, time):
            return RunTurn.JOB
        return RunTurn.RUN if any(marker.starts for marker in markers) and run.is_over else None

    def end(self, run: FollowedRun, outcome: Run, turn: RunTurn) -> None:
        """The run is over: the line that says so is of another. What a job before this one left is past."""
        self.earlier.append(outcome)
        self._before = run if turn is RunTurn.RUN else None

    def taken_back(self) -> FollowedRun:
        """The run before the present one, of which there is one: it goes on, and the present one is a part of it."""
        before, self._before = self._before, None
        assert before is not None  # noqa: S101 (asked for only where there is one)
        self.earlier.pop()
        return before

    def is_of_before(self, run: FollowedRun, lines: Mapping[str, int]) -> bool:
        """Whether the logs, of so many lines, end before the last run got anywhere, and the one before it counts still.

        What only begins is no answer to a failure. Where a launcher speaks without a logger, and none has of the run
        before, that was its: what it printed through a buffer comes out as it ends.
        """
        if self._before is None:
            return False
        last = lines.get(self.earlier[-1].source, 0)
        if self.earlier[-1].status is Status.FAILED:
            return run.has_only_begun(last, OUTLIVED_LINES)
        said_late = not run.logged_start and run.started_by.isdisjoint(self._before.started_by)
        return said_late and run.has_only_begun(last, _LATE_LINES)
