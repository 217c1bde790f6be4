"""The tests that rule files carry, as plain data: examples of rules and waits, samples of markers and metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from logrules.model.position import Position


@dataclass(frozen=True, slots=True)
class WantedDiagnosis:
    """What one diagnosis must say; None where it does not matter."""

    rule: str | None = None
    cause: str | None = None
    phase: str | None = None
    ranks: tuple[int, ...] | None = None
    hosts: tuple[str, ...] | None = None
    evidence: str | None = None
    captures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """Lines of a rule's own, a silence (seconds) after them where the log is live, and whether the rule then holds."""

    owner: str
    number: int
    place: Position
    log: str
    quiet_s: float | None
    fires: bool
    wanted: WantedDiagnosis | None = None

    @property
    def name(self) -> str:
        """What a result calls it."""
        return f"{self.owner} example {self.number}"


@dataclass(frozen=True, slots=True)
class MarkerSample:
    """A line that a marker must recognise, or with ``carries`` False must not."""

    owner: str
    number: int
    place: Position
    signal: str
    line: str
    carries: bool

    @property
    def name(self) -> str:
        """What a result calls it."""
        return f"{self.owner} sample {self.number}"


@dataclass(frozen=True, slots=True)
class MetricSample:
    """A line and the number that a metric must read from it."""

    owner: str
    number: int
    place: Position
    signal: str
    line: str
    value: float
    scale: float

    @property
    def name(self) -> str:
        """What a result calls it."""
        return f"{self.owner} sample {self.number}"


@dataclass(frozen=True, slots=True)
class HeaderSample:
    """A line, and what peeling its prefixes must give by part: host, pid, rank, role, level, message and the like."""

    owner: str
    number: int
    place: Position
    line: str
    parts: Mapping[str, str | int | float | None]

    @property
    def name(self) -> str:
        """What a result calls it."""
        return f"{self.owner} sample {self.number}"


@dataclass(frozen=True, slots=True)
class Suite:
    """All tests that a set of rule files carries."""

    examples: tuple[Example, ...] = ()
    markers: tuple[MarkerSample, ...] = ()
    metrics: tuple[MetricSample, ...] = ()
    headers: tuple[HeaderSample, ...] = ()

    def within(self, shown: frozenset[str]) -> "Suite":
        """The tests in the files of these names."""
        return Suite(
            tuple(one for one in self.examples if one.place.path in shown),
            tuple(one for one in self.markers if one.place.path in shown),
            tuple(one for one in self.metrics if one.place.path in shown),
            tuple(one for one in self.headers if one.place.path in shown),
        )

    def joined(self, other: "Suite") -> "Suite":
        """These tests and the other's."""
        return Suite(
            (*self.examples, *other.examples),
            (*self.markers, *other.markers),
            (*self.metrics, *other.metrics),
            (*self.headers, *other.headers),
        )
