"""A run from its first line on: takes its lines to what is known of it, and to the rules that hold in it."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from logrules.inference.failure_analysis import captures_of
from logrules.inference.observation import Observation
from logrules.inference.rule_evaluation import RuleEvaluation
from logrules.inference.run_state import JobState, RunState
from logrules.inference.unlike_calls import PLACES
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event, Hit, Stance
from logrules.model.failure import Failure
from logrules.model.record import record, replace
from logrules.ruleset.pack import Marker
from logrules.ruleset.tables import EXITS


@record
class ReadLine:
    """A line with what it tells by itself: when it was written, its markers, what it ends or completes of failures.

    ``chain`` is the failure record that it is part of.
    """

    event: Event
    time: float | None
    markers: Sequence[Marker]
    chain: int | None
    failures: Sequence[Failure]


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

    def read(self, event: Event) -> ReadLine:
        """Read the next line, which may yet be found to begin another run."""
        self.state.take_names(event)
        chain, failures = self.state.failures.feed(event)
        by_signal = self._job.index.markers
        markers = [marker for hit in event.hits if (marker := by_signal.get(hit.signal)) is not None]
        return ReadLine(event, self._job.clock.read(event), markers, chain, failures)

    def take(self, line: ReadLine) -> Iterator[Change]:
        """Take a line as one of this run: what it shows of it, and which rules then hold."""
        state, event, markers = self.state, line.event, line.markers
        observation = self._observe(event, line.time, line.chain)
        if markers:
            if starts := [marker.id for marker in markers if marker.starts]:
                self.started_by.update(starts)
                self.logged_start = self.logged_start or bool(event.headers) or event.stamp is not None
            yield from state.move(markers, observation)
            yield from self.rules.judge_moves()
            # A line that says where its writer is was written there.
            observation = replace(observation, phase=state.tracker.phase_at(event))
        state.see(observation, markers)
        # Metrics on held-out data are not those of the training.
        held_out = state.tracker.is_held_out(markers, observation)
        for hit in event.hits:
            metric = state.metrics.by_signal.get(hit.signal)
            if metric is None or not (held_out or state.measure(metric, observation)):
                yield from self.rules.move(observation, hit.signal)
        if line.failures:
            yield from self._take_failures(line.failures, observation)

    def judge_cut_off(self) -> Iterator[Change]:
        """A log that ends within a traceback has failed, for an unknown reason: used if nothing else is known."""
        if any(self.rules.alarms()):
            return
        for lines in self._job.endings.lines.values():
            failure = self.state.failures.cut_off(lines)
            if failure is not None:
                yield from self._take_failures((failure,), self._observe_late(failure.last, failure))

    def judge_last_errors(self, *errors: Sequence[Event]) -> Iterator[Change]:
        """A log that ends in errors which no rule knows has failed of what their words say: if nothing else tells why.

        Of several lists of ``errors`` the first counts that has one whose words say something.
        """
        unknown = self._job.index.unknown
        for some in errors:
            # That a process ended with an error says nothing of why.
            told = (not rule.id.startswith(EXITS) or rule.cause not in unknown for rule in self.rules.alarms())
            if not any(told):
                yield from self._judge_logged(some)

    def _judge_logged(self, errors: Sequence[Event]) -> Iterator[Change]:
        ends, failures = self.state.failures.reported_ends(), self.state.failures

        def said_itself(line: Event) -> bool:
            return not any(end.holds(line) for end in ends)

        for line in filter(said_itself, errors):
            below = takewhile(said_itself, self._job.endings.below(line))
            failure = failures.logged(line, self._job.endings.wordings.lines_below(line, below))
            if failure is not None:
                self.state.keep(failure, self._observe_late(line, failure))
                yield from self.rules.judge_failures()

    def _observe_late(self, line: Event, failure: Failure) -> Observation:
        """A line of what failed, of a log that has ended."""
        return replace(self._observe(line, self._job.clock.read(line), failure.id), late=True)

    def _observe(self, event: Event, time: float | None, chain: int | None, places: int = 1) -> Observation:
        """The line as this run sees it, after so many ``places`` in the order of the job."""
        job, tracker, arrived = self._job, self.state.tracker, event.arrived
        job.order += places
        unwatched_s = 0.0 if arrived is None else arrived - job.clock.watched(arrived)
        own = tracker.steps_in.get(event.source)
        rounds, own_rounds = tracker.steps.count, own.count if own is not None else 0
        phase, completions = tracker.phase_at(event), tracker.completions
        return Observation(event, job.order, time, phase, chain, rounds, completions, unwatched_s, own_rounds)

    def _take_failures(self, failures: Sequence[Failure], observation: Observation) -> Iterator[Change]:
        for failure in failures:
            yield from self._route_exception(failure, observation)
        for failure in failures:
            self.state.keep(failure, observation)
        yield from self.rules.judge_failures()

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
        named = replace(observation, event=replace(observation.event, hits=hits))
        for hit in hits:
            yield from self.rules.move(named, hit.signal)
