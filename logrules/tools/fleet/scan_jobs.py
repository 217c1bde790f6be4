"""Many jobs on all cores."""

from collections.abc import Iterator, Sequence

from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Prepared, prepared
from logrules.ruleset.pack import Pack
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.fleet.summary import summed_up

_DIED = "its reader died twice"


class _Here:
    """The pack of this process."""

    on: Prepared


def scanned(jobs: Sequence[FoundJob], pack: Pack, processes: int) -> Iterator[tuple[FoundJob, JobSummary]]:
    """Each job and what came of it, as it comes. A process that dies takes its jobs with it: they are tried again."""
    pool = WorkerPool(processes, _sum_up, _begin, prepared(pack, cache=True), pack)
    for number, summary in pool.answers(dict(enumerate(jobs))):
        job = jobs[number]
        yield job, summary or JobSummary(job.name, None, unread=_DIED)


def _begin(given: Prepared | Pack) -> None:
    _Here.on = prepared(given, cache=True) if isinstance(given, Pack) else given


def _sum_up(job: FoundJob) -> JobSummary:
    return summed_up(_Here.on, job)
