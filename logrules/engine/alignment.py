"""How far the clocks of a job's logs are apart, put right in each event."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from logrules.model.event import Event, Worker
from logrules.model.record import field, record, replace
from logrules.model.report import SourceNote

if TYPE_CHECKING:
    from logrules.inference.clock_skew import ClockReading


@record
class ClockSample:
    """A look at a log: its worker by its name, by what its lines say, and the moments that others may share."""

    named: Worker
    worker: Worker
    moments: "tuple[ClockReading, ...]" = ()


@record
class Alignment:
    """How far the clock of each source is behind, in seconds; whose it is by name and by content; what to say of it."""

    behind_s: Mapping[str, float] = field(default_factory=dict)
    workers: Mapping[str, ClockSample] = field(default_factory=dict)
    notes: tuple[SourceNote, ...] = ()

    def corrected(self, event: Event) -> Event:
        """The event by the clock that most of the job goes by, and by whom it is."""
        behind_s = self.behind_s.get(event.source)
        looked = self.workers.get(event.source)
        if behind_s is not None and event.stamp is not None:
            event = replace(event, stamp=replace(event.stamp, seconds=event.stamp.seconds + behind_s))
        return event if looked is None else replace(event, worker=_introduced(event.worker, looked))


def _introduced(worker: Worker, looked: ClockSample) -> Worker:
    """The writer of a line that says less of itself than its neighbours do."""
    unsaid = worker.rank == looked.named.rank
    return replace(
        worker, host=worker.host or looked.worker.host, rank=looked.worker.rank if unsaid else worker.rank
    )  # fmt: skip
