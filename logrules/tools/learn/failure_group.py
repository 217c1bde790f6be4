"""Failures of one kind that nothing explains: what they cost, and what a person must be asked of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from logrules.tools.fleet.group import grouped
from logrules.tools.fleet.history import seen_job
from logrules.tools.fleet.job import JobGroup, SeenJob
from logrules.tools.learn.read_job import ReadJob, TellingLine

# So many causes are offered.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """A kind of failure, what is known of all its jobs together, and these jobs."""

    about: JobGroup
    jobs: tuple[ReadJob, ...]

    @property
    def telling(self) -> tuple[TellingLine, ...]:
        """The lines that tell of it: the best of each job first, then the second best."""
        most = max((len(job.telling) for job in self.jobs), default=0)
        return tuple(job.telling[place] for place in range(most) for job in self.jobs if len(job.telling) > place)

    @property
    def may_be(self) -> tuple[str, ...]:
        """Causes that it may have."""
        return tuple(dict.fromkeys(cause for job in self.jobs for cause in job.may_be))


def groups_of(jobs: Sequence[ReadJob], now: float) -> tuple[FailureGroup, ...]:
    """The kinds of failures that nothing explains, those that cost most first; ``now`` is seconds since the epoch.

    By GPU-hours, then by idle time, then by the number of jobs.
    """
    members: dict[str, list[ReadJob]] = {}
    for job in jobs:
        if job.unexplained and job.telling and job.summary.fingerprint:
            members.setdefault(job.summary.fingerprint, []).append(job)
    groups = grouped(_seen(jobs, now), "fingerprint", now)
    found = [FailureGroup(group, tuple(members[group.name])) for group in groups if group.name in members]
    return tuple(sorted(found, key=_cost))


def _seen(jobs: Iterable[ReadJob], now: float) -> list[SeenJob]:
    return [seen_job(str(one.job.path), one.summary, min(one.job.modified, now)) for one in jobs]


def _cost(group: FailureGroup) -> tuple[float, float, int, str]:
    about = group.about
    return -about.lost_gpu_hours, -about.lost_s, -about.troubled, about.name


def question_of(group: FailureGroup) -> str:
    """What only a person can answer before a draft becomes a rule, on one line of printable letters."""
    first = group.telling[0]
    may_be = ", ".join(group.may_be[:_NAMED])
    kind = first.type.rpartition(".")[2]
    frame = group.jobs[0].summary.frame
    if first.component is not None:
        said = f"What makes {first.component} raise {kind} here: {may_be or 'a setting, a version or the data'}?"
    elif kind and frame:
        said = f"Is {kind} in {frame} a mistake of that code, or of what it was given ({may_be or 'settings or data'})?"
    elif kind:
        said = f"Which cause of `logrules explain --causes` lets this {kind} come ({may_be or 'none is likelier'})?"
    else:
        said = "Does this line end the job, or only tell of it? Name the cause (`logrules explain --causes`)."
    return "".join(letter if letter.isprintable() else " " for letter in said)
