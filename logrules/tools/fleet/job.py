"""One job of many, summed up."""

from dataclasses import dataclass

from logrules.model.report import Status, Text

_TROUBLED = frozenset({"failed", "stalled", "unexplained"})


@dataclass(frozen=True, slots=True)
class JobSummary:
    """What came of a job; times are seconds since the epoch, None where its logs have none.

    ``lost_s`` is how long a failed or stalled job stood idle, in seconds to the last line of its logs: from its last
    progress (a step, a bar that moved), or from where a wait began that timed out, that time-out included; where it
    never made progress, from the first line of evidence. ``gpus`` is how many GPUs (ranks) it had, where its logs
    say. ``fingerprint`` names the kind of failure, ``frame`` the user's own code in which it happened. ``unread``
    says why there is no more than that; the job's state is then unknown, and ``status`` None.
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
    gpus: int | None = None
    fingerprint: str | None = None
    template: str = ""
    frame: str = ""
    logs: int = 0
    lines: int = 0
    unread: str | None = None

    @property
    def troubled(self) -> bool:
        """Whether it failed, stalled, or broke of something that nothing knows."""
        return self.status in _TROUBLED

    @property
    def lost_gpu_hours(self) -> float | None:
        """GPU-hours for which it stood idle, where both time and GPUs are known."""
        return None if self.lost_s is None or self.gpus is None else self.lost_s * self.gpus / 3600


@dataclass(frozen=True, slots=True)
class SeenJob:
    """A job as history knows it: its path, what came of it, and when (by its own logs, else when it was read)."""

    path: str
    summary: JobSummary
    at: float


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person said of a group: a note, and until when (seconds since the epoch) it need not be listed."""

    note: str = ""
    snoozed_until: float | None = None

    def snoozed(self, now: float) -> bool:
        """Whether it need not be listed now."""
        return self.snoozed_until is not None and now < self.snoozed_until


@dataclass(frozen=True, slots=True)
class Recurrence:
    """When jobs failed or stalled.

    ``first`` and ``last`` are None where none did. ``recent`` counts those of the last seven days, ``weeks`` those of
    each of the last weeks, the oldest first. ``new``: the first of them failed in the last seven days. ``back``: there
    was none for longer than a week, although jobs ran, and now there is.
    """

    first: float | None
    last: float | None
    recent: int
    weeks: tuple[int, ...]
    new: bool
    back: bool


@dataclass(frozen=True, slots=True)
class JobGroup(Recurrence):
    """Jobs that have something in common, the latest first.

    ``troubled`` counts those that failed or stalled. ``lost_s`` is what they lost in seconds; ``lost_gpu_hours`` counts
    those whose GPUs are known, and ``gpus_unknown`` says how many are not. ``hosts`` are the culprits, the most
    frequent first.
    """

    name: str
    title: Text
    jobs: tuple[str, ...]
    troubled: int
    lost_s: float
    lost_gpu_hours: float
    gpus_unknown: int
    hosts: tuple[str, ...]
    remark: Remark
