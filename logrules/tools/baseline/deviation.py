"""How a log differs from logs of good runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewKind:
    """A kind of line that no good run has: its first line here, and how often it came."""

    source: str
    line: int
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class MissingKind:
    """A kind of line that every good run has and this one does not: an example from a good run."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Measure:
    """The median of a metric here and in the good runs; ``ratio`` is the first by the second."""

    metric: str
    here: float
    good: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """What is new (the most unusual first), what is missing (in the order of a good run), what was measured.

    ``familiar`` is the share of lines, 0 to 1, of kinds that good runs have too. ``kinds_left_out`` says that there
    were more kinds of lines than are kept apart.
    """

    runs: int
    familiar: float
    new: tuple[NewKind, ...] = ()
    missing: tuple[MissingKind, ...] = ()
    measures: tuple[Measure, ...] = ()
    new_kinds: int = 0
    missing_kinds: int = 0
    kinds_left_out: bool = False
