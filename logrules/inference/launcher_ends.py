"""Who ended how, as launchers tell it: of themselves or by force, in which order, on which host."""

from collections.abc import Sequence

from logrules.model.event import Event, hosts_of, ranks_of
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


def hosts_of_ended(ends: Sequence[Failure], rank: int | None = None) -> tuple[str, ...]:
    """Where processes ended by a launcher's word; of a rank, where it ran."""
    workers = (worker for one in ends for worker in one.workers)
    return hosts_of(worker for worker in workers if rank in (None, worker.rank))
