"""Where a worker of a live job is at this moment, and how the ranks of a job share its work."""

from logrules.model.record import record


@record
class WorkerNow:
    """``step`` is its last line of progress; lengths of time are in seconds, None where unknown.

    ``patience_s`` is how long it may be quiet: by its wait, else by its own rhythm.
    """

    worker: str
    phase: str | None
    step: str
    step_s: float | None
    quiet_s: float | None
    patience_s: float | None


@record
class ParallelSizes:
    """How many ranks there are, and the size of each kind of parallelism: 1 if nothing says otherwise."""

    world: int | None = None
    tensor: int = 1
    context: int = 1
    pipeline: int = 1


UNSAID = ParallelSizes()
