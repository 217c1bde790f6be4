"""The only state past the source: passes lines and time on to the run that they belong to, and reports on it."""

from collections.abc import Iterator
from typing import assert_never

from logrules.inference import step_time
from logrules.inference.diagnosis import report_of
from logrules.inference.ending import Endings
from logrules.inference.evidence_ownership import unclaimed
from logrules.inference.followed_run import FollowedRun
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.outcome import RunOutcome, outcome_of
from logrules.inference.rule_evaluation import Judged
from logrules.inference.rule_index import Index
from logrules.inference.run_history import RunHistory, RunTurn
from logrules.inference.run_state import JobState
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event
from logrules.model.record import replace
from logrules.model.report import Report, Run, SourceNote
from logrules.model.stream import BytesArrived, End, Tick
from logrules.model.timeline import ParallelSizes, WorkerNow
from logrules.parsing.captures import Captures
from logrules.ruleset.pack import Pack


class Session:
    """Follows one job. ``feed`` takes events, ticks and the end in order; ``report`` may be called at any moment.

    Many sessions of one pack may share its ``index`` and the patterns compiled in ``captures``.
    """

    def __init__(self, pack: Pack, *, index: Index | None = None, captures: Captures | None = None) -> None:
        index = index or Index(pack)
        self._job = JobState(pack, index, captures or Captures(), Endings(index.wordings))
        self._runs = RunHistory()
        self._lines: dict[str, int] = {}
        self._notes: dict[SourceNote, None] = {}
        # Whether anything came since silence was judged last: else only a deadline changes an answer.
        self._heard = True
        self._run = FollowedRun(self._job, 1)

    @property
    def now(self) -> float | None:
        """The job's time: of the latest arrival or tick; for a saved log, of its latest line."""
        clock = self._job.clock
        return None if clock.now is None else clock.now + clock.unwatched_s

    @property
    def deadline(self) -> float | None:
        """The next moment at which silence alone changes an answer; None if silence changes nothing."""
        now, never = self._job.clock.now, float("inf")
        first = min((at for at in self._run.rules.deadlines() if now is None or at > now), default=never)
        return None if first == never else first + self._job.clock.unwatched_s

    def feed(self, item: Event | BytesArrived | Tick | End) -> tuple[Change, ...]:
        """Take the next event, the arrival of bytes, the passing of time, or the end; return what that changed.

        Live, `BytesArrived` goes before the events of the bytes that came.
        """
        match item:
            case GroupRecord():
                self._heard = True
                self._run.take_record(item)
                return ()
            case Event():
                return tuple(self._feed_event(item))
            case BytesArrived(source=source, now=now):
                return self._hear(source, now)
            case Tick(now=now, unwatched_s=unwatched_s):
                if unwatched_s:
                    self._job.clock.pass_over(unwatched_s, now)
                return self._tick(now)
            case End(exit_status=status):
                return tuple(self._end(status))
            case _:
                assert_never(item)

    def judged(self, rule_id: str) -> Judged:
        """The present state of a rule's condition."""
        return self._run.rules.judged(rule_id)

    @property
    def owes_nothing(self) -> bool:
        """Whether silence is normal now: the run is over, or it serves whoever asks."""
        return self._run.state.tracker.owes_nothing

    def workers(self) -> tuple[WorkerNow, ...]:
        """Where each worker is now."""
        run = self._run.state
        return step_time.workers_now(run.tracker.workers, run.now, run.pack.end)

    @property
    def parallel_sizes(self) -> ParallelSizes:
        """How the ranks share the work, as far as the log says."""
        return self._run.state.ranks.sizes

    def tell(self, name: str, value: str) -> None:
        """Add a fact about the job that is not in its logs, for use in steps."""
        self._job.tell(name, value)

    def note(self, *notes: SourceNote) -> None:
        """Add notes to the report, each once."""
        self._notes |= dict.fromkeys(notes)

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Everything that holds now, in no order. Changes nothing."""
        left = unclaimed(tuple(self._run.rules.hypotheses()), self._job.index.ends)
        records = ((one, self._run.state.failures.record_of(one.last.chain)) for one in left)
        return tuple(replace(one, script=record.script) if record is not None else one for one, record in records)

    def report(self, lines: int = 0, sources: tuple[str, ...] = ()) -> Report:
        """Everything that is known now. Changes nothing."""
        return replace(
            report_of(self._run.state, self.outcome()),
            earlier_runs=tuple(self._runs.earlier),
            notes=(*self._notes, *self._job.pack.notes),
            sources=sources,
            lines=lines,
        )

    def outcome(self) -> RunOutcome:
        """How the run stands, with the hypotheses that the report is made of. Changes nothing."""
        last_errors = self._last_errors() if self._job.ended else ()
        return outcome_of(self._run.state, self.hypotheses(), last_errors)

    def _hear(self, source: str, now: float) -> tuple[Change, ...]:
        """Judge the silence up to this moment before what ends it."""
        late = tuple(self._run.rules.judge_silence()) if self._pass_to(now) else ()
        self._heard = True
        self._run.state.hear(source, self._job.clock.watched(now))
        return (*late, *self._run.rules.judge_broken_silence())

    def _tick(self, now: float) -> tuple[Change, ...]:
        if not self._pass_to(now) and not self._heard:
            return ()
        self._heard = False
        return (*self._run.rules.judge_silence(), *self._run.rules.judge_stalls())

    def _end(self, exit_status: int | None) -> Iterator[Change]:
        """Nothing more comes: settle which run the report is of, then what silence and the last lines say of it."""
        self._job.ended = True
        self._job.activity.exit_status = exit_status
        if exit_status is None and self._runs.is_of_before(self._run, self._lines):
            self._run = self._runs.taken_back()
        yield from self._run.rules.judge_silence()
        # A command that says that it ended well knows better than the last words of its log.
        if exit_status != 0:
            complaints = self._job.endings.complaints(self._run.state.tracker.last_placed())
            yield from self._run.judge_last_errors(self._last_errors(), complaints)
        yield from self._run.judge_cut_off()

    def _pass_to(self, now: float) -> bool:
        """Let time pass; whether that passes a deadline."""
        deadline, watched = self.deadline, self._job.clock.watched(now)
        self._job.activity.listen(watched)
        self._job.clock.pass_to(watched)
        return deadline is not None and now >= deadline

    def _feed_event(self, event: Event) -> Iterator[Change]:
        """Process a line: whether a run begins, what it shows of the present run, which rules then hold."""
        self._heard = True
        known = self._lines.get(event.source, 0)
        if not event.hits:
            self._job.endings.see(event)
            if event.line <= known:
                return
        self._lines[event.source] = max(known, event.line)
        line = self._run.read(event)
        turn = self._runs.turn(self._run, line)
        if turn is not None:
            line = replace(line, chain=None)
            yield from self._turn_run(turn, event)
        yield from self._run.take(line)

    def _last_errors(self) -> tuple[Event, ...]:
        found = self._job.endings.errors(self._run.state.tracker.last_placed())
        return tuple(event for event in found if not self._run.state.failures.told_as_caught(event))

    def _turn_run(self, turn: RunTurn, event: Event) -> Iterator[Change]:
        """A line begins another run."""
        over, outcome = self._run, self.outcome()
        told = Run(outcome.status, event.source, over.first_line, event.file_line - 1, outcome.cause)
        self._runs.end(over, told, turn)
        self._run = FollowedRun(self._job, event.file_line)
        yield from over.rules.end_stalls()
