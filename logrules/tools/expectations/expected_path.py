"""A job followed along an expected path: which of its steps it took, in which order."""

from collections import Counter

from logrules.model.event import Event
from logrules.tools.expectations.expectation import Expectation, Progress, SeenLine, StepSeen, Unwanted
from logrules.tools.expectations.path_profile import PathProfile, Step

_MAX_TEXT = 400


class ExpectedPath:
    """Sees a job's events in order; ``outcome`` may be asked at any moment."""

    def __init__(self, profile: PathProfile) -> None:
        self._profile = profile
        self.pack = profile.pack
        self._order = 0
        self._first: dict[str, tuple[int, SeenLine]] = {}
        self._last: dict[str, int] = {}
        self._count: Counter[str] = Counter()

    def see(self, event: Event) -> None:
        """Take the next event."""
        self._order += 1
        carried = {hit.signal for hit in event.hits}
        for step in (*self._profile.steps, *self._profile.never):
            if not step.signals.isdisjoint(carried):
                self._first.setdefault(
                    step.id, (self._order, SeenLine(event.source, event.line, event.text[:_MAX_TEXT]))
                )
                self._last[step.id] = self._order
                self._count[step.id] += 1

    def outcome(self) -> Expectation:
        """How the job went so far."""
        reached = 0
        steps = []
        for step in self._profile.steps:
            progress = self._progress(step, reached)
            if progress is Progress.REACHED:
                reached = max(reached, self._first[step.id][0])
            seen = self._first.get(step.id)
            steps.append(StepSeen(step.id, step.title, progress, seen[1] if seen else None, step.hint))
        unwanted = tuple(
            Unwanted(one.id, one.title, self._count[one.id], self._first[one.id][1])
            for one in self._profile.never
            if one.id in self._first
        )
        return Expectation(self._profile.id, self._profile.title, tuple(steps), unwanted)

    def _progress(self, step: Step, reached: int) -> Progress:
        if step.id not in self._first:
            return Progress.LEFT_OUT if step.optional else Progress.MISSING
        if self._last[step.id] < reached:
            return Progress.LEFT_OUT if step.optional else Progress.EARLY
        return Progress.REACHED
