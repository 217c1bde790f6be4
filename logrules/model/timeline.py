"""What a report draws over time: phases, waits and the curves of metrics."""

from logrules.model.record import record


@record
class PhaseSpan:
    """A worker was in a phase; times are None if the log has none."""

    worker: str
    phase: str
    start: float | None
    end: float | None
    first_line: int
    last_line: int
    source: str


@record
class WaitSpan:
    """A worker waited silently; ``ended`` is False if the log ends in the wait. Times are None if the log has none."""

    worker: str
    wait: str
    start: float | None
    end: float | None
    first_line: int
    last_line: int
    source: str
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
