"""How a test went: plain data that processes hand on and renderers show."""

from dataclasses import dataclass
from enum import StrEnum

from logrules.model.position import Position


class Outcome(StrEnum):
    """Passed, failed, or a miss that its case expects."""

    PASSED = "passed"
    FAILED = "failed"
    EXPECTED_MISS = "expected-miss"


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a condition at a depth of brackets: its words, whether it held, and why."""

    depth: int
    text: str
    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class CaseFailure:
    """What a test asks for and did not get: the line that it is about, the condition, the nearest rule that fired."""

    message: str
    line: str | None = None
    clauses: tuple[Clause, ...] = ()
    nearest: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One test's outcome. ``kind`` is "example", "sample" or "case"; ``reason`` says why a miss is expected."""

    kind: str
    owner: str
    name: str
    place: Position
    faults: tuple[CaseFailure, ...] = ()
    reason: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether it went as it should."""
        if not self.faults:
            return Outcome.PASSED
        return Outcome.EXPECTED_MISS if self.reason is not None else Outcome.FAILED
