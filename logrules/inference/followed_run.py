"""One run of a job: what a line shows of it, and then which rules hold."""

from collections.abc import Iterable, Iterator, Sequence

from logrules.inference.failure_captures import captures_of
from logrules.inference.job_state import JobState
from logrules.inference.observation import Observation
from logrules.inference.recorded_calls import PLACES
from logrules.inference.rule_evaluation import RuleEvaluation
from logrules.inference.rule_index import Index
from logrules.inference.run_state import RunState
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event, Hit, Stance
from logrules.model.failure import Failure, Link
from logrules.model.record import replace
from logrules.parsing.captures import Captures
from logrules.ruleset.pack import Marker, Pack


class FollowedRun:
    """A run from its first line on: its ``state``, and the ``rules`` that hold in it."""

    def __init__(self, job: JobState, pack: Pack, index: Index, captures: Captures, first_line: int) -> None:
        self.state = RunState(job, pack, index)
        self.rules = RuleEvaluation(index, self.state)
        self.first_line = first_line
        self._job = job
        self._pack = pack
        self._captures = captures

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
        """Take the next line, written at ``time``, with its ``markers`` and the ``failures`` that it reports.

        ``chain`` is the failure record that it is part of.
        """
        state = self.state
        observation = self._observe(event, time, chain)
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
                time = self._job.clock.read(failure.last)
                yield from self._take_failures((failure,), self._observe(failure.last, time, failure.id))

    def _observe(self, event: Event, time: float | None, chain: int | None, places: int = 1) -> Observation:
        order, tracker = self._job.next_place(places), self.state.tracker
        return Observation(
            event, order, time, tracker.phase_at(event), chain, tracker.steps.count, tracker.completions
        )  # fmt: skip

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
        trace = self._pack.trace
        if trace is None or not failure.chain or failure.stance is Stance.CAUGHT:
            return
        raised = next((each for each in failure.chain if each.link is not Link.WRAPPER), failure.chain[0])
        if raised.event.line != observation.event.line:
            return
        told = captures_of(failure)
        summary = f"{failure.type}: {failure.message}" if failure.message else failure.type
        hits = tuple(
            Hit(number, {**told, **captures})
            for number in trace.records
            if (captures := self._captures.of(self._pack.signals[number], summary, summary)) is not None
        )
        yield from self._route(hits, replace(observation, event=replace(observation.event, hits=hits)))
