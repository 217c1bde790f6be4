"""The runs of a job that follow each other in its logs: where another one begins, and which of them a report is of."""

from collections.abc import Mapping
from enum import Enum, auto

from logrules.inference.ending import OUTLIVED_LINES
from logrules.inference.followed_run import FollowedRun, ReadLine
from logrules.model.event import Event
from logrules.model.record import field, mutable_record
from logrules.model.report import Run, Status

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

    _current: str | None = None
    _known: dict[str, set[str]] = field(default_factory=dict)
    # When the scheduler ended the job that wrote to a log last.
    _ended: dict[str, float] = field(default_factory=dict)

    def turns(self, event: Event, time: float | None) -> bool:
        """Whether by this line, written at ``time``, another job begins than wrote the lines above it."""
        job = next((said for hit in event.hits if (said := hit.captures.get("job_id")) is not None), None)
        if job is not None and self._is_named_anew(event.source, job):
            return True
        ended = self._ended.get(event.source)
        outlasts = ended is not None and time is not None and time - ended > _KILLED_S
        if outlasts:
            del self._ended[event.source]
        if time is not None and any("ended_job" in hit.captures for hit in event.hits):
            self._ended[event.source] = time
        return outlasts

    def _is_named_anew(self, log: str, job: str) -> bool:
        jobs = self._known.setdefault(log, set())
        if job in jobs or len(jobs) >= _MAX_JOBS:
            return False
        jobs.add(job)
        before, self._current = self._current, job
        return len(jobs) > 1 and before != job


class RunHistory:
    """The earlier runs, of which the outcome is kept, and the one before the present in full: it may be taken back."""

    def __init__(self) -> None:
        self.earlier: list[Run] = []
        self._before: FollowedRun | None = None
        self._batch_jobs = BatchJobs()

    def turn(self, run: FollowedRun, line: ReadLine) -> RunTurn | None:
        """What a line says of runs; None where the present one goes on."""
        if self._batch_jobs.turns(line.event, line.time):
            return RunTurn.JOB
        return RunTurn.RUN if any(marker.starts for marker in line.markers) and run.is_over else None

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
