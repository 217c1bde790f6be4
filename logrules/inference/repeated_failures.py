"""What is raised again and again ends nothing: by one process, by its peers too, or while the job makes its rounds."""

from logrules.inference.observation import NEAR_LINES
from logrules.model.event import Event
from logrules.model.failure import Failure
from logrules.model.record import mutable_record

# A worker that raised the same thing so often lived through it: it does not end anything.
LIVED_THROUGH = 3
# What was raised before so many rounds of progress, and again after them, ends no job either, whoever raises it.
_ROUNDS_BETWEEN = 3


@mutable_record
class _Raised:
    """How often one writer raised the same, its last line of that, and how many lines the longest of them took."""

    last: Event | None = None
    longest: int = 0
    times: int = 0


class RepeatedFailures:
    """Counts what is raised, by whom, and knows what was raised so often that it was lived through."""

    def __init__(self) -> None:
        self._raised: dict[object, _Raised] = {}
        self._first_round: dict[object, int] = {}
        # What was raised, by itself or with its writer: of a process, its role stands for its peers.
        self._lived_through: set[object] = set()

    def count(self, failure: Failure, now: int) -> None:
        """Count one more, in this round; what unnamed processes tell in one go may be theirs all.

        Of what is told again few frames are read: it may begin as far above the first of them as the longest of its
        kind is long.
        """
        raised, worker = failure.raised, failure.worker
        told = self._raised.setdefault((worker, raised), _Raised())
        before, told.last = told.last, failure.last
        told.longest = max(told.longest, failure.last.line - failure.first.line)
        apart = before is None or failure.first.line - before.line > NEAR_LINES + told.longest
        # One process prints one at a time: what begins before its last has ended is of another.
        overlaps = before is not None and before.worker == worker and failure.first.line <= before.line
        if apart or (worker.is_process and not overlaps):
            told.times += 1
        if told.times >= LIVED_THROUGH:
            self._lived_through.add((worker.role if worker.is_process else worker, raised))
        if now - self._first_round.setdefault(raised, now) >= _ROUNDS_BETWEEN:
            self._lived_through.add(raised)

    def ends_nothing(self, failure: Failure) -> bool:
        """Whether what was raised here was raised so often."""
        raised, worker = failure.raised, failure.worker
        writer = worker.role if worker.is_process else worker
        return raised in self._lived_through or (writer, raised) in self._lived_through
