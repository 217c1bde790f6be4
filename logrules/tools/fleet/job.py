"""One job of many, summed up; and jobs by what they have in common: a bad node is a host on which several failed."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

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
class Losses:
    """What jobs lost that failed or stalled (``troubled``), in seconds.

    ``lost_gpu_hours`` counts those whose GPUs are known, and ``gpus_unknown`` says of how many they are not.
    """

    troubled: int
    lost_s: float
    lost_gpu_hours: float
    gpus_unknown: int


def losses(jobs: Iterable[JobSummary]) -> Losses:
    """What those of the jobs lost that failed or stalled."""
    failed = [job for job in jobs if job.troubled]
    hours = [known for job in failed if (known := job.lost_gpu_hours) is not None]
    return Losses(len(failed), sum(job.lost_s or 0.0 for job in failed), sum(hours), len(failed) - len(hours))


@dataclass(frozen=True, slots=True)
class JobGroup(Recurrence):
    """Jobs that have something in common, the latest first, with their `Losses`; of ``hosts`` the worst first."""

    troubled: int
    lost_s: float
    lost_gpu_hours: float
    gpus_unknown: int
    name: str
    title: Text
    jobs: tuple[str, ...]
    hosts: tuple[str, ...]
    remark: Remark


WEEK_S = 604_800.0
WEEKS = 12


def recurrence(failed: Sequence[float], ran: Sequence[float], now: float) -> Recurrence:
    """What the moments ``failed`` come to at ``now``; jobs of any outcome ended at the moments ``ran`` (sorted)."""
    moments = sorted(failed)
    if not moments:
        return Recurrence(None, None, 0, (0,) * WEEKS, new=False, back=False)
    weeks = [0] * WEEKS
    for moment in moments:
        age = int(max(0.0, now - moment) // WEEK_S)
        if age < WEEKS:
            weeks[WEEKS - 1 - age] += 1
    recent = sum(moment >= now - WEEK_S for moment in moments)
    back = any(
        later >= now - WEEK_S and later - earlier > WEEK_S and _any_between(ran, earlier, later)
        for earlier, later in pairwise(moments)
    )
    return Recurrence(moments[0], moments[-1], recent, tuple(weeks), new=moments[0] >= now - WEEK_S, back=back)


def _any_between(ran: Sequence[float], earlier: float, later: float) -> bool:
    """Whether any job ended strictly between two moments: without one, nobody can say that a failure was gone."""
    place = bisect_right(ran, earlier)
    return place < len(ran) and ran[place] < later


BY: Mapping[str, Callable[[JobSummary], str | None]] = {
    "fingerprint": lambda summary: summary.fingerprint,
    "cause": lambda summary: summary.cause,
    "host": lambda summary: next(iter(summary.hosts), None),
    "user-frame": lambda summary: summary.frame or None,
}


def grouped(
    jobs: Iterable[SeenJob], by: str, now: float, remarks: Mapping[str, Remark] | None = None
) -> tuple[JobGroup, ...]:
    """The groups of jobs that share what ``by`` names (a key of `BY`): those with most failed jobs first.

    ``now`` is in seconds since the epoch; ``remarks`` are kept by the name of the group.
    """
    everything = sorted(jobs, key=lambda job: (-job.at, job.path))
    members: dict[str, list[SeenJob]] = {}
    for job in everything:
        if name := BY[by](job.summary):
            members.setdefault(name, []).append(job)
    ran = [job.at for job in reversed(everything)]
    said = remarks or {}
    groups = [_group(name, found, ran, now, said.get(name, Remark())) for name, found in members.items()]
    return tuple(sorted(groups, key=lambda group: (-group.troubled, -group.lost_s, group.name)))


def _group(name: str, jobs: Sequence[SeenJob], ran: Sequence[float], now: float, remark: Remark) -> JobGroup:
    failed = [job for job in jobs if job.summary.troubled]
    hosts = Counter(host for job in failed for host in job.summary.hosts[:1])
    return JobGroup(
        **asdict(recurrence([job.at for job in failed], ran, now)),
        **asdict(losses(job.summary for job in failed)),
        name=name,
        title=next((job.summary.title for job in failed or jobs), Text()),
        jobs=tuple(job.path for job in jobs),
        hosts=tuple(host for host, _ in hosts.most_common()),
        remark=remark,
    )
