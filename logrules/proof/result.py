"""How a test went: plain data that processes hand on and renderers show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from logrules.model.place import Place
from logrules.reason.explain_condition import Part


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
class Fault:
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
    place: Place
    faults: tuple[Fault, ...] = ()
    reason: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether it went as it should."""
        if not self.faults:
            return Outcome.PASSED
        return Outcome.EXPECTED_MISS if self.reason is not None else Outcome.FAILED


def clauses_of(part: Part, depth: int = 0) -> Iterator[Clause]:
    """The condition's parts, each under what it is a part of."""
    yield Clause(depth, part.text, part.holds, part.reason)
    for inner in part.parts:
        yield from clauses_of(inner, depth + 1)


def failed(results: Sequence[Result]) -> bool:
    """Whether anything went wrong."""
    return any(result.outcome is Outcome.FAILED for result in results)
