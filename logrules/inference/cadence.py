"""How often a worker makes progress, learnt from the log itself, and how many rounds a job has made."""

from collections.abc import Iterable

from logrules.model.event import Worker
from logrules.model.record import record, replace

_KEPT = 64
# Below this even a loop of many steps a second may pause: for garbage, a flush, a short evaluation.
SHORTEST_S = 170.0
# So many steps show a rhythm; a few less hint at it, and are given the more time for each that lacks.
_FEWEST = 8
_HINT = 3


@record
class Rhythm:
    """The last intervals between steps, in seconds; ``shortest_s`` is the least patience that they give.

    ``patience_s`` is how long silence is normal: well past the slowest of the usual steps; None while unknown. It is
    worked out once for each step: whoever waits for the next asks for it far more often.
    """

    intervals: tuple[float, ...] = ()
    last: float | None = None
    shortest_s: float = SHORTEST_S
    patience_s: float | None = None

    def after(self, time: float | None) -> "Rhythm":
        """The rhythm once another step was seen at ``time``."""
        if time is None or self.last is None:
            return replace(self, last=time if time is not None else self.last)
        if time <= self.last:
            return self
        intervals = (*self.intervals[-_KEPT + 1 :], time - self.last)
        return Rhythm(intervals, time, self.shortest_s, _patience_s(intervals, self.shortest_s))

    @property
    def step_s(self) -> float | None:
        """How long a step usually takes; None while unknown."""
        return median(self.intervals) if self.intervals else None

    @property
    def usual_step_s(self) -> float | None:
        """How long a step takes where enough of them were seen to compare workers by it."""
        return self.step_s if len(self.intervals) >= _FEWEST else None


def _patience_s(intervals: tuple[float, ...], shortest_s: float) -> float | None:
    """The longest interval counts because checkpoints and evaluations are part of the rhythm."""
    count = len(intervals)
    if count < _HINT:
        return None
    return max(20 * median(intervals), 3 * max(intervals), shortest_s) * max(1.0, _FEWEST / count)


def outlasts(since: float | None, patience_s: float | None, now: float | None) -> bool:
    """Whether what began at ``since`` lasts for longer than this by ``now``; not where one of them is unknown."""
    return since is not None and patience_s is not None and now is not None and now >= since + patience_s


def median(values: Iterable[float]) -> float:
    """The middle one of at least one value; of an even number of them, half-way between the two in the middle.

    As `statistics.median`, whose module loads more than a diagnosis of a short log takes.
    """
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Rounds:
    """Counts the rounds of a job, or of one of its logs: two logs without times tell no order."""

    def __init__(self) -> None:
        self.count = 0
        self._stepped: set[Worker] = set()

    def step(self, worker: Worker) -> None:
        """Count a step of a worker."""
        if worker in self._stepped:
            self.count += 1
            self._stepped.clear()
        self._stepped.add(worker)
