"""What a job and its present run have shown so far, before any rule is evaluated."""

from collections.abc import Sequence

from logrules.inference.cadence import SHORTEST_S
from logrules.inference.clock import Clock
from logrules.inference.end_signs import is_cut_short
from logrules.inference.ending import Endings
from logrules.inference.failures import Failures
from logrules.inference.kept_samples import CurveSampler, Outliers
from logrules.inference.left_behind import Laggards
from logrules.inference.metrics import MetricStates
from logrules.inference.observation import Observation
from logrules.inference.polls import Polls
from logrules.inference.rank_table import RankTable
from logrules.inference.rule_index import Index
from logrules.inference.seen_frameworks import SeenFrameworks
from logrules.inference.step_time import StepDeadlines
from logrules.inference.unlike_calls import RecordedCalls
from logrules.inference.wording import is_under_way, spoken_phase
from logrules.inference.worker_state import OpenWait
from logrules.inference.workers import WorkerTracker
from logrules.model.change import Change
from logrules.model.collective import GroupRecord
from logrules.model.event import Event
from logrules.model.failure import Failure
from logrules.model.record import field, mutable_record
from logrules.parsing.captures import Captures
from logrules.ruleset.pack import Marker, Metric, Pack

# No job tells more by name than this, nor so long a value; a hostile log may try.
_MAX_TOLD, _MAX_VALUE = 1_000, 400


@mutable_record
class Activity:
    """When a live job was first listened to, and when it was last heard: at all, and each log. Saved logs: never.

    ``longest_s`` is the longest silence that it has broken.
    ``exit_status`` is that of a command that we started and that has ended.
    """

    begun: float | None = None
    heard: float | None = None
    heard_of: dict[str, float] = field(default_factory=dict)
    exit_status: int | None = None
    longest_s: float = 0.0

    def listen(self, now: float) -> None:
        """Time passes, whether or not anything is heard."""
        self.begun = now if self.begun is None else self.begun

    def hear(self, source: str, now: float) -> None:
        """Bytes of a log came."""
        if self.heard is not None:
            self.longest_s = max(self.longest_s, now - self.heard)
        self.heard = now if self.heard is None else max(now, self.heard)
        self.heard_of[source] = now


@mutable_record
class JobState:
    """What outlives a run: what its logs are read by, its time, when it was heard, its last lines, whether more comes.

    ``told`` is what lines said by name, for steps: settings, versions, the machine. ``order`` is the place of its
    latest line among those of all its logs.
    """

    pack: Pack
    index: Index
    captures: Captures
    endings: Endings
    clock: Clock = field(default_factory=Clock)
    activity: Activity = field(default_factory=Activity)
    ended: bool = False
    told: dict[str, str] = field(default_factory=dict)
    order: int = 0

    def tell(self, name: str, value: str) -> None:
        """A line says this by name: the last word counts. What no step could use is left out."""
        if len(value) <= _MAX_VALUE and (name in self.told or len(self.told) < _MAX_TOLD):
            self.told[name] = value


