"""What a `when` means: frozen condition types, no parsing and no state.

Signals are numbers into ``Pack.signals``; a tuple of them stands for "any of these".
Durations are seconds. Windows are half-open: b follows a within w if t_b < t_a + w.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from logrules.model.record import record, replace

Signals: TypeAlias = tuple[int, ...]


class Trend(StrEnum):
    """How the last samples of a metric move."""

    FLAT = "flat"
    RISING = "rising"


class NotANumber(StrEnum):
    """The two ways in which a metric stops being a number."""

    NAN = "nan"
    INF = "inf"


class Detection(StrEnum):
    """What a job that says nothing of it shows; ``SILENT``, ``UNSTARTED`` and ``OVERDUE`` only live.

    ``QUIET``: no line arrived for so long. ``POLLING``: for so long nothing moved, and lines said again and again only
    that their writer waits. ``STOPPED``: the log ends in mid-run, without completion, error or open wait. ``SILENT``:
    nothing at all was written for so long since the job was first looked at. ``UNSTARTED``: lines came, no loop was
    entered and no known wait is open, and then nothing for so long. ``OVERDUE``: the loop has not moved for longer than
    its own rhythm allows, neither here nor on any other worker. ``LAGGING``: a worker's steps stay away for longer than
    its rhythm allows while those of its peers come; in the end, or once a peer is done: it says nothing while most of
    its peers count on, by more steps than the workers of the job are apart. ``MISSED``: by the dumps of their flight
    recorders some ranks never called a collective that others wait in. ``MISMATCHED``: by these they called another
    than the others did, in operation or size, or one more; or another by the lines of watchdogs that ran out of time.
    """

    QUIET = "quiet"
    POLLING = "polling"
    STOPPED = "stopped"
    SILENT = "silent"
    UNSTARTED = "unstarted"
    OVERDUE = "overdue"
    LAGGING = "lagging"
    MISSED = "missed"
    MISMATCHED = "mismatched"


@record
class Occurred:
    """Any of the signals was seen."""

    signals: Signals


@record
class Sequence:
    """The steps were seen in order, the last within ``within_s`` of the first.

    They are told by one worker, in one failure or a few lines apart, unless ``anywhere``.
    """

    steps: tuple[Signals, ...]
    within_s: float | None = None
    anywhere: bool = True


@record
class Absence:
    """``after`` was seen and ``missing`` did not follow, in time or before the end."""

    after: Signals
    missing: Signals
    within_s: float | None = None


@record
class Repeated:
    """The signals were seen at least ``least`` times, within ``within_s`` where given."""

    signals: Signals
    least: int
    within_s: float | None = None


@record
class Waiting:
    """The wait is open: past its patience, or at the end of a saved log."""

    wait: str


@record
class Detector:
    """What no line says: the engine detects it by itself, of some kinds after ``longer_than_s``.

    ``says`` is what the lines must say that tell of a wait, where the rule is about some of them only.
    """

    kind: Detection
    longer_than_s: float = 0.0
    says: str | None = None


@record
class MetricIs:
    """The metric was printed as NaN or infinite and, where it ``stays`` so, has been no number since."""

    metric: str
    kind: NotANumber
    stays: bool = False


@record
class MetricBound:
    """All of the last ``over`` samples are above (or below) ``bound``."""

    metric: str
    above: bool
    bound: float
    over: int = 1


@record
class MetricSpike:
    """A sample is above ``factor`` times (or below it) the median of the ``over`` before it."""

    metric: str
    above: bool
    factor: float
    over: int


@record
class MetricTrend:
    """The last ``over`` samples do not move, or only rise."""

    metric: str
    trend: Trend
    over: int


@record
class Every:
    """All parts hold; what was seen for them is told by one worker, in one failure or near, unless ``anywhere``."""

    parts: tuple["Condition", ...]
    anywhere: bool = True


@record
class Some:
    """At least one part holds."""

    parts: tuple["Condition", ...]


@record
class Not:
    """The part does not hold."""

    part: "Condition"


@record
class Supported:
    """The part holds; the evidence adds lines and captures to it, and decides nothing."""

    part: "Condition"
    evidence: tuple["Occurred | Sequence", ...]


Metrical: TypeAlias = MetricIs | MetricBound | MetricSpike | MetricTrend
Stillness: TypeAlias = Waiting | Detector
Leaf: TypeAlias = Occurred | Sequence | Absence | Repeated | Stillness | Metrical
Condition: TypeAlias = Leaf | Every | Some | Not | Supported


def parts_of(condition: Condition) -> tuple["Condition", ...]:
    """What a condition joins, negates or adds evidence to; nothing for a leaf."""
    match condition:
        case Every(parts) | Some(parts):
            return parts
        case Not(part) | Supported(part):
            return (part,)
        case _:
            return ()


def with_parts(condition: Condition, parts: Iterable[Condition]) -> Condition:
    """The condition with these in the place of its parts."""
    match condition:
        case Every() | Some():
            return replace(condition, parts=tuple(parts))
        case Not() | Supported():
            (part,) = parts
            return replace(condition, part=part)
        case _:
            return condition


def leaves(condition: Condition) -> tuple[Leaf, ...]:
    """Every leaf of the condition, from left to right."""
    match condition:
        case Every() | Some() | Not() | Supported():
            evidence = condition.evidence if isinstance(condition, Supported) else ()
            return (*(leaf for part in parts_of(condition) for leaf in leaves(part)), *evidence)
        case _:
            return (condition,)


def near(condition: Condition) -> Condition:
    """The same, of parts that must be told together."""
    match condition:
        case Every() | Some():
            found = with_parts(condition, map(near, condition.parts))
            return replace(found, anywhere=False) if isinstance(found, Every) else found
        case Sequence():
            return replace(condition, anywhere=False)
        case _:
            return condition


def positive(condition: Condition) -> bool:
    """Whether something must have happened for the condition to hold."""
    match condition:
        case Every(parts):
            return any(positive(part) for part in parts)
        case Some(parts):
            return all(positive(part) for part in parts)
        case Not():
            return False
        case Supported(part):
            return positive(part)
        case _:
            return True


def signals_of(leaf: Leaf) -> Signals:
    """The signals that can change a leaf."""
    match leaf:
        case Occurred(signals) | Repeated(signals):
            return signals
        case Sequence(steps):
            return tuple(signal for step in steps for signal in step)
        case Absence(after, missing):
            return after + missing
        case _:
            return ()


def all_signals(condition: Condition) -> Signals:
    """Every signal that can change the condition, once, from left to right."""
    return tuple(dict.fromkeys(signal for leaf in leaves(condition) for signal in signals_of(leaf)))


def counts_of(leaf: Leaf) -> tuple[int, ...]:
    """The numbers of lines or samples that a leaf asks for."""
    match leaf:
        case Repeated(least=count):
            return (count,)
        case MetricBound(over=count) | MetricSpike(over=count) | MetricTrend(over=count):
            return (count,)
        case _:
            return ()


def joint(condition: Condition) -> tuple[Every, ...]:
    """Every conjunction in the condition whose parts must be told together."""
    own = (condition,) if isinstance(condition, Every) and not condition.anywhere else ()
    return (*own, *(found for part in parts_of(condition) for found in joint(part)))


def demands(condition: Condition) -> int:
    """How many things must agree for the condition to hold, at the most demanding of its alternatives."""
    match condition:
        case Every(parts):
            return sum(map(demands, parts))
        case Some(parts):
            return max(map(demands, parts))
        case Supported(part):
            return demands(part)
        case Sequence(steps):
            return len(steps)
        case _:
            return 1
