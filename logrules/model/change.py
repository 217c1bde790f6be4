"""What feeding the session changed, each once and in order; and the result of one step of following a live job."""

from typing import TypeAlias

from logrules.model.event import Worker
from logrules.model.record import record


@record
class PhaseEntered:
    """A worker is now in another phase; ``at`` is None where the log has no time."""

    worker: Worker
    phase: str
    at: float | None


@record
class Raised:
    """A rule began to hold. ``quiet_s`` is how long nothing had moved, if the rule is about that.

    ``at`` is by the session's clock: it leaves out the time in which nobody watched, as ``quiet_s`` does.
    """

    rule: str
    at: float | None
    quiet_s: float | None = None


@record
class StallProlonged:
    """A stall goes on: it is now twice as long as when it was last reported."""

    rule: str
    at: float
    quiet_s: float


@record
class Withdrawn:
    """A rule no longer holds."""

    rule: str
    at: float | None


@record
class QuietNoticed:
    """The job is silent for far longer than it ever was (``longest_s``), and no stall is suspected yet."""

    at: float
    quiet_s: float
    longest_s: float


@record
class QuietEnded:
    """The job writes again, after a silence that was noticed."""

    at: float
    quiet_s: float


Change: TypeAlias = PhaseEntered | Raised | StallProlonged | Withdrawn | QuietNoticed | QuietEnded


@record
class Update:
    """The job as it stands after a block, a tick or the end.

    ``now`` is in seconds since the epoch by the source's clock, which is virtual for a replayed log.
    ``lines`` and ``bytes`` were read so far; ``skipped`` counts bytes that were passed on without analysis.
    An update that has ``ended`` is the last. For the last ``unwatched_s`` nobody watched.
    """

    now: float
    changes: tuple[Change, ...]
    lines: int
    bytes: int
    skipped: int
    ended: bool
    unwatched_s: float = 0.0
