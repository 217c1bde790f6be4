"""How a run went against the path that was expected of it."""

from dataclasses import dataclass
from enum import StrEnum

from logrules.model.report import Text


class Progress(StrEnum):
    """What became of a step: ``early`` where it was only seen before the step that it should follow."""

    REACHED = "reached"
    MISSING = "missing"
    EARLY = "early"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class SeenLine:
    """Where a line was."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class StepSeen:
    """A step and what became of it; ``seen`` is its first line."""

    id: str
    title: Text
    progress: Progress
    seen: SeenLine | None = None
    hint: Text = Text()  # noqa: RUF009 (frozen)


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Lines that should not have been there: the first, and how many."""

    id: str
    title: Text
    count: int
    first: SeenLine


@dataclass(frozen=True, slots=True)
class Expectation:
    """A profile held against a log."""

    profile: str
    title: Text
    steps: tuple[StepSeen, ...]
    unwanted: tuple[Unwanted, ...]

    @property
    def left_at(self) -> StepSeen | None:
        """Where the run left the expected path: the step behind the last that was reached.

        That may be an optional step: between two that were both missed, the earlier is nearer to the trouble.
        """
        missed = self._first_missed()
        if missed is None:
            return None
        for number in range(missed, 0, -1):
            if self.steps[number - 1].progress is Progress.REACHED:
                return self.steps[number]
        return self.steps[0]

    @property
    def last_reached(self) -> StepSeen | None:
        """The last step that was reached before the run left the path."""
        missed = self._first_missed()
        before = self.steps if missed is None else self.steps[:missed]
        return next((step for step in reversed(before) if step.progress is Progress.REACHED), None)

    @property
    def met(self) -> bool:
        """Whether the run kept to the path and showed nothing unwanted."""
        return self._first_missed() is None and not self.unwanted

    def _first_missed(self) -> int | None:
        lost = (Progress.MISSING, Progress.EARLY)
        return next((number for number, step in enumerate(self.steps) if step.progress in lost), None)
