"""How many rounds a job has made: one is over when a worker steps that has stepped in it already."""

from collections import deque

from logrules.model.event import Worker

# So many are told apart behind any line of a log.
KEPT_ROUNDS = 20


class Rounds:
    """Counts the rounds of a job, and when the last ones of each log ended: two logs without times tell no order."""

    def __init__(self) -> None:
        self.count = 0
        self._stepped: set[Worker] = set()
        self._stepped_in: dict[str, set[Worker]] = {}
        self._ended_in: dict[str, deque[int]] = {}

    def step(self, worker: Worker, order: int) -> None:
        """Count a step of a worker, told by the line of this order."""
        if worker in self._stepped:
            self.count += 1
            self._stepped.clear()
        self._stepped.add(worker)
        stepped = self._stepped_in.setdefault(worker.source, set())
        if worker in stepped:
            self._ended_in.setdefault(worker.source, deque(maxlen=KEPT_ROUNDS)).append(order)
            stepped.clear()
        stepped.add(worker)

    @property
    def sources(self) -> int:
        """In how many logs steps are told."""
        return len(self._stepped_in)

    def since(self, source: str, order: int) -> int | None:
        """How many of the last rounds that this log tells ended behind a line; None where it tells of no step."""
        if source not in self._stepped_in:
            return None
        return sum(ended > order for ended in self._ended_in.get(source, ()))
