"""Expect profiles: what a healthy run of a recipe shows, in order, and what it does not. YAML, checked like rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from logrules.model.errors import LogrulesError, PackError
from logrules.model.position import Problem
from logrules.model.report import Text
from logrules.ruleset import models as schema
from logrules.ruleset.load import shipped_rules
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.schema_problems import problems_of
from logrules.ruleset.yaml_reader import Document, Unreadable, read_document


class PathStepFile(schema.Strict):
    """A step of a healthy run: ``lines`` of its own, or ``markers`` that the rules know; any of them will do.

    An ``optional`` step may be left out. ``hint`` says where to look when the step is missing.
    """

    id: schema.Name
    title: schema.TextFile
    lines: schema.SignalFile | None = None
    markers: list[str] = Field(default_factory=list)
    optional: bool = False
    hint: schema.TextFile | None = None

    @model_validator(mode="after")
    def _can_be_seen(self) -> Self:
        if self.lines is None and not self.markers:
            raise ValueError("a step needs `lines` or `markers`")
        return self


class NeverFile(schema.Strict):
    """Lines that a healthy run does not show."""

    id: schema.Name
    title: schema.TextFile
    lines: schema.SignalFile


class ProfileFile(schema.Strict):
    """rules/expect/<recipe>.yaml."""

    expect: schema.Name
    title: schema.TextFile
    steps: list[PathStepFile] = Field(min_length=1)
    never: list[NeverFile] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """A step, or something that must not be seen, with the signals (indices into the pack's) that show it."""

    id: str
    title: Text
    signals: frozenset[int]
    optional: bool = False
    hint: Text = Text()  # noqa: RUF009 (frozen)


@dataclass(frozen=True, slots=True)
class PathProfile:
    """A profile made ready: its steps in order, and the pack that also looks for its lines."""

    id: str
    title: Text
    steps: tuple[Step, ...]
    never: tuple[Step, ...]
    pack: Pack


def load_profile(name: str, pack: Pack) -> PathProfile:
    """The profile in a file, or a shipped one by its name. Raises PackError or LogrulesError in one sentence."""
    path = _found(name)
    try:
        document = read_document(path, str(path))
        file = ProfileFile.model_validate(document.data)
    except Unreadable as fault:
        raise PackError([fault.problem]) from None
    except ValidationError as fault:
        raise PackError(list(problems_of(document, fault, ProfileFile))) from None
    return _ready(file, document, pack)


def shipped_profiles() -> list[Path]:
    """The profiles that come with logrules."""
    return sorted((shipped_rules() / "expect").glob("*.yaml"))


def _found(name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    known = {path.stem: path for path in shipped_profiles()}
    path = known.get(Path(name).stem)
    if path is None:
        raise LogrulesError(f"{name}: no such profile; shipped ones are {', '.join(known)}")
    return path


def _ready(file: ProfileFile, document: Document, pack: Pack) -> PathProfile:
    signals = list(pack.signals)
    markers = {marker.id: marker.signal for marker in pack.markers}

    def own(name: str, lines: schema.SignalFile | None) -> Iterator[int]:
        if lines is not None:
            signals.append(Signal(f"{file.expect}:{name}", tuple(lines.contains), lines.pattern, lines.except_))
            yield len(signals) - 1

    problems = list(_unknown_markers(file, document, markers))
    if problems:
        raise PackError(problems)
    steps = tuple(
        Step(
            step.id,
            _text(step.title),
            frozenset((*own(step.id, step.lines), *(markers[name] for name in step.markers))),
            step.optional,
            _text(step.hint),
        )
        for step in file.steps
    )
    never = tuple(Step(one.id, _text(one.title), frozenset(own(one.id, one.lines))) for one in file.never)
    # The pack is another one by its signals; nothing is cached under its digest.
    whole = replace(pack, signals=tuple(signals))
    return PathProfile(file.expect, _text(file.title), steps, never, whole)


def _unknown_markers(file: ProfileFile, document: Document, markers: dict[str, int]) -> Iterator[Problem]:
    for number, step in enumerate(file.steps):
        for index, name in enumerate(step.markers):
            if name not in markers:
                yield Problem(document.place(("steps", number, "markers", index)), f"unknown marker `{name}`")
    seen: Sequence[str] = [step.id for step in file.steps]
    for number, step in enumerate(file.steps):
        if step.id in seen[:number]:
            yield Problem(document.place(("steps", number, "id")), f"there are two steps `{step.id}`")


def _text(file: schema.TextFile | None) -> Text:
    return Text(file.en, file.zh) if file is not None else Text()
