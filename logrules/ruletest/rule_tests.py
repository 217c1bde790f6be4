"""The tests: examples of rules and waits and samples of rows, which rule files carry, and fixture cases.

The classes that say what a ``case.yaml`` may hold are the published schema (``logrules schema case``), as those of the
tables are.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import field, record, replace
from logrules.model.report import Status
from logrules.model.test_result import CaseFailure, Result
from logrules.ruleset.bounded_read import read_named
from logrules.ruleset.bounds import Duration, Len, LooksLike, Name
from logrules.ruleset.load import CASE_NAME


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


_LOGS = frozenset({".log", ".txt"})
MAX_LOG_BYTES = 200_000_000

Line = Annotated[str, Len(0, 100_000)]
FileName = Annotated[str, LooksLike(r"^[^/\\\x00]+$"), Len(1, 255)]


@record
class Moment:
    """What must be so at this point of a live script.

    ``raised`` and ``withdrawn`` are rules, or ``waits/<framework>/<wait>``, that began or ceased to hold since
    the last ``expect``; others may have too. ``quietly`` says that nothing was raised and nothing withdrawn.
    ``stall`` names the wait in which the job is stuck, or is false where it must not be stuck.
    """

    status: Status | None = None
    stall: str | Literal[False] | None = None
    raised: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    quietly: bool = False
    diagnoses: tuple[WantedDiagnosis, ...] = ()
    absent: tuple[str, ...] = ()


@record
class CaseStep:
    """One step of a live script: lines that arrive, a silence, the end, or what must be so now."""

    line: Line | None = None
    lines: Line | None = None
    quiet: Duration | None = None
    end: Literal[True] | None = None
    expect: Moment | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.line, self.lines, self.quiet, self.end, self.expect)) != 1:
            raise ValueError("a step is one of `line`, `lines`, `quiet`, `end` and `expect`")

    @property
    def arriving(self) -> str:
        """The lines that arrive, the last one ended too; empty where none do."""
        text = self.line if self.line is not None else self.lines
        return "" if text is None else text.rstrip("\n") + "\n"


@record
class CaseFile:
    """Logs of one job and what an expert would say of them.

    ``logs`` are file names in the same folder (default: every ``.log`` and ``.txt``), read as saved logs of one
    job; a ``script`` is a live job on a virtual clock instead. The first diagnosis must name ``cause`` or one
    of ``accept`` and none of ``not``, and show ``evidence``; ``culprit_rank`` is its first rank. A ``healthy``
    case must raise no alarm. ``diagnoses`` are the first diagnoses, in this order; ``absent`` are causes or
    rules that must hold nowhere. ``expected_miss`` gives the reason for which the rules get it wrong today:
    the case then fails once they get it right.
    """

    id: str | None = None
    source: str | None = None
    frameworks: tuple[Name, ...] = ()
    kind: Literal["healthy", "failure", "stall"] | None = None
    phase: str | None = None
    cause: Name | None = None
    accept: tuple[Name, ...] | None = ()
    not_: tuple[Name, ...] | None = ()
    evidence: str | None = None
    culprit_rank: int | None = None
    fix: str | None = None
    fix_keywords: tuple[str, ...] = ()
    lang: str | None = None
    captured: Mapping[str, Any] = field(default_factory=dict)
    logs: tuple[FileName, ...] = ()
    script: Annotated[tuple[CaseStep, ...], Len(0, 10_000)] = ()
    status: Status | None = None
    diagnoses: tuple[WantedDiagnosis, ...] = ()
    absent: tuple[str, ...] = ()
    expected_miss: Annotated[str, Len(1, 2_000)] | None = None

    def __post_init__(self) -> None:
        asserts = (self.kind == "healthy", self.cause, self.status, self.diagnoses, self.absent)
        if not any(asserts) and not any(step.expect for step in self.script):
            raise ValueError("expects nothing: give a `cause`, a `status`, `diagnoses`, `absent` or `kind: healthy`")

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that the first diagnosis may name; none where that does not matter."""
        return (self.cause, *(self.accept or ())) if self.cause is not None else ()


@record
class Case:
    """One case: logs or a script, and what must come of them; ``steps`` is where each step of the script stands."""

    name: str
    place: Position
    wants: CaseFile
    logs: tuple[Path, ...]
    steps: tuple[Position, ...] = ()

    @property
    def script(self) -> tuple[CaseStep, ...]:
        """The live job that it is; empty for one of saved logs."""
        return self.wants.script

    @property
    def owner(self) -> str:
        """What ``-k`` looks at."""
        return self.name

    @property
    def healthy(self) -> bool:
        """Whether it must raise no alarm."""
        return self.wants.kind == "healthy"

    @property
    def folder(self) -> Path:
        """The folder that it and its logs are in."""
        return Path(self.place.path).resolve().parent

    @property
    def plain(self) -> bool:
        """Whether its logs are texts as they stand, neither packed nor of an unknown kind."""
        return all(path.suffix in _LOGS for path in self.logs)


Test: TypeAlias = Example | Sample | Case


def find_cases(roots: Iterable[Path]) -> list[Path]:
    """Every case file at or below the roots, once each, in a stable order."""
    found = (path for root in roots for path in ([root] if root.is_file() else root.rglob(CASE_NAME)))
    return sorted({path for path in found if path.name == CASE_NAME})


def read_cases(paths: Iterable[Path]) -> tuple[Case, ...]:
    """The cases in these files. Raises PackError with every problem found."""
    cases: list[Case] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            cases.append(_read(path))
        except PackError as fault:
            problems += fault.problems
    if problems:
        raise PackError(problems)
    return tuple(cases)


def _read(path: Path) -> Case:
    from logrules.ruleset.file_adapter import checked_file

    document, file = checked_file(path, CaseFile)
    steps = tuple(document.place(("script", index)) for index, _ in enumerate(file.script))
    logs = () if steps else _logs(path, file)
    # How it was captured is for people.
    return Case(path.parent.name, Position(str(path)), replace(file, captured={}), logs, steps)


def _logs(path: Path, file: CaseFile) -> tuple[Path, ...]:
    folder = path.parent
    found = [folder / name for name in file.logs] or sorted(
        one for one in folder.iterdir() if one.suffix in _LOGS and one.is_file()
    )
    missing = [one.name for one in found if not one.is_file()]
    if missing or not found:
        what = f"there is no log `{missing[0]}`" if missing else "there is no log beside it and no `script` in it"
        raise PackError([Problem(Position(str(path)), what)])
    return tuple(found)


def log_bytes(path: Path) -> bytes:
    """The log of a case, or of a corpus. Raises PackError where it is no regular file, too big or cannot be read."""
    return read_named(path, MAX_LOG_BYTES)


def lines_of(case: Case) -> Iterator[bytes]:
    """The bytes of everything that the case reads."""
    for path in case.logs:
        yield log_bytes(path)
    yield from (step.arriving.encode() for step in case.script)
