"""Jobs by what they have in common: a bad node is a host on which several jobs failed."""

from collections.abc import Callable, Iterable, Mapping

from logrules.tools.fleet.job import JobGroup, JobSummary

BY: Mapping[str, Callable[[JobSummary], tuple[str, ...]]] = {
    "cause": lambda summary: (summary.cause,) if summary.cause else (),
    "host": lambda summary: summary.hosts[:1],
}


def grouped(summaries: Iterable[JobSummary], by: str) -> tuple[JobGroup, ...]:
    """The groups of jobs that share a cause, or the host that is the culprit; those with most failed jobs first."""
    members: dict[str, list[JobSummary]] = {}
    for summary in summaries:
        for name in BY[by](summary):
            members.setdefault(name, []).append(summary)
    groups = [_group(name, jobs) for name, jobs in members.items()]
    return tuple(sorted(groups, key=lambda group: (-group.troubled, -group.lost_s, group.name)))


def _group(name: str, jobs: list[JobSummary]) -> JobGroup:
    return JobGroup(
        name,
        tuple(one.job for one in jobs),
        sum(one.troubled for one in jobs),
        sum(one.lost_s or 0.0 for one in jobs),
    )
