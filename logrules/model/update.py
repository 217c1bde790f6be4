"""What one step of following a live job came to."""

from dataclasses import dataclass

from logrules.model.change import Change


@dataclass(frozen=True, slots=True)
class Update:
    """The job as it stands after a block, a tick or the end.

    ``now`` is in seconds since the epoch by the source's clock, which is virtual for a replayed log.
    ``lines`` and ``bytes`` were read so far; ``skipped`` counts bytes that were passed on and that nobody
    analysed. After an update that has ``ended`` no other comes.
    """

    now: float
    changes: tuple[Change, ...]
    lines: int
    bytes: int
    skipped: int
    ended: bool
