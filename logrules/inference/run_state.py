"""What the present run of a job has shown so far, before any rule is asked."""

from logrules.inference.cadence import SHORTEST_S
from logrules.inference.failures import Failures
from logrules.inference.job_state import JobState
from logrules.inference.launcher_ends import ended_ranks
from logrules.inference.left_behind import Laggards
from logrules.inference.metrics import MetricStates
from logrules.inference.observation import Match, Observation
from logrules.inference.outliers import Outliers
from logrules.inference.polling import Polls
from logrules.inference.rank_table import RankTable
from logrules.inference.rule_index import Index
from logrules.inference.step_time import StepDeadlines
from logrules.inference.time_series import CurveSampler
from logrules.inference.worker_state import OpenWait
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event, Stance
from logrules.model.record import replace
from logrules.ruleset.pack import Marker, Pack, Rule

# A run that makes this many rounds of progress after an error has survived it.
SURVIVAL_ROUNDS = 3
# A writer that said it was over and then makes so many is another one: a new run in the same log.
NEW_RUN_ROUNDS = 20

# A server that answers so many requests behind what nobody knows has not died of it.
ANSWERS = 3
# So many lines below the end of a script its next traceback is that of another run, and not of a process beside it.
_ANOTHER_RUN = 2


class RunState:
    """What is known of one run: its workers, failures, metrics, ranks and frameworks, and its latest line."""

    def __init__(self, job: JobState, pack: Pack, index: Index) -> None:
        self.job = job
        self.tracker = WorkerTracker(index.workers)
        self.polls = Polls()
        self.failures = Failures(index.failures)
        self.metrics = MetricStates(index.asked, index.metrics)
        self.curves = CurveSampler()
        self.outliers = Outliers()
        self.ranks = RankTable()
        self.laggards = Laggards(pack, self.tracker, self.failures, job.endings)
        self.last: Observation | None = None
        # How late it was in the job when that came: its own stamp may be of another time zone than those before it.
        self.reached: float | None = None
        # The latest line, where it says that its writer is done.
        self.parting: Observation | None = None
        self._parted: set[int] = set()
        self._step_deadlines = StepDeadlines(SHORTEST_S * pack.patience)
        self._seen_frameworks: set[str] = set()
        self._by_component = index.components
        self._loops_of = index.loops
        self._phases = pack.phases
        self._loops: set[str] = set()

    def see_frameworks(self, frameworks: tuple[str, ...]) -> None:
        """A line shows these frameworks."""
        self._seen_frameworks.update(frameworks)
        for name in frameworks:
            self._loops.update(self._loops_of.get(name, ()))

    def as_meant(self, marker: Marker, event: Event) -> Marker:
        """The marker; a guess without its phase where more is known.

        The jobs of the frameworks seen loop in other phases only, or the line is of an evaluation under way.
        """
        if not marker.guess:
            return marker
        if self.tracker.is_measured(event):
            return replace(marker, enters=None, opens=())
        alien = self._loops and marker.enters not in self._loops
        return replace(marker, enters=None) if alien else marker

    @property
    def frameworks(self) -> frozenset[str]:
        """The frameworks that this run shows, by its lines or by frames of its failures."""
        by_frame = {name for one in self.failures.components for name in self._by_component.get(one, ())}
        return frozenset(self._seen_frameworks | by_frame)

    def hear(self, source: str, now: float) -> None:
        """Bytes of a log came, whatever they say."""
        self.job.activity.hear(source, now)
        self._step_deadlines.hear(now)

    def next_step_due(self) -> float:
        """When silence may be that of a step that stays away, or a moment before; never for a saved log."""
        job = self.job
        if job.activity.begun is None or job.clock.now is None:
            return float("inf")
        return self._step_deadlines.after(job.clock.now, self.tracker.workers, job.activity.heard_of)

    def see(self, observation: Observation, *, complaint: bool, parting: bool, all_end: bool) -> None:
        """Take the next line: ``complaint`` says that it is one of an error, ``parting`` that its writer is done.

        ``all_end`` says that all processes have ended.
        """
        if observation.event.arrived is not None:
            self._step_deadlines.hear(observation.event.arrived)
        self.last = observation
        self.reached = self.job.clock.now
        self.curves.see(observation)
        self.ranks.see(observation)
        self.laggards.see(observation, parting=parting, all_end=all_end)
        self.parting = observation if parting and self._all_part(observation) else None
        self.outliers.see(observation, complaint=complaint)

    def _all_part(self, observation: Observation) -> bool:
        """Whether with this writer all have left: who leaves before the other ranks leaves them waiting."""
        if observation.worker.rank is None:
            return True
        self._parted.add(observation.worker.rank)
        return self.ranks.are_all(self._parted)

    def survived(self, rule: Rule, match: Match) -> bool:
        """Whether the run went on for long enough after these lines for them not to be its end."""
        tracker, last = self.tracker, match.last
        if rule.wait is not None:
            return self.went_on(last)
        if self.job.ended and (self._reopened(last) or self._ran_later(last) or self._ran_again(last)):
            return True
        if rule.cleared_by == "nothing":
            return False
        if last.completions < tracker.completions:
            return True
        if tracker.completed is not None:
            # What is lost while processes end is no matter; who waited until his time ran out kept the job from ending.
            own_end = not rule.abrupt and self._had_more_to_do(last, tracker.completed)
            return not (own_end or _waited_past(tracker.completed, match) or self._keeps_open(rule, match))
        return self._lived_through(rule, last) or self._stepped_on(rule, last)

    def _lived_through(self, rule: Rule, last: Observation) -> bool:
        """Whether the lines below these, or their own words, show that their writer lived."""
        if rule.fallback and (self.failures.lived_through(last) or (self.job.ended and self._speaks_on(last))):
            return True
        own = self.tracker.workers.get(last.worker)
        if own is not None and own.began_anew(last):
            return True
        if not self.job.ended:
            return False
        looped = rule.cleared_by == "progress" and self.job.endings.carried_on(last.event)
        return looped or (self.tracker.rounds == last.round and self._outlived(last))

    def _stepped_on(self, rule: Rule, last: Observation) -> bool:
        """Whether steps were made since, enough for what the rule asks."""
        tracker = self.tracker
        rounds = tracker.rounds - last.round
        if rule.cleared_by != "progress":
            return rounds >= NEW_RUN_ROUNDS and tracker.steps_on(last)
        # A search that notes a trial as failed has lived through it once it makes the next, a server once it says more,
        # and what is raised while objects are freed is not the end where something that nobody caught comes after it.
        caught = self.failures.told_as_caught(last.event)
        enough = 1 if caught else SURVIVAL_ROUNDS
        # Where no marker had told a phase yet, the frames of a traceback may.
        phase = last.phase or (None if last.chain is None else self.failures.phase_of(last.chain))
        return (
            rounds >= enough
            or tracker.stepped_past(last, phase)
            or (caught and (self.went_on(last) or self._raised_after(last.event)))
        )

    def _had_more_to_do(self, last: Observation, completed: Observation) -> bool:
        """Whether what was raised behind the end of the training ended the user's own script: it was not through.

        What launchers, helping processes and threads tell of there is lost while they end.
        """
        record = self.failures.record_of(last.chain)
        if record is None or record.stance is not Stance.FACT or last.order <= completed.order:
            return False
        outermost = record.chain[-1].frames[:1] if record.chain else ()
        return any(
            frame.function == "<module>" and frame.origin.own and not frame.file.startswith("<") for frame in outermost
        )

    def _keeps_open(self, rule: Rule, match: Match) -> bool:
        """Whether it tells, behind the end of the others, of what stands still, and somebody was left behind."""
        completed = self.tracker.completed
        if not rule.stall or completed is None or match.last.order <= completed.order:
            return False
        return bool(self.laggards.last_lines(self.job.clock.now, ended=self.job.ended))

    def _reopened(self, last: Observation) -> bool:
        """Whether the log of one process is opened by it once more: ranks that start later open it too."""
        return not self.ranks.ranks and self.job.endings.reopened(last.event)

    def _ran_later(self, last: Observation) -> bool:
        """Whether the program that was refused a start is in a traceback below: it was started once more, and ran."""
        program = last.all_captures().get("program")
        if program is None or last.chain is not None or self.ranks.ranks:
            return False
        event, name = last.event, program.rpartition("/")[2]
        return any(
            one.first.source == event.source and one.first.line > event.line and one.worker == event.worker
            for one in self.failures.uncaught()
            if any(frame.file.rpartition("/")[2] == name for frame in one.frames)
        )

    def _ran_again(self, last: Observation) -> bool:
        """Whether the script that this exception ended raised again further below: one process ends but once.

        Several of a job may each end so; where any of them names a rank or a launcher tells of them, nothing is said.
        """
        record = self.failures.record_of(last.chain)
        script = record.script if record is not None and not record.worker.is_process else None
        if record is None or script is None or self.ranks.ranks or (self.ranks.world or 1) > 1:
            return False
        return not any(ended_ranks(self.failures.reported_ends())) and any(
            one.script == script and one.worker == record.worker and one.first.line - record.last.line > _ANOTHER_RUN
            for one in self.failures.uncaught()
        )

    def _speaks_on(self, last: Observation) -> bool:
        """Whether a server answered further requests, or this one with the failure, or who caught it says more."""
        enough = 1 if self.failures.told_as_caught(last.event) else ANSWERS
        if self.job.endings.answered(last.event) >= enough or self.job.endings.refused(last.event):
            return True
        record = self.failures.record_of(last.chain)
        if record is None or not record.logged_whole:
            return False
        return self.job.endings.spoke_on(last.event) or self._was_done(last)

    def _was_done(self, last: Observation) -> bool:
        """Whether its writer did much more behind this line, and says in the very last one that it is done."""
        parting = self.parting
        logs = parting is not None and parting.event.level is not None and parting.worker == last.worker
        return logs and self.went_on(last)

    def _outlived(self, last: Observation) -> bool:
        """Whether the log went on for very long behind what ended a start, and says of nothing else that failed."""
        if last.phase in self.tracker.loops or self.failures.tells_after(last.event):
            return False
        return self.job.endings.outlived(last.event)

    def _raised_after(self, event: Event) -> bool:
        """Whether the same log tells, after the line, of something that was raised and that nobody caught."""
        later = (one for one in self.failures.uncaught() if one.chain and one.first.line > event.line)
        return any(one.first.source == event.source for one in later)

    def is_waiting(self) -> bool:
        """Whether a wait is open, not over in a way that no marker knows, and not in the midst of moving."""
        return any(
            not self.went_on(wait.renewed) and not (self.job.ended and self.cut_off(wait))
            for wait in self.tracker.open_waits()
        )

    def cut_off(self, wait: OpenWait) -> bool:
        """Whether a log that ends in a wait ends so because it was cut off there, as far as it shows."""
        source = wait.renewed.event.source
        return wait.is_cut_off(self.job.clock.now, cut_short=self.job.endings.cut_short(source))

    def loops(self) -> bool:
        """Whether its last lines are those of a loop, or its very last says in its own words that something is done."""
        if self.metrics.steady or self.job.endings.repeats():
            return True
        # Its patterns take a millisecond to compile, and few logs end so.
        from logrules.inference.spoken_phase import is_under_way

        return any(is_under_way(self._phases, lines) for lines in self.job.endings.lines.values())

    def went_on(self, waiting: Observation) -> bool:
        """Whether so much was written since that the wait must have ended."""
        return self.job.ended and self.job.endings.went_on(waiting)


def _waited_past(completed: Observation, match: Match) -> bool:
    """Whether the lines tell of a collective that ran out of time behind the end."""
    told = (*match.first, match.last)
    return any("timeout_ms" in hit.captures for one in told if one.order > completed.order for hit in one.event.hits)
