"""Who ended how, as launchers tell it: of themselves or by force, in which order, on which host."""

from collections.abc import Iterable, Iterator, Sequence

from logrules.model.event import Event, Worker
from logrules.model.failure import Failure

# Ends by a signal that others sent, and by one that a process sends itself behind a message.
_ASKED = frozenset((-15, -2, -1))
_AFTER_A_MESSAGE = frozenset((-6,))


def was_asked_for(end: Failure) -> bool:
    """Whether somebody else ended the process in order."""
    return end.code in _ASKED


def ended_ranks(ends: Sequence[Failure]) -> tuple[int, ...]:
    """The ranks that ended badly of themselves, the first to do so before the others."""
    # Who knows the process's own number started it; Slurm's tasks may be the launchers of many ranks.
    started = [one for one in ends if any(who.rank is not None and who.pid is not None for who in one.workers)]
    told = sorted(started or ends, key=lambda one: (one.code in _AFTER_A_MESSAGE, one.last.line))
    return ranks_of(worker for one in told for worker in one.workers)


def killed_ranks(ends: Sequence[Failure]) -> tuple[int, ...]:
    """Those of them that died by a signal which no process sends itself: they could not even say why."""
    killed = (one for one in ends if (one.code or 0) < 0 and one.code not in _AFTER_A_MESSAGE)
    return ranks_of(worker for one in killed for worker in one.workers)


def gone_before(ends: Sequence[Failure], wait: Event) -> tuple[int, ...]:
    """The ranks that had ended of themselves before the line on which others say that they waited in vain."""
    return gone_of_themselves([one for one in ends if one.last.source == wait.source and one.last.line < wait.line])


def gone_of_themselves(ends: Sequence[Failure]) -> tuple[int, ...]:
    """The ranks that ended badly, but for those that were aborted behind a message: these may have waited."""
    return ended_ranks([one for one in ends if one.code not in _AFTER_A_MESSAGE])


def hosts_of(ends: Sequence[Failure], rank: int) -> Iterator[str]:
    """The host of a rank as launchers tell it when they report its end."""
    workers = (worker for one in ends for worker in one.workers)
    yield from (worker.host for worker in workers if worker.rank == rank and worker.host is not None)


def hosts_of_ended(ends: Sequence[Failure]) -> frozenset[str]:
    """Where processes ended."""
    return frozenset(worker.host for one in ends for worker in one.workers if worker.host is not None)


def ranks_of(workers: Iterable[Worker]) -> tuple[int, ...]:
    """The ranks of these workers, each once, in their order."""
    return tuple(dict.fromkeys(worker.rank for worker in workers if worker.rank is not None))
