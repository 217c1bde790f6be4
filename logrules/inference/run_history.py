"""The runs of a job that follow each other in its logs: where another one begins, and which of them a report is of."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from logrules.inference.ending import OUTLIVED_LINES
from logrules.inference.followed_run import FollowedRun
from logrules.model.event import Event
from logrules.model.record import field, mutable_record
from logrules.model.report import Run, Status
from logrules.ruleset.pack import Marker

# What a launcher prints through a buffer comes out when it ends: its first words and its last, in so many lines.
_LATE_LINES = 12
# More batch jobs than these wrote to no log; who counts further prints something else in those words.
_MAX_JOBS = 10_000


class RunTurn(Enum):
    """What a line says of runs: a scheduler's next job begins, another run does, or the one before it goes on still."""

    JOB = auto()
    RUN = auto()
    BACK = auto()


@mutable_record
class BatchJobs:
    """The batch jobs that append to each log, by the captures ``job_id`` of its lines.

    One that speaks up again once another has spoken runs beside it: of such a log nothing is told apart.
    """

    current: str | None = None
    _known: dict[str, set[str]] = field(default_factory=dict)

    def turns(self, event: Event) -> bool:
        """Whether by this line another job begins than wrote the lines above it."""
        said = next((job for hit in event.hits if (job := hit.captures.get("job_id")) is not None), None)
        if said is None:
            return False
        jobs = self._known.setdefault(event.source, set())
        if said in jobs or len(jobs) >= _MAX_JOBS:
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

    def turn(self, run: FollowedRun, markers: Sequence[Marker], event: Event) -> RunTurn | None:
        """What the line says of runs; None where the present one goes on."""
        if self._batch_jobs.turns(event):
            return RunTurn.JOB
        if any(marker.starts for marker in markers) and run.is_over:
            return RunTurn.RUN
        ends = any(marker.ends for marker in markers)
        if ends and self._before is not None and run.has_only_begun(event.file_line, _LATE_LINES):
            return RunTurn.BACK
        return None

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

    def leaves_failure_open(self, run: FollowedRun, lines: Mapping[str, int]) -> bool:
        """Whether the logs, of so many lines, end before the last run got anywhere, behind one that failed.

        What only begins is no answer to the failure.
        """
        if self._before is None or self.earlier[-1].status is not Status.FAILED:
            return False
        return run.has_only_begun(lines.get(self.earlier[-1].source, 0), OUTLIVED_LINES)
