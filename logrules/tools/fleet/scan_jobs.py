"""Many jobs on all cores."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Prepared, prepared
from logrules.ruleset.pack import Pack
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.fleet.summary import summed_up

Answer = TypeVar("Answer")

DIED = "its reader died twice"


def scanned(jobs: Sequence[FoundJob], pack: Pack, processes: int) -> Iterator[tuple[FoundJob, JobSummary]]:
    """Each job and what came of it, as it comes."""
    for job, summary in read_on_all_cores(summed_up, jobs, pack, processes):
        yield job, summary or JobSummary(job.name, None, unread=DIED)


def read_on_all_cores(
    work: Callable[[Prepared, FoundJob], Answer],
    jobs: Sequence[FoundJob],
    pack: Pack,
    processes: int,
    *,
    cache: bool = True,
) -> Iterator[tuple[FoundJob, Answer | None]]:
    """Each job and what ``work``, which can be sent to another process, made of it, as it comes.

    A process that dies takes its jobs with it: they are tried again. None of a job that ends its reader twice.
    ``cache`` says whether what the pack compiles to is kept.
    """
    pool = WorkerPool(processes, work, partial(prepared, cache=cache))
    for number, answer in pool.answers(dict(enumerate(jobs)), pack):
        yield jobs[number], answer
