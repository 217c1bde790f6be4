"""The table of causes: in which tiers they explain each other, and what a failure that nothing knows may be."""

from typing import Annotated, Literal, TypeAlias

from logrules.model.record import record
from logrules.model.report import Restart, Severity
from logrules.ruleset.bounds import Len, Pattern

Label = Annotated[str, Len(1, 80)]
# Whom a diagnosis points at, and what shows that a run survived what it is of.
Culprit: TypeAlias = Literal["reporter", "absent", "captured", "none"]
ClearedBy: TypeAlias = Literal["progress", "completion", "nothing"]


@record
class Tier:
    """A layer of causes; those of an earlier tier explain what those of a later one tell afterwards.

    Causes of an ``always`` tier explain whatever their time, since they are often told late (by the kernel, by a
    scheduler); those of a ``reaction`` tier are explained at any time, since they are often told first. What those of
    a ``made`` tier find missing or broken, a program that ran earlier in the same job may have failed to make.
    """

    id: Label
    always: bool = False
    reaction: bool = False
    made: bool = False


@record
class Cause:
    """What rules and tables may name as the cause of a failure.

    ``tier`` is one of the table's ``tiers``: a cause explains those of later tiers. ``phase`` is where it happens if
    nothing tells. ``culprit``: whom it points at, the one who reports it, who is absent, who is captured, or nobody.
    An ``abrupt`` one ends all processes at once: how they react, right behind it, is its doing.
    An ``asynchronous`` one is reported by the calls that come next, down to those that clean up: that these belong to
    the end of the process does not tell where it happened.
    One that ``ends_stalls`` is how people and schedulers end what has stood still for too long.
    ``cleared_by``: what shows that the run survived it. A ``stall`` says that the run does not move. ``fixes`` are
    steps of fixes/ for what a table recognised. ``quotes`` are steps that put to use what the message itself says
    (the remedy that it names, the values that it offers): every rule of the cause shows them before its first step
    that nothing in the log chose, and behind the first one that it names itself.
    """

    id: Label
    family: Label
    tier: Label
    title: Label
    about: str
    phase: str | None = None
    severity: Severity = Severity.ERROR
    restart: Restart = Restart.AFTER_FIX
    culprit: Culprit = "reporter"
    cleared_by: ClearedBy = "progress"
    stall: bool = False
    abrupt: bool = False
    asynchronous: bool = False
    ends_stalls: bool = False
    checks: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@record
class Alternative:
    """A cause that it may have; ``why`` is what would tell it from the others, ``fixes`` the steps, else the cause's.

    ``raised_by`` is whose code must have raised: the user's ``own`` or a ``library``, or either where it is empty.
    """

    cause: Label
    title: str
    why: str
    fixes: tuple[Label, ...] = ()
    raised_by: str = ""


@record
class AlternativesRow:
    """What a failure may be of which only a cause in ``of`` is known: the first row that fits is shown.

    ``phases``, ``classes`` (of exceptions, and what inherits from them) and the ``words`` of what a log ends in narrow
    it where they are given; ``raised`` asks that an exception was told at all.
    """

    id: Label
    of: tuple[Label, ...]
    may_be: Annotated[tuple[Alternative, ...], Len(1, 2)]
    phases: tuple[Label, ...] = ()
    classes: tuple[Label, ...] = ()
    raised: bool = False
    words: Pattern | None = None
