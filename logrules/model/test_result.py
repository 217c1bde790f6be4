"""Results of tests, and how good the tests are: plain data for renderers, passed between processes."""

from collections.abc import Iterable
from enum import StrEnum

from logrules.model.position import Position
from logrules.model.record import record


class Outcome(StrEnum):
    """Passed, failed, or a miss that its case expects."""

    PASSED = "passed"
    FAILED = "failed"
    EXPECTED_MISS = "expected-miss"


@record
class Clause:
    """One part of a condition at a depth of brackets: its words, whether it held, and why."""

    depth: int
    text: str
    holds: bool
    reason: str


@record
class CaseFailure:
    """What a test expected and did not get: the line concerned, the condition, the nearest rule that fired."""

    message: str
    line: str | None = None
    clauses: tuple[Clause, ...] = ()
    nearest: str | None = None


@record
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
        """Whether the outcome is as expected."""
        if not self.faults:
            return Outcome.PASSED
        return Outcome.EXPECTED_MISS if self.reason is not None else Outcome.FAILED


@record
class Share:
    """How much of something was done."""

    done: int = 0
    all: int = 0

    @property
    def percent(self) -> float:
        """100 where there is nothing to do."""
        return 100.0 * self.done / self.all if self.all else 100.0


@record
class RuleCoverage:
    """What one rule's examples exercise and, each in a sentence, what they do not."""

    rule: str
    signals: Share
    branches: Share
    captures: Share
    missing: tuple[str, ...] = ()


@record
class MutationScore:
    """How many mutants of a rule its examples notice and, each in words, those that they do not."""

    rule: str
    path: str
    noticed: Share
    survivors: tuple[str, ...] = ()


def total(shares: Iterable[Share]) -> Share:
    """All shares as one."""
    known = tuple(shares)
    return Share(sum(share.done for share in known), sum(share.all for share in known))


@record
class Cost:
    """What one rule costs on a set of logs.

    ``tried`` lines had one of its literals, ``matched`` of them matched; ``seconds`` were spent in its patterns.
    ``lines`` is the total number of lines of the logs.
    """

    rule: str
    tried: int
    matched: int
    seconds: float
    lines: int
