"""What the present run of a job has shown so far, before any rule is asked."""

import itertools

from logrules.inference.cadence import SHORTEST_S
from logrules.inference.failures import Failures
from logrules.inference.job_state import JobState
from logrules.inference.left_behind import Laggards
from logrules.inference.metrics import MetricStates
from logrules.inference.observation import Observation
from logrules.inference.outliers import Outliers
from logrules.inference.polling import Polls
from logrules.inference.rank_table import RankTable
from logrules.inference.recorded_calls import RecordedCalls
from logrules.inference.rule_index import Index
from logrules.inference.step_time import StepDeadlines
from logrules.inference.time_series import CurveSampler
from logrules.inference.worker_state import OpenWait
from logrules.inference.workers import WorkerTracker
from logrules.model.collective import GroupRecord
from logrules.model.event import Event
from logrules.model.record import replace
from logrules.ruleset.pack import Marker, Pack


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
        self.recorded = RecordedCalls()
        self.laggards = Laggards(pack, self.tracker, self.failures, job.endings)
        self.last: Observation | None = None
        # How late it was in the job when that came: its own stamp may be of another time zone than those before it.
        self.reached: float | None = None
        # The latest line, where it says that its writer is done.
        self.parting: Observation | None = None
        self._parted: set[int] = set()
        self._step_deadlines = StepDeadlines(SHORTEST_S * pack.patience)
        self._index = index
        self._seen_frameworks: set[str] = set()
        self._by_component = index.components
        self._loops_of = index.loops
        self._phases = pack.phases
        self._loops: set[str] = set()
        self._parts = {phase.id: phase.part_of for phase in pack.phases if phase.part_of is not None}
        # What is part of another phase by the frameworks seen.
        self._within: dict[str, str] = {}

    def see_frameworks(self, event: Event) -> None:
        """A line shows frameworks, by its prefixes or by what it says."""
        signs = self._index
        headers = (signs.headers.get(header, ()) for header in event.headers)
        for name in itertools.chain(*headers, *(signs.frameworks.get(hit.signal, ()) for hit in event.hits)):
            self._seen_frameworks.add(name)
            loops = self._loops_of.get(name, ())
            self._loops.update(loops)
            self._within.update(
                {part: whole for part, whole in self._parts.items() if whole in loops and part not in loops}
            )

    def as_meant(self, marker: Marker, event: Event) -> Marker:
        """The marker, with the phase that its own is part of in such jobs; a guess without one where more is known.

        The jobs of the frameworks seen loop in other phases only, or the line is of an evaluation under way.
        """
        if marker.enters in self._within:
            marker = replace(marker, enters=self._within[marker.enters])
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

    def take(self, recorded: GroupRecord, observation: Observation) -> None:
        """Take what the flight recorder of a rank holds of a process group."""
        self.reached = self.job.clock.now
        self.ranks.see(observation)
        self.recorded.add(recorded, observation)

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
