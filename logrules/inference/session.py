"""The only state past the source: routes events by signal to what follows workers, failures, metrics and rules."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from logrules.inference import step_time
from logrules.inference.clock import Clock
from logrules.inference.diagnosis import outcome_of, ranked_of, report_of
from logrules.inference.evidence_ownership import unclaimed
from logrules.inference.failure_captures import captures_of
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.job_state import JobState
from logrules.inference.observation import Observation
from logrules.inference.recorded_calls import PLACES
from logrules.inference.rule_evaluation import RuleEvaluation
from logrules.inference.rule_index import Index, index_of
from logrules.inference.run_history import FollowedRun, RunHistory, RunTurn
from logrules.inference.run_state import RunState
from logrules.inference.session_state import SessionState
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event, Hit, Stance
from logrules.model.failure import Failure, Link
from logrules.model.record import replace
from logrules.model.report import Report, Run, SourceNote
from logrules.model.stream import BytesArrived, End, Tick
from logrules.model.worker_status import ParallelSizes, WorkerNow
from logrules.parsing.captures import Captures
from logrules.parsing.stance import StanceJudge
from logrules.ruleset.pack import Marker, Pack

if TYPE_CHECKING:
    from logrules.inference.condition_trace import Judged


class Session:
    """Follows one job. ``feed`` takes events, ticks and the end in order; ``report`` may be called at any moment.

    Many sessions of one pack may share its ``index`` and the patterns compiled in ``captures``.
    """

    def __init__(self, pack: Pack, *, index: Index | None = None, captures: Captures | None = None) -> None:
        self._pack = pack
        self._captures = captures or Captures()
        self._index = index or index_of(pack)
        self._job = JobState(Clock())
        self._runs = RunHistory()
        self._lines: dict[str, int] = {}
        self._notes: list[SourceNote] = []
        self._order = 0
        self._begin_run(1)

    def _begin_run(self, line: int) -> None:
        run = RunState(self._job, self._pack, self._index)
        self._follow(FollowedRun(run, RuleEvaluation(self._index, run), line))

    def _follow(self, run: FollowedRun) -> None:
        self._followed, self._run, self._rules = run, run.state, run.rules

    @property
    def now(self) -> float | None:
        """The job's time: the latest at which anything came, or told by ticks; for a saved log by its lines."""
        return self._job.clock.now

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self._job.ended

    @property
    def deadline(self) -> float | None:
        """The next moment at which silence alone changes an answer; None where silence changes nothing."""
        now, never = self.now, float("inf")
        first = min((at for at in self._rules.deadlines() if now is None or at > now), default=never)
        return None if first == never else first

    def feed(self, item: Event | BytesArrived | Tick | End) -> tuple[Change, ...]:
        """Take the next event, the coming of bytes, the passing of time, or the end; what that changed.

        Live, `BytesArrived` goes before the events of the bytes that came.
        """
        match item:
            case GroupRecord():
                self._run.take(item, self._observe(item, None, PLACES))
                return ()
            case Event():
                return tuple(self._feed_event(item))
            case BytesArrived(source=source, now=now):
                return self._hear(source, now)
            case Tick(now=now):
                self._pass_to(now)
                return (*self._rules.judge_silence(), *self._rules.judge_stalls())
            case End(exit_status=status):
                self._job.ended = True
                self._job.activity.exit_status = status
                if status is None and self._runs.leaves_failure_open(self._followed, self._lines):
                    self._follow(self._runs.taken_back())
                return (*self._rules.judge_silence(), *self._judge_cut_off())
            case _:
                assert_never(item)

    def judged(self, rule_id: str) -> "Judged":
        """What is known of a rule's condition now."""
        return self._rules.judged(rule_id)

    @property
    def owes_nothing(self) -> bool:
        """Whether silence is normal now: the run is over, or it serves whoever asks."""
        return self._run.tracker.owes_nothing

    def workers(self) -> tuple[WorkerNow, ...]:
        """Where each worker is now."""
        return step_time.workers_now(self._run.tracker.workers, self.now)

    @property
    def parallel_sizes(self) -> ParallelSizes:
        """How the ranks share the work, as far as the log says."""
        return self._run.ranks.sizes

    def tell(self, name: str, value: str) -> None:
        """Something that is known of the job beside its logs, for steps to say."""
        self._job.tell(name, value)

    def note(self, source: str, text: str) -> None:
        """Something that a reader of the report must know of a source."""
        self.remark(SourceNote(source, text))

    def remark(self, note: SourceNote) -> None:
        """The same, as a note."""
        if note not in self._notes:
            self._notes.append(note)

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Everything that holds now, in no order. Changes nothing."""
        return tuple(unclaimed(tuple(self._rules.hypotheses()), self._index.ends))

    def report(self, lines: int = 0, sources: tuple[str, ...] = ()) -> Report:
        """Everything that is known now. Changes nothing."""
        return report_of(self._state(), self._pack, lines, sources)

    def ranked(self) -> tuple[Ranked, ...]:
        """What the report tells of, in its order. Changes nothing."""
        return ranked_of(self._state(), self._pack)

    def _state(self) -> SessionState:
        run, job = self._run, self._job
        return SessionState(
            hypotheses=self.hypotheses(),
            tracker=run.tracker,
            rank_table=run.ranks,
            recorded=run.recorded,
            failures=run.failures,
            endings=job.endings,
            last=run.last,
            parting=run.parting,
            ended=job.ended,
            exit_status=job.activity.exit_status,
            earlier_runs=tuple(self._runs.earlier),
            notes=(*self._notes, *self._pack.notes),
            unusual=run.outliers.rarest(),
            last_errors=self._last_errors() if job.ended else (),
            curves=run.curves.drawn(),
            frameworks=run.frameworks,
            told={**job.told, **run.curves.ends()},
        )

    def _hear(self, source: str, now: float) -> tuple[Change, ...]:
        """Silence up to this moment is judged before what ends it."""
        deadline = self.deadline
        self._pass_to(now)
        late = tuple(self._rules.judge_silence()) if deadline is not None and now >= deadline else ()
        self._run.hear(source, now)
        return (*late, *self._rules.judge_broken_silence())

    def _pass_to(self, now: float) -> None:
        self._job.activity.listen(now)
        self._job.clock.pass_to(now)

    def _feed_event(self, event: Event) -> Iterator[Change]:
        known = self._lines.get(event.source, 0)
        if not event.hits:
            self._job.endings.see(event)
            if event.line <= known:
                return
        self._lines[event.source] = max(known, event.line)
        self._take_names(event)
        chain, raised, ended = self._run.failures.feed(event)
        observation = self._observe(event, chain)
        said = [marker for hit in event.hits if (marker := self._index.markers.get(hit.signal)) is not None]
        markers = [marker for marker in said if not (marker.polls or marker.parts)]
        if self._turns_run(markers, event):
            observation = self._observe(event, None)
        if markers:
            if chain is not None:
                self._run.failures.phases.take(chain, event, markers)
            self._run.polls.move()
            yield from self._run.tracker.apply([self._run.as_meant(marker, event) for marker in markers], observation)
            yield from self._rules.judge_moves()
            # A line that says where its writer is now was written there.
            observation = replace(observation, phase=self._run.tracker.phase_at(event))
        elif any(marker.polls for marker in said):
            self._run.polls.see(observation)
        parting = any(marker.parts for marker in said)
        all_end = any(marker.ends for marker in markers)
        self._run.see(observation, complaint=self._complains(event), parting=parting, all_end=all_end)
        yield from self._route(event.hits, observation, held_out=self._run.tracker.is_held_out(markers, observation))
        if raised is not None:
            yield from self._route_exception(raised, observation)
        for failure in (*ended, *((raised,) if raised is not None else ())):
            self._run.failures.keep(failure, observation)
        if ended or raised is not None:
            yield from self._rules.judge_failures()

    def _take_names(self, event: Event) -> None:
        """The frameworks that a line shows, and what it tells by name for the steps of any rule."""
        self._run.see_frameworks(event)
        for hit in event.hits:
            if (name := self._index.told.get(hit.signal)) is not None:
                self._job.tell(hit.captures.get("name", name), hit.captures.get("value", ""))

    def _judge_cut_off(self) -> Iterator[Change]:
        """A log that ends within a traceback tells of a failure, though not of which: where nothing else is known."""
        run = self._run
        if self._rules.alarmed():
            return
        for lines in self._job.endings.lines.values():
            failure = run.failures.cut_off(lines)
            if failure is None:
                continue
            observation = replace(self._observe(failure.last, failure.id), phase=run.tracker.phase_at(failure.last))
            run.failures.keep(failure, observation)
            yield from self._route_exception(failure, observation)
            yield from self._rules.judge_failures()

    def _last_errors(self) -> tuple[Event, ...]:
        found = self._job.endings.errors(self._run.tracker.went_on(), self._tells_trouble)
        return tuple(event for event in found if not self._run.failures.told_as_caught(event))

    def _tells_trouble(self, message: str) -> bool:
        return self._stances.tells_trouble(message)

    @cached_property
    def _stances(self) -> StanceJudge:
        """Made where a log ends in errors of which only their words can tell: few do."""
        return StanceJudge(self._pack.tables.stances)

    def _complains(self, event: Event) -> bool:
        trace = self._pack.trace
        return trace is not None and any(hit.signal == trace.exception for hit in event.hits)

    def _observe(self, event: Event, chain: int | None, places: int = 1) -> Observation:
        self._order += places
        tracker = self._run.tracker
        here = tracker.phase_at(event)
        time = self._job.clock.read(event)
        return Observation(event, self._order, time, here, chain, tracker.steps.count, tracker.completions)

    def _route(self, hits: Iterable[Hit], observation: Observation, *, held_out: bool = False) -> Iterator[Change]:
        """What is measured on held-out data is no figure of the training."""
        metrics = self._run.metrics
        for hit in hits:
            metric = metrics.by_signal.get(hit.signal)
            if metric is not None and held_out:
                continue
            if metric is not None and (value := metrics.add(metric, observation)) is not None:
                self._run.curves.add(metric.metric, value, observation)
                continue
            yield from self._rules.move(observation, hit.signal)

    def _route_exception(self, failure: Failure, observation: Observation) -> Iterator[Change]:
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

    def _turns_run(self, markers: Sequence[Marker], event: Event) -> bool:
        """Whether a line begins another run, or shows that the one under way was begun by a launcher's late words."""
        turn = self._runs.turn(self._followed, markers, event)
        if turn is RunTurn.BACK:
            self._follow(self._runs.taken_back())
        elif turn is not None:
            self._end_run(event, turn)
        return turn is not None

    def _end_run(self, event: Event, turn: RunTurn) -> None:
        status, cause = outcome_of(self._state(), self._pack)
        outcome = Run(status, event.source, self._followed.first_line, event.file_line - 1, cause)
        self._runs.end(self._followed, outcome, turn)
        self._begin_run(event.file_line)
