"""Fixture cases as plain data, read from their folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.report import Status
from logrules.ruleset.bounded_read import read_named
from logrules.ruleset.load import CASE_NAME
from logrules.ruletest.harness import Arrives, Passes
from logrules.ruletest.suite import WantedDiagnosis

if TYPE_CHECKING:
    from logrules.ruleset.case_models import CaseFile, CaseStepFile, MomentFile

_LOGS = frozenset({".log", ".txt"})
MAX_LOG_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class ExpectedDiagnosis:
    """What a report must say: a status, its first diagnoses in order, and what holds nowhere."""

    status: Status | None = None
    diagnoses: tuple[WantedDiagnosis, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What must be so at a point of a live script. ``stall`` is "" where the job must not be stuck."""

    place: Position
    wants: ExpectedDiagnosis
    stall: str | None = None
    raised: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    quietly: bool = False


@dataclass(frozen=True, slots=True)
class Ends:
    """Nothing more comes."""


ScriptStep: TypeAlias = Arrives | Passes | Ends | Checkpoint


@dataclass(frozen=True, slots=True)
class Label:
    """What an expert would say of the first diagnosis."""

    causes: tuple[str, ...]
    never: tuple[str, ...] = ()
    evidence: str | None = None
    culprit_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One case: logs or a script, and what must come of them."""

    name: str
    place: Position
    logs: tuple[Path, ...]
    script: tuple[ScriptStep, ...] = ()
    healthy: bool = False
    label: Label | None = None
    wants: ExpectedDiagnosis = ExpectedDiagnosis()
    expected_miss: str | None = None

    @property
    def owner(self) -> str:
        """What ``-k`` looks at."""
        return self.name

    @property
    def folder(self) -> Path:
        """The folder that it and its logs are in."""
        return Path(self.place.path).resolve().parent

    @property
    def plain(self) -> bool:
        """Whether its logs are texts as they stand, neither packed nor of an unknown kind."""
        return all(path.suffix in _LOGS for path in self.logs)


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
    from pydantic import ValidationError

    from logrules.ruleset.case_models import CaseFile
    from logrules.ruleset.schema_problems import problems_of
    from logrules.ruleset.yaml_reader import Unreadable, read_document

    try:
        document = read_document(path, str(path))
    except Unreadable as fault:
        raise PackError([fault.problem]) from None
    if not isinstance(document.data, dict):
        raise PackError([Problem(document.place(()), "is not a mapping of keys to values")])
    try:
        file = CaseFile.model_validate(document.data)
    except ValidationError as fault:
        raise PackError(list(problems_of(document, fault, CaseFile))) from None
    steps = tuple(_step(step, document.place(("script", index))) for index, step in enumerate(file.script))
    return Case(
        name=path.parent.name,
        place=Position(str(path)),
        logs=() if steps else _logs(path, file),
        script=steps,
        healthy=file.kind == "healthy",
        label=_label(file),
        wants=_wants(file),
        expected_miss=file.expected_miss,
    )


def _logs(path: Path, file: "CaseFile") -> tuple[Path, ...]:
    folder = path.parent
    found = [folder / name for name in file.logs] or sorted(
        one for one in folder.iterdir() if one.suffix in _LOGS and one.is_file()
    )
    missing = [one.name for one in found if not one.is_file()]
    if missing or not found:
        what = f"there is no log `{missing[0]}`" if missing else "there is no log beside it and no `script` in it"
        raise PackError([Problem(Position(str(path)), what)])
    return tuple(found)


def _label(file: "CaseFile") -> Label | None:
    if file.cause is None:
        return None
    return Label((file.cause, *file.accept), tuple(file.not_), file.evidence, file.culprit_rank)


def _wants(file: "CaseFile | MomentFile") -> ExpectedDiagnosis:
    return file.to_record(ExpectedDiagnosis, diagnoses=tuple(one.to_record(WantedDiagnosis) for one in file.diagnoses))


def _step(step: "CaseStepFile", place: Position) -> ScriptStep:
    from logrules.ruleset.duration import seconds

    if step.quiet is not None:
        return Passes(seconds(step.quiet))
    if step.expect is not None:
        return _moment(step.expect, place)
    text = step.line if step.line is not None else step.lines
    return Ends() if text is None else Arrives(text.rstrip("\n") + "\n")


def _moment(file: "MomentFile", place: Position) -> Checkpoint:
    stall = "" if file.stall is False else file.stall
    return file.to_record(Checkpoint, place=place, wants=_wants(file), stall=stall)


def log_bytes(path: Path) -> bytes:
    """The log of a case, or of a corpus. Raises PackError where it is no regular file, too big or cannot be read."""
    return read_named(path, MAX_LOG_BYTES)


def lines_of(case: Case) -> Iterator[bytes]:
    """The bytes of everything that the case reads."""
    for path in case.logs:
        yield log_bytes(path)
    for step in case.script:
        if isinstance(step, Arrives):
            yield step.log.encode()
