"""One rule tried on one job's logs: what each signal hit, how the condition changed, and the result."""

from enum import StrEnum

from logrules.model.record import record
from logrules.model.test_result import Clause


class RejectReason(StrEnum):
    """Why a line with a signal's words does not match."""

    PATTERN = "pattern"
    VETO = "veto"


@record
class SignalHit:
    """A line that a signal hit, with its captures; or, with ``refused``, one that has its words alone."""

    source: str
    line: int
    text: str
    captures: tuple[tuple[str, str], ...] = ()
    refused: RejectReason | None = None


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
