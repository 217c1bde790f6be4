"""Profiles of healthy runs, a job followed along one, and how it went."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from logrules.model.errors import LogrulesError, PackError
from logrules.model.event import Event
from logrules.model.position import Problem
from logrules.model.report import Text
from logrules.ruleset.file_adapter import checked_file
from logrules.ruleset.framework_models import ProfileFile, TextFile
from logrules.ruleset.load import shipped_rules
from logrules.ruleset.models import SignalFile
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.yaml_reader import Document

_MAX_TEXT = 400


class Progress(StrEnum):
    """What became of a step: ``early`` where it was only seen before the step that it should follow."""

    REACHED = "reached"
    MISSING = "missing"
    EARLY = "early"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class SeenLine:
    """Where a line was."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class StepSeen:
    """A step and what became of it; ``seen`` is its first line."""

    id: str
    title: Text
    progress: Progress
    seen: SeenLine | None = None
    hint: Text = Text()  # noqa: RUF009 (frozen)


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Lines that should not have been there: the first, and how many."""

    id: str
    title: Text
    count: int
    first: SeenLine


@dataclass(frozen=True, slots=True)
class Expectation:
    """A profile held against a log."""

    profile: str
    title: Text
    steps: tuple[StepSeen, ...]
    unwanted: tuple[Unwanted, ...]

    @property
    def left_at(self) -> StepSeen | None:
        """Where the run left the expected path: the step behind the last that was reached.

        That may be an optional step: between two that were both missed, the earlier is nearer to the trouble.
        """
        missed = self._first_missed()
        if missed is None:
            return None
        for number in range(missed, 0, -1):
            if self.steps[number - 1].progress is Progress.REACHED:
                return self.steps[number]
        return self.steps[0]

    @property
    def last_reached(self) -> StepSeen | None:
        """The last step that was reached before the run left the path."""
        missed = self._first_missed()
        before = self.steps if missed is None else self.steps[:missed]
        return next((step for step in reversed(before) if step.progress is Progress.REACHED), None)

    @property
    def met(self) -> bool:
        """Whether the run kept to the path and showed nothing unwanted."""
        return self._first_missed() is None and not self.unwanted

    def _first_missed(self) -> int | None:
        lost = (Progress.MISSING, Progress.EARLY)
        return next((number for number, step in enumerate(self.steps) if step.progress in lost), None)


@dataclass(frozen=True, slots=True)
class Step:
    """A step, or something that must not be seen, with the signals (indices into the pack's) that show it."""

    id: str
    title: Text
    signals: frozenset[int]
    optional: bool = False
    hint: Text = Text()  # noqa: RUF009 (frozen)


@dataclass(slots=True)
class ExpectedPath:
    """A profile made ready: its steps in order, what must not be seen, and the pack that also looks for its lines.

    It sees a job's events in order; ``outcome`` may be asked at any moment.
    """

    id: str
    title: Text
    steps: tuple[Step, ...]
    never: tuple[Step, ...]
    pack: Pack
    _order: int = 0
    _first: dict[str, tuple[int, SeenLine]] = field(default_factory=dict)
    _last: dict[str, int] = field(default_factory=dict)
    _count: Counter[str] = field(default_factory=Counter)

    def see(self, event: Event) -> None:
        """Take the next event."""
        self._order += 1
        carried = {hit.signal for hit in event.hits}
        for step in (*self.steps, *self.never):
            if not step.signals.isdisjoint(carried):
                self._first.setdefault(
                    step.id, (self._order, SeenLine(event.source, event.line, event.text[:_MAX_TEXT]))
                )
                self._last[step.id] = self._order
                self._count[step.id] += 1

    def outcome(self) -> Expectation:
        """How the job went so far."""
        reached = 0
        steps = []
        for step in self.steps:
            progress = self._progress(step, reached)
            if progress is Progress.REACHED:
                reached = max(reached, self._first[step.id][0])
            seen = self._first.get(step.id)
            steps.append(StepSeen(step.id, step.title, progress, seen[1] if seen else None, step.hint))
        unwanted = tuple(
            Unwanted(one.id, one.title, self._count[one.id], self._first[one.id][1])
            for one in self.never
            if one.id in self._first
        )
        return Expectation(self.id, self.title, tuple(steps), unwanted)

    def _progress(self, step: Step, reached: int) -> Progress:
        if step.id not in self._first:
            return Progress.LEFT_OUT if step.optional else Progress.MISSING
        if self._last[step.id] < reached:
            return Progress.LEFT_OUT if step.optional else Progress.EARLY
        return Progress.REACHED


def load_profile(name: str, pack: Pack) -> ExpectedPath:
    """The profile in a file, or a shipped one by its name. Raises PackError or LogrulesError in one sentence."""
    document, file = checked_file(_found(name), ProfileFile)
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


def _ready(file: ProfileFile, document: Document, pack: Pack) -> ExpectedPath:
    signals: list[Signal] = []
    markers = {marker.id: marker.signal for marker in pack.markers}

    def own(name: str, lines: SignalFile | None) -> Iterator[int]:
        if lines is not None:
            signals.append(Signal(f"{file.expect}:{name}", tuple(lines.contains), lines.pattern, lines.except_))
            yield len(pack.signals) + len(signals) - 1

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
    return ExpectedPath(file.expect, _text(file.title), steps, never, pack.with_signals(signals))


def _unknown_markers(file: ProfileFile, document: Document, markers: dict[str, int]) -> Iterator[Problem]:
    for number, step in enumerate(file.steps):
        for index, name in enumerate(step.markers):
            if name not in markers:
                yield Problem(document.place(("steps", number, "markers", index)), f"unknown marker `{name}`")
    seen: Sequence[str] = [step.id for step in file.steps]
    for number, step in enumerate(file.steps):
        if step.id in seen[:number]:
            yield Problem(document.place(("steps", number, "id")), f"there are two steps `{step.id}`")


def _text(file: TextFile | None) -> Text:
    return Text(file.en, file.zh) if file is not None else Text()
