"""One rule held against one job's logs: what each signal hit, how the condition went, what came of it."""

from enum import StrEnum

from logrules.model.record import record
from logrules.model.test_result import Clause


class RejectReason(StrEnum):
    """Why a line with a signal's words is not counted."""

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
    """The first lines that a signal hit and that it refused, and how many there were of each."""

    name: str
    words: tuple[str, ...]
    hits: tuple[SignalHit, ...]
    count: int
    refused: tuple[SignalHit, ...]
    refused_count: int


@record
class Transition:
    """A part of the condition that began or ceased to hold, after this line; at the end where ``line`` is None."""

    source: str
    line: int | None
    text: str
    holds: bool
    reason: str


@record
class Trial:
    """What a rule makes of a job.

    ``clauses`` are its condition at the end. ``fired`` says whether the
    condition holds, ``place`` what the report makes of that: its number among the diagnoses (from 1), None where it
    is none of them; ``behind`` is the diagnosis that explains it.
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
