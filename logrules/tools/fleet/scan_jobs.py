"""Many jobs on all cores, or on a Ray cluster: each read by a worker, or by the node on whose disk it lies."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Prepared, prepared
from logrules.model.record import replace
from logrules.ruleset.pack import Pack
from logrules.tools.cluster.ray_cluster import Lost, RayWorkerPool, answered_by_nodes
from logrules.tools.fleet.job import JobSummary
from logrules.tools.fleet.jobs import FoundJob, jobs_of
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


def prepared_and_kept(pack: Pack) -> Prepared:
    """The pack made ready for a worker of a cluster, which keeps what it compiles to."""
    return prepared(pack, cache=True)


def scanned_on_ray(jobs: Sequence[FoundJob], pack: Pack, address: str) -> Iterator[tuple[FoundJob, JobSummary]]:
    """Each job and what came of it, as it comes; what a worker or a node took with it is read again elsewhere.

    Raises LogrulesError where there is no cluster.
    """
    pool: RayWorkerPool[FoundJob, JobSummary] = RayWorkerPool(address, summed_up, prepared_and_kept)
    # Workers have a folder of their own.
    sent = {number: replace(job, path=job.path.absolute()) for number, job in enumerate(jobs)}
    for number, answer in pool.answers(sent, pack, lambda job: job.node):
        job = jobs[number]
        yield job, JobSummary(job.name, None, unread=answer.reason) if isinstance(answer, Lost) else answer


def jobs_on_nodes(roots: Sequence[Path], pattern: str, address: str) -> Sequence[FoundJob]:
    """The jobs of ``roots`` on each node's own disk, named `NODE/job`; a node without any is passed over.

    Raises LogrulesError where no node has any.
    """
    found = answered_by_nodes(partial(jobs_of, roots, pattern), address)
    return [replace(job, name=f"{node}/{job.name}", node=node) for node, jobs in found for job in jobs]
