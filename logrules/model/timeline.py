"""Where the workers of a job were over time, as a report draws it, and where they are now."""

from logrules.model.record import record


@record
class _Span:
    """From which line of a worker to which; times are None if the log has none."""

    worker: str
    start: float | None
    end: float | None
    first_line: int
    last_line: int
    source: str


@record
class PhaseSpan(_Span):
    """A worker was in a phase."""

    phase: str


@record
class WaitSpan(_Span):
    """A worker waited silently; ``ended`` is False if the log ends in the wait."""

    wait: str
    ended: bool


@record
class Point:
    """A value that a line printed; ``time`` is None where the log has none."""

    time: float | None
    source: str
    line: int
    value: float


@record
class Curve:
    """A metric over the run, thinned out to what can be drawn; `quiet` is seconds without a line."""

    metric: str
    points: tuple[Point, ...]


@record
class WorkerNow:
    """``step`` is its last line of progress; lengths of time are in seconds, None where unknown.

    ``patience_s`` is how long it may be quiet: by its wait, else by its own rhythm. ``leaving``: its job is done.
    """

    worker: str
    phase: str | None
    step: str
    step_s: float | None
    quiet_s: float | None
    patience_s: float | None
    leaving: bool = False


@record
class ParallelSizes:
    """How many ranks there are, and the size of each kind of parallelism: 1 if nothing says otherwise."""

    world: int | None = None
    tensor: int = 1
    context: int = 1
    pipeline: int = 1


UNSAID = ParallelSizes()
