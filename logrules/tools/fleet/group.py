"""Jobs by what they have in common: a bad node is a host on which several jobs failed."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise

from logrules.model.report import Text
from logrules.tools.fleet.job import JobGroup, JobSummary, Recurrence, Remark, SeenJob

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
    hours = [job.summary.lost_gpu_hours for job in failed]
    hosts = Counter(host for job in failed for host in job.summary.hosts[:1])
    return JobGroup(
        **asdict(recurrence([job.at for job in failed], ran, now)),
        name=name,
        title=next((job.summary.title for job in failed or jobs), Text()),
        jobs=tuple(job.path for job in jobs),
        troubled=len(failed),
        lost_s=sum(job.summary.lost_s or 0.0 for job in failed),
        lost_gpu_hours=sum(one for one in hours if one is not None),
        gpus_unknown=sum(one is None for one in hours),
        hosts=tuple(host for host, _ in hosts.most_common()),
        remark=remark,
    )
