"""The tests that rule files carry, as plain data: examples of rules and waits, samples of rows of tables."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

from logrules.model.position import Position
from logrules.model.record import field, record
from logrules.model.test_result import CaseFailure, Result


@record
class WantedDiagnosis:
    """What one diagnosis must say; None where it does not matter."""

    rule: str | None = None
    cause: str | None = None
    phase: str | None = None
    ranks: tuple[int, ...] | None = None
    hosts: tuple[str, ...] | None = None
    evidence: str | None = None
    captures: Mapping[str, str] = field(default_factory=dict)


@record
class OwnTest:
    """The ``number``-th test of one kind that a rule, marker, metric, header or row carries, and where it stands."""

    kind: ClassVar[str] = "sample"

    owner: str
    number: int
    place: Position

    @property
    def name(self) -> str:
        """What a result calls it."""
        return f"{self.owner} {self.kind} {self.number}"

    def result(self, faults: Iterable[CaseFailure] = ()) -> Result:
        """What came of it."""
        return Result(self.kind, self.owner, self.name, self.place, tuple(faults))


@record
class Example(OwnTest):
    """Lines of a rule's own, a silence (seconds) after them where the log is live, and whether the rule then holds.

    ``dumps`` are what the flight recorders of the ranks hold, from rank 0 on.
    """

    kind: ClassVar[str] = "example"

    log: str
    quiet_s: float | None
    fires: bool
    wanted: WantedDiagnosis | None = None
    dumps: tuple[str, ...] = ()


@record
class Sample(OwnTest):
    """A text that a row of a ``table`` carries: ``expected`` is what the row must read from it, if it reads anything.

    A row must not know a text that is ``near``.
    """

    table: str
    text: str
    expected: Any = None
    near: bool = False

    @property
    def row(self) -> str:
        """The id of the row in its table."""
        return self.owner.partition("/")[2]


# The tests that a set of rule files carries; the examples of one rule stand together.
Suite: TypeAlias = tuple[Example | Sample, ...]


def examples_of(suite: Suite) -> tuple[Example, ...]:
    """Those of rules and waits."""
    return tuple(one for one in suite if isinstance(one, Example))
