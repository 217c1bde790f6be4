"""Jobs by what they have in common: a bad node is a host on which several jobs failed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from logrules.model.report import Text
from logrules.tools.fleet.job import JobGroup, JobSummary, Remark, SeenJob
from logrules.tools.fleet.recurrence import recurrence

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
    when = recurrence([job.at for job in failed], ran, now)
    hours = [job.summary.lost_gpu_hours for job in failed]
    hosts = Counter(host for job in failed for host in job.summary.hosts[:1])
    return JobGroup(
        name=name,
        title=next((job.summary.title for job in failed or jobs), Text()),
        jobs=tuple(job.path for job in jobs),
        troubled=len(failed),
        lost_s=sum(job.summary.lost_s or 0.0 for job in failed),
        lost_gpu_hours=sum(one for one in hours if one is not None),
        gpus_unknown=sum(one is None for one in hours),
        hosts=tuple(host for host, _ in hosts.most_common()),
        first=when.first,
        last=when.last,
        recent=when.recent,
        weeks=when.weeks,
        new=when.new,
        back=when.back,
        remark=remark,
    )
