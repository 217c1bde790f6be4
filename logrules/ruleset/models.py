"""What rule, framework and fix files may say: pydantic models, unknown keys refused.

These models are the published schema (``logrules schema rule`` and so on) and are
imported only while rule files are read; a cached pack never needs them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from logrules.model.event import Stance
from logrules.model.report import Restart, Risk, Severity
from logrules.ruleset.bounds import Duration, Name, Pattern, SearchedText
from logrules.ruleset.causes import ClearedBy, Culprit
from logrules.ruleset.condition import Detection

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")

RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)+$", max_length=120)]
SignalName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]


class Strict(BaseModel):
    """A document whose unknown keys are faults."""

    # Built when first used: most runs read files of one or two kinds.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def to_record(self, kind: type[Record], **other: Any) -> Record:
        """What a pack keeps of it: the fields that the record has too, lists as tuples; and ``other`` fields."""
        return kind(**{**self._fields_of(kind), **other})

    def laid_over(self, record: Record) -> Record:
        """The record with what is said here in the place of what it says."""
        said = self._fields_of(type(record))
        return replace(record, **{name: value for name, value in said.items() if value is not None})

    def _fields_of(self, kind: "type[DataclassInstance]") -> dict[str, Any]:
        names = {member.name for member in fields(kind)}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in self if name in names}


def listed(value: object) -> object:
    """One text stands for a list of it."""
    return [value] if isinstance(value, str) else value


def _texts(value: object) -> object:
    """The values of a mapping as they would be typed: YAML reads numbers and truth values out of them."""
    return {key: _typed(item) for key, item in value.items()} if isinstance(value, dict) else value


def _typed(item: object) -> object:
    if isinstance(item, bool):
        return str(item).lower()
    return str(item) if isinstance(item, int | float) else item


Sentence = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Log = Annotated[str, StringConstraints(max_length=20_000)]
TextMap = Annotated[dict[str, str], BeforeValidator(_texts)]


class TextFile(Strict):
    """A sentence for people, in English and, if somebody reads it in Chinese, in Chinese."""

    en: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    zh: Annotated[str, StringConstraints(max_length=2000)] = ""


class SignalFile(Strict):
    """How a telling line is recognised; a list of texts, or one text, stands for ``contains`` alone.

    ``contains`` are literals, any of which makes the line a candidate: the longest texts
    that the framework's own source prints unchanged. ``pattern`` (``regex`` syntax, under
    a limit of work) then has to be found in the bare message or else in the whole line; its named
    groups are captures. ``except`` is a pattern that vetoes the line. ``in: traceback`` asks whole tracebacks
    instead of lines. ``stance`` lists the kinds of statements that count, or is `any`: facts alone otherwise.
    The captures ``rank`` and ``host`` name the culprit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=True)

    contains: Annotated[list[SearchedText], BeforeValidator(listed)] = Field(default_factory=list, max_length=64)
    in_: Literal["traceback"] | None = Field(default=None, alias="in")
    pattern: Pattern | None = None
    except_: Pattern | None = Field(default=None, alias="except")
    stance: Literal["any"] | list[Stance] = Field(default_factory=lambda: [Stance.FACT])

    @model_validator(mode="after")
    def _has_an_origin(self) -> "SignalFile":
        if bool(self.contains) == bool(self.in_):
            raise ValueError("a signal needs either `contains` or `in`")
        return self

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The kinds of statements that count; none for all of them."""
        return () if self.stance == "any" else tuple(self.stance)


class EvidenceFile(SignalFile):
    """Lines that add captures and certainty to a rule that holds: those ``after`` another signal, where it is named."""

    after: SignalName | None = None


def _spelled_out(value: object) -> object:
    return {"contains": value} if isinstance(value, str | list) else value


_Brief: TypeAlias = list[SearchedText] | SearchedText
AnySignal = Annotated[SignalFile, BeforeValidator(_spelled_out, json_schema_input_type=SignalFile | _Brief)]
AnyEvidence = Annotated[EvidenceFile, BeforeValidator(_spelled_out, json_schema_input_type=EvidenceFile | _Brief)]


class RunFile(Strict):
    """A shell command that differs between shells."""

    bash: str
    powershell: str | None = None


class FixFile(Strict):
    """One thing to try; ``do`` says what, the other keys how. ``{name}`` is replaced by a capture.

    Without ``risk`` it is what such a step can usually break: a command that is known to look changes nothing.
    ``where`` and ``unless`` choose among the variants of a message: the step is shown only where a line of the
    diagnosis or a frame of its traceback has the one, and where none has the other. With ``during`` it is shown only
    where the log itself shows that the failure was in one of these phases. ``when_told`` and ``unless_told`` ask for
    captures and told names by their patterns: all of the one must be told so, and none of the other.
    """

    do: Sentence
    run: str | RunFile | None = None
    env: TextMap = Field(default_factory=dict)
    flags: list[str] = Field(default_factory=list)
    config: TextMap = Field(default_factory=dict)
    code: str | None = None
    note: Sentence | None = None
    risk: Risk | None = None
    frameworks: list[Name] = Field(default_factory=list)
    where: Pattern | None = None
    unless: Pattern | None = None
    during: list[SignalName] = Field(default_factory=list)
    when_told: dict[str, Pattern] = Field(default_factory=dict)
    unless_told: dict[str, Pattern] = Field(default_factory=dict)

    @property
    def bash(self) -> str:
        """Its command as bash takes it; empty where it has none."""
        return self.run.bash if isinstance(self.run, RunFile) else self.run or ""


class NamedFixFile(FixFile):
    """A step that rules name. ``params`` are the slots that they may fill, with what stands there otherwise."""

    id: Name
    params: TextMap = Field(default_factory=dict)


class FixesFile(Strict):
    """rules/fixes/: the steps that rules and causes name."""

    fixes: list[NamedFixFile]


def _form_of_fix(value: object) -> str:
    if isinstance(value, str):
        return "name"
    return "step" if isinstance(value, FixFile) or (isinstance(value, dict) and "do" in value) else "filled"


# A step by its name, by its name with parameters, or spelled out.
AnyFix: TypeAlias = Annotated[
    Annotated[Name, Tag("name")] | Annotated[FixFile, Tag("step")] | Annotated[dict[Name, TextMap], Tag("filled")],
    Discriminator(_form_of_fix),
]


def named_steps(step: AnyFix) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The names and parameters of a step that is not spelled out itself."""
    if isinstance(step, str):
        yield step, {}
    elif isinstance(step, dict):
        yield from step.items()