class RunState:
    """What is known of one run: its workers, failures, metrics, ranks and frameworks, and its latest line."""

    def __init__(self, job: JobState) -> None:
        self.job = job
        self.pack = pack = job.pack
        self._index = index = job.index
        self.tracker = WorkerTracker(pack)
        self.polls = Polls()
        self.frameworks = SeenFrameworks(index.framework_signs)
        self.failures = Failures(pack, index.origins, index.exceptions)
        self.metrics = MetricStates(index.silence.leaves_by_metric, index.metrics)
        self.curves = CurveSampler()
        self.outliers = Outliers()
        self.ranks = RankTable()
        self.recorded = RecordedCalls()
        self.laggards = Laggards(pack, self.tracker, self.failures, job.endings)
        self.last: Observation | None = None
        # The job's time when that came: its own timestamp may be of another time zone than those before it.
        self.reached: float | None = None
        # The latest line, if it says that its writer is done.
        self.parting: Observation | None = None
        # The first line of each log that a launcher labels with the rank that wrote it.
        self._labelled_from: dict[str, int] = {}
        self._parted: set[int] = set()
        self._step_deadlines = StepDeadlines(SHORTEST_S * pack.patience)
        self._exception = pack.trace.exception if pack.trace is not None else None

    def take_names(self, event: Event) -> None:
        """Take the frameworks that a line shows, and its named values for the steps of any rule."""
        self.frameworks.see(event)
        if not self._index.labels.isdisjoint(event.headers):
            self._labelled_from.setdefault(event.source, event.line)
        for hit in event.hits:
            if (name := self._index.told.get(hit.signal)) is not None:
                self.job.tell(hit.captures.get("name", name), hit.captures.get("value", ""))

    def keep(self, failure: Failure, observation: Observation) -> None:
        """Remember a failure record; ``observation`` is of its latest line."""
        self.failures.keep(failure, observation)
        self.frameworks.see_frames(failure)

    def move(self, markers: Sequence[Marker], observation: Observation) -> tuple[Change, ...]:
        """Move the line's writer to where the line's markers say."""
        event, chain = observation.event, observation.chain
        if chain is not None:
            self.failures.take_statement(chain, event, markers)
        self.polls.move()
        measuring = self.tracker.is_measuring(event)
        meant = [self.frameworks.as_meant(marker, measuring=measuring) for marker in markers]
        return self.tracker.apply(meant, observation)

    def measure(self, metric: Metric, observation: Observation) -> bool:
        """Take a metric's value from a line; return whether it has one that was not taken before."""
        writer = self.tracker.workers.get(observation.worker)
        value = self.metrics.add(metric, observation, writer.restarted if writer is not None else None)
        if value is not None:
            self.curves.add(metric.metric, value, observation)
        return value is not None

    @property
    def now(self) -> float | None:
        """The job's time, without that in which nobody watched."""
        return self.job.clock.now

    @property
    def quiet_since(self) -> float | None:
        """When the last bytes came; for a saved log, how late it was when the last line that told anything came."""
        return self.reached if self.job.activity.heard is None else self.job.activity.heard

    def told(self) -> dict[str, str]:
        """The named values of lines so far, and the first and last value of each metric, for steps."""
        return {**self.job.told, **self.curves.ends()}

    def see_record(self, recorded: GroupRecord, observation: Observation) -> None:
        """Take what a rank's flight recorder has on a process group."""
        self.reached = self.now
        self.ranks.see(observation)
        self.recorded.add(recorded, observation)

    def hear(self, source: str, now: float) -> None:
        """Bytes of a log arrived, whatever they contain."""
        self.job.activity.hear(source, now)
        self._step_deadlines.hear(now)

    def next_step_due(self) -> float:
        """When silence may mean a missing step, or a moment before; never for a saved log."""
        activity, now = self.job.activity, self.now
        if activity.begun is None or now is None:
            return float("inf")
        return self._step_deadlines.after(now, self.tracker.workers, activity.heard_of)

    def see(self, observation: Observation, markers: Sequence[Marker]) -> None:
        """Take the next line, after its markers have moved its writer."""
        event = observation.event
        signals = [hit.signal for hit in event.hits]
        parting = not self._index.parting.isdisjoint(signals)
        polling = [marker for signal in signals if (marker := self._index.polling.get(signal)) is not None]
        if polling and not markers:
            self.polls.see(observation)
            self.tracker.waits.count((name for marker in polling for name in marker.renews), observation)
        if event.arrived is not None and observation.heard is not None:
            self._step_deadlines.hear(observation.heard)
        self.last = observation
        self.reached = self.now
        self.curves.see(observation)
        self.ranks.see(observation)
        self.laggards.see(observation, parting=parting, all_end=any(marker.ends for marker in markers))
        if parting and observation.worker.rank is not None:
            # One that leaves early leaves the others waiting.
            self._parted.add(observation.worker.rank)
            parting = self.ranks.are_all(self._parted)
        self.parting = observation if parting else None
        self.outliers.see(observation, complaint=self._exception in signals)

    def is_waiting(self) -> bool:
        """Whether a wait is open, was not ended in a way that no marker knows, and nothing is moving."""
        return any(
            not self.went_on(wait.renewed) and not (self.job.ended and self.cut_off(wait))
            for wait in self.tracker.waits.open()
        )

    def cut_off(self, wait: OpenWait) -> bool:
        """Whether a log that ends in a wait seems to have been cut off there."""
        if wait.wait.joint and not wait.is_overdue(self.now) and self._is_filling(wait):
            return True
        if self.tracker.is_after_work(wait.opened) or (wait.wait.first and self.preparing() is not None):
            return True
        lines = self.job.endings.lines.get(wait.renewed.event.source, ())
        return wait.is_cut_off(self.now, cut_short=is_cut_short(lines))

    def _is_filling(self, wait: OpenWait) -> bool:
        """Whether all ranks have come to where they meet, or some that wrote just now are still on their way."""
        there = [one.opened.worker.rank for one in self.tracker.waits.open(wait.wait.id)]
        expected = wait.opened.all_captures().get("world_size", "")
        if expected.isdecimal() and len(there) >= int(expected):
            return True
        return None not in there and not self.job.endings.last_ranks(wait.renewed.event).issubset(there)

    def preparing(self) -> str | None:
        """The phase before all loops that the very last line says is under way, where nobody has made a step yet."""
        if self.last is None or any(state.stepped for state in self.tracker.workers.values()):
            return None
        lines = self.job.endings.lines.get(self.last.event.source, ())
        if not is_under_way(self.pack.phases, lines, self.job.endings.wordings):
            return None
        phase = spoken_phase(self.pack.phases, lines[-1:], 0)
        return phase if phase in self.tracker.startup else None

    def launched_after(self, failed: Event) -> bool:
        """Whether a launcher labels the lines of the ranks, and all that it does stand below this line."""
        labelled = self._labelled_from.get(failed.source)
        above = labelled is None or failed.line < labelled
        return above and self.job.endings.labelled_below(failed, self._index.labels)

    def went_on(self, waiting: Observation) -> bool:
        """Whether so much was written since then that the wait must have ended."""
        return self.job.ended and self.job.endings.went_on(waiting)
