"""Results of tests, how good the tests are, and one rule tried on a job: data for renderers and other processes."""

from collections.abc import Iterable
from enum import StrEnum

from logrules.model.event import Stance
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


class RejectReason(StrEnum):
    """Why a line with a signal's words does not match, where that is not for its stance."""

    PATTERN = "pattern"
    VETO = "veto"


@record
class SignalHit:
    """A line that a signal hit, with its captures; or one that it ``refused`` for this reason or stance."""

    source: str
    line: int
    text: str
    captures: tuple[tuple[str, str], ...] = ()
    refused: RejectReason | Stance | None = None


@record
class SignalSeen:
    """The first lines that a signal hit and refused, and the number of each."""

    name: str
    words: tuple[str, ...]
    hits: tuple[SignalHit, ...]
    count: int
    refused: tuple[SignalHit, ...]
    refused_count: int


@record
class Transition:
    """A part of the condition that began or ceased to hold after this line; at the log's end if ``line`` is None."""

    source: str
    line: int | None
    text: str
    holds: bool
    reason: str


@record
class Trial:
    """The result of trying a rule on a job.

    ``clauses`` are its condition at the end. ``fired`` says whether the condition holds. ``place`` is its number
    among the report's diagnoses (from 1), or None; ``behind`` is the diagnosis that explains it.
    """

    rule: str
    when: str
    signals: tuple[SignalSeen, ...]
    turns: tuple[Transition, ...]
    clauses: tuple[Clause, ...]
    fired: bool
    place: int | None = None
    behind: str | None = None
    nearest: str | None = None