class SilentFile(Strict):
    """A log on which the rule must not hold: a near miss.

    Without ``quiet`` the log is a saved one that ends after its lines; with ``quiet`` it is
    live and nothing more arrives for that long. ``dumps`` are those of the ranks' flight recorders, from rank 0
    on, as JSON.
    """

    log: Log
    dumps: list[Log] = Field(default_factory=list, max_length=64)
    quiet: Duration | None = None
    note: str | None = None


class FiresFile(SilentFile):
    """A log on which the rule holds, and what it must then show."""

    captures: dict[str, str] = Field(default_factory=dict)
    ranks: list[int] | None = None
    phase: str | None = None


def _logs(value: object) -> object:
    """One log, or a list of logs, each a text alone or with what is said of it."""
    rows = value if isinstance(value, list) else [value]
    return [{"log": row} if isinstance(row, str) else row for row in rows]


class ExamplesFile(Strict):
    """A rule's own test: logs on which it holds, and logs on which it must not."""

    fires: Annotated[
        list[FiresFile], BeforeValidator(_logs, json_schema_input_type=Log | FiresFile | list[Log | FiresFile])
    ] = Field(min_length=1)
    silent: Annotated[
        list[SilentFile], BeforeValidator(_logs, json_schema_input_type=Log | SilentFile | list[Log | SilentFile])
    ] = Field(min_length=1)


class CardFile(Strict):
    """What a person reads of a diagnosis, whatever recognised it; what is left out is as its cause's row says.

    A rule that ``requires`` frameworks holds only in logs where one of them was seen. Causes in ``explained_by``
    explain it whatever their tier.
    """

    cause: Name
    title: Sentence
    why: Sentence
    differs_from: Sentence | None = None
    requires: Annotated[list[Name], BeforeValidator(listed)] = Field(default_factory=list)
    severity: Severity | None = None
    tier: Name | None = None
    explained_by: list[Name] = Field(default_factory=list)
    restart: Restart | None = None
    fixes: list[AnyFix] = Field(default_factory=list, max_length=32)
    references: list[str] = Field(default_factory=list)
    examples: ExamplesFile


class RuleFile(CardFile):
    """One rule, one file; its id is its path below the pack's folder without ``.yaml``, if it says none.

    It holds ``when`` its condition does, or where any of its signals was seen. Parts of it that are joined by `and` or
    `then` must be told by one worker, in one failure or a few lines apart, unless ``anywhere`` is true. ``with``
    is evidence that decides nothing. A ``detector`` of the engine stands for the condition, or is another way
    to the same finding where there is a condition too; what ``polling`` repeats must have what the rule ``says``.
    A ``fallback`` rule speaks only for lines that no other rule that holds has claimed.
    A ``stall`` rule says that the run does not move: the report's status is then `stalled`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=True)

    id: RuleId
    detector: Detection | None = None
    longer_than: Duration | None = None
    says: Pattern | None = None
    signals: dict[SignalName, AnySignal] = Field(default_factory=dict, max_length=20)
    with_: dict[SignalName, AnyEvidence] = Field(default_factory=dict, alias="with", max_length=20)
    when: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    anywhere: bool = False
    phase: Annotated[str, StringConstraints(pattern=r"^([a-z_]+|here else [a-z_]+)$")] | None = None
    culprit: Culprit | None = None
    cleared_by: ClearedBy | None = None
    fallback: bool = False
    stall: bool | None = None

    @model_validator(mode="after")
    def _says_when(self) -> "RuleFile":
        if not (self.detector or self.signals or self.when):
            raise ValueError("a rule needs `signals`, `when` or a `detector`")
        if (self.longer_than is not None) is not (self.detector in ("quiet", "silent", "unstarted", "polling")):
            raise ValueError(
                "`longer_than` belongs to the detectors `quiet`, `silent`, `unstarted` and `polling`, and they need it"
            )
        if self.says is not None and self.detector != "polling":
            raise ValueError("`says` belongs to the detector `polling`")
        return self
