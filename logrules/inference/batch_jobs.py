"""Which batch job wrote a log, by its own word: where another one speaks up, it was appended and another run begins."""

from logrules.model.event import Event
from logrules.model.record import field, mutable_record

# More jobs than these wrote to no log; who counts further prints something else in those words.
_MAX_JOBS = 10_000


@mutable_record
class BatchJobs:
    """The jobs of each log, by the captures ``job_id`` of its lines.

    One that speaks up again once another has spoken runs beside it: of such a log nothing is told apart.
    """

    current: str | None = None
    _known: dict[str, set[str]] = field(default_factory=dict)

    def turns(self, event: Event) -> bool:
        """Whether by this line another job begins than wrote the lines above it."""
        said = next((job for hit in event.hits if (job := hit.captures.get("job_id")) is not None), None)
        if said is None:
            return False
        jobs = self._known.setdefault(event.source, set())
        if said in jobs or len(jobs) >= _MAX_JOBS:
            return False
        jobs.add(said)
        before, self.current = self.current, said
        return len(jobs) > 1 and before != said
