"""One job of many, summed up."""

from dataclasses import dataclass

from logrules.model.report import Status, Text


@dataclass(frozen=True, slots=True)
class JobSummary:
    """What came of a job; times are seconds since the epoch, None where its logs have none.

    ``lost_s`` is how long a failed or stalled job stood idle: seconds from its last progress (a step, a bar that
    moved) or, where it never made any, from the first line of evidence, to the last line of its logs. ``unread`` says
    why there is no more than that; the job's state is then unknown, and ``status`` None.
    """

    job: str
    status: Status | None
    phase: str = ""
    rule: str | None = None
    cause: str | None = None
    title: Text = Text()  # noqa: RUF009 (frozen)
    ranks: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    began: float | None = None
    ended: float | None = None
    lost_s: float | None = None
    logs: int = 0
    lines: int = 0
    unread: str | None = None

    @property
    def troubled(self) -> bool:
        """Whether it failed or stalled."""
        return self.status in {Status.FAILED, Status.STALLED}


@dataclass(frozen=True, slots=True)
class JobGroup:
    """Jobs that share a cause or a host: how many, how many of them failed or stalled, and what was lost in seconds."""

    name: str
    jobs: tuple[str, ...]
    troubled: int
    lost_s: float
