"""What rule, phase, format and vocabulary files may say: pydantic models, unknown keys refused.

These models are the published schema (``logrules schema rule`` and so on) and are
imported only while rule files are read; a cached pack never needs them.
"""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from logrules.model.event import Stance
from logrules.model.report import Restart, Risk, Severity

_DURATION_PATTERN = r"^\d+(\.\d+)?(ms|s|m|h|d)$"

RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)+$", max_length=120)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
SignalName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Literal_ = Annotated[str, StringConstraints(min_length=3, max_length=200, pattern=r"^[^\r\n]+$")]


def _compiles(pattern: str) -> str:
    from logrules.ruleset.pattern import compiled

    compiled(pattern)
    return pattern


Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_compiles)]
Duration = Annotated[str, StringConstraints(pattern=_DURATION_PATTERN)]


class Strict(BaseModel):
    """A document whose unknown keys are faults."""

    # Built when first used: most runs read files of one or two kinds.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class TextFile(Strict):
    """A sentence for people, in English and Chinese."""

    en: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    zh: Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class SignalFile(Strict):
    """How a telling line is recognised.

    ``contains`` are literals, any of which makes the line a candidate: the longest texts
    that the framework's own source prints unchanged. ``pattern`` (``regex`` syntax, under
    a time limit) then has to be found in the bare message or else in the whole line; its named
    groups are captures. ``unless`` is a pattern that vetoes the line.
    The captures ``rank`` and ``host`` name the culprit.
    """

    contains: list[Literal_] = Field(default_factory=list, max_length=64)
    record: Literal["traceback"] | None = None
    pattern: Pattern | None = None
    unless: Pattern | None = None
    ignore_case: bool = False
    stance: list[Stance] | Literal["any"] = Field(default_factory=lambda: [Stance.FACT])

    @field_validator("contains", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_an_origin(self) -> "SignalFile":
        if bool(self.contains) == bool(self.record):
            raise ValueError("a signal needs either `contains` or `record`")
        return self


class RunFile(Strict):
    """A shell command that differs between shells."""

    bash: str
    powershell: str | None = None


class FixFile(Strict):
    """One thing to try; ``do`` says what, the other keys how. ``{name}`` is replaced by a capture."""

    do: TextFile
    run: str | RunFile | None = None
    env: dict[str, str] = Field(default_factory=dict)
    flags: list[str] = Field(default_factory=list)
    config: dict[str, str] = Field(default_factory=dict)
    code: str | None = None
    note: TextFile | None = None
    risk: Risk = Risk.SAFE

    @field_validator("env", "config", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if isinstance(value, dict):
            return {key: _scalar_text(item) for key, item in value.items()}
        return value


def _scalar_text(item: object) -> object:
    if isinstance(item, bool):
        return str(item).lower()
    return str(item) if isinstance(item, int | float) else item


class FiresFile(Strict):
    """What an example that fires must show."""

    captures: dict[str, str] = Field(default_factory=dict)
    ranks: list[int] | None = None
    phase: str | None = None
    evidence: str | None = None


class ExampleFile(Strict):
    """A rule's own test: lines, an optional silence after them, and whether the rule then holds.

    Without ``quiet`` the log is a saved one that ends after its lines; with ``quiet`` it is
    live and nothing more arrives for that long.
    """

    log: Annotated[str, StringConstraints(max_length=20_000)]
    fires: bool | FiresFile
    quiet: Duration | None = None
    note: str | None = None


class CardFile(Strict):
    """What a person reads of a diagnosis, whatever recognised it.

    ``certainty`` is how often the rule was right when it came first: measured on labelled logs, and what
    confidence is made of. ``weight`` is how specific its author holds it to be, by which it is ranked
    against others; the certainty where it is not given.
    """

    cause: Name
    severity: Severity = Severity.ERROR
    certainty: Annotated[float, Field(ge=0.01, le=0.99)]
    weight: Annotated[float, Field(ge=0.01, le=0.99)] | None = None
    title: TextFile
    why: TextFile
    tell_apart: TextFile | None = None
    frameworks: list[Name] = Field(default_factory=list)
    yields_to: list[str] = Field(default_factory=list)
    tier: Name | None = None
    explained_by: list[str] = Field(default_factory=list)
    restart: Restart = Restart.AFTER_FIX
    fixes: list[FixFile] = Field(min_length=1, max_length=20)
    references: list[str] = Field(default_factory=list)
    examples: list[ExampleFile] = Field(min_length=2)

    @field_validator("restart", mode="before")
    @classmethod
    def _no_is_a_word(cls, value: object) -> object:
        # YAML 1.1 reads an unquoted `no` as false.
        return Restart.NO if value is False else value


class RuleFile(CardFile):
    """One rule, one file; the id is the path below ``rules/`` without ``.yaml``.

    A ``fallback`` rule speaks only for lines that no other rule that holds has claimed.
    A ``stall`` rule says that the run does not move: the report's status is then `stalled`.
    """

    id: RuleId
    signals: dict[SignalName, SignalFile] = Field(default_factory=dict, max_length=20)
    when: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    phase: Annotated[str, StringConstraints(pattern=r"^(here|[a-z_]+|here else [a-z_]+)$")] = "here"
    culprit: Literal["reporter", "absent", "captured", "none"] = "reporter"
    cleared_by: Literal["progress", "completion", "nothing"] = "progress"
    fallback: bool = False
    stall: bool = False


class MarkerFile(SignalFile):
    """A line that says where a worker is.

    ``enters`` a phase; ``opens`` or ``closes`` waits of this or another file; ``progress``
    is a step of a loop or a bar that moved (it renews open waits of the worker and may be
    sampled); ``completes`` the run; ``starts`` a run. ``samples`` are lines that must be
    recognised, ``near`` lines that must not.
    """

    id: Name
    enters: str | None = None
    opens: list[str] = Field(default_factory=list)
    closes: list[str] = Field(default_factory=list)
    renews: list[str] = Field(default_factory=list)
    progress: bool = False
    completes: bool = False
    starts: bool = False
    samples: list[str] = Field(min_length=1)
    near: list[str] = Field(default_factory=list)

    @field_validator("opens", "closes", "renews", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class WaitFile(CardFile):
    """A place where a framework blocks without a word, and what it means when it stays so.

    ``patience`` is how long a healthy run may be quiet here. ``phase`` is where the worker is
    meanwhile. A stall is a warning in severity: its status says the rest.
    """

    id: Name
    phase: str
    patience: Duration
    severity: Severity = Severity.WARNING


class FrameFile(Strict):
    """Functions whose presence in a traceback or a stack dump says which phase it was in."""

    functions: list[str] = Field(min_length=1)
    phase: str
    path: str | None = None


class MetricFile(SignalFile):
    """A number that a framework prints; ``pattern`` captures it as ``value``.

    ``scale`` multiplies the number, ``samples`` maps lines to the value that must be read.
    """

    id: Name
    metric: SignalName
    scale: float = 1.0
    samples: dict[str, float | str] = Field(min_length=1)

    @field_validator("samples")
    @classmethod
    def _are_numbers(cls, samples: dict[str, float | str]) -> dict[str, float | str]:
        for line, value in samples.items():
            try:
                float(value)
            except ValueError:
                raise ValueError(f"`{value}` is no number, but what must be read from {line!r}") from None
        return samples

    @model_validator(mode="after")
    def _captures_a_value(self) -> "MetricFile":
        if not self.pattern or "(?P<value>" not in self.pattern:
            raise ValueError("a metric needs a `pattern` with the group (?P<value>…)")
        return self


class PhaseFile(Strict):
    """What one framework prints about its progress: rules/phases/<framework>.yaml."""

    framework: Name
    markers: list[MarkerFile] = Field(default_factory=list)
    waits: list[WaitFile] = Field(default_factory=list)
    frames: list[FrameFile] = Field(default_factory=list)
    metrics: list[MetricFile] = Field(default_factory=list)


class HeaderSampleFile(Strict):
    """A line and what peeling it must give; ``message`` is what is left."""

    line: str
    expect: dict[str, str | int | float | None]


class HeaderFile(Strict):
    """One prefix (or suffix) that launchers, collectors and loggers wrap around a message.

    Named groups: host, pid, rank, world_rank (goes before any rank), group, role, level, time, repeat.
    ``starts`` lists the characters with which the prefix can begin ("9" any digit, "a" any lower-case
    and "A" any upper-case letter), so that other lines are not tried; a ``first`` prefix is only looked
    for before any other but a time, a ``generic`` one where no other fits. ``holds`` is a text without
    which the pattern cannot match, so that it need not be tried. ``ends`` makes it a suffix.
    """

    id: Name
    pattern: Pattern
    starts: str | None = None
    holds: str | None = None
    first: bool = False
    generic: bool = False
    ends: bool = False
    role: str | None = None
    samples: list[HeaderSampleFile] = Field(min_length=1)


class TimeFile(Strict):
    """A form in which a time is written.

    Named groups: year month day hour minute second fraction ampm zone epoch epoch_ms month_name.
    """

    id: Name
    pattern: Pattern
    samples: dict[str, str] = Field(min_length=1)


class NameFile(Strict):
    """A form of file names that says who wrote the file. Named groups: host, pid, rank, role."""

    id: Name
    pattern: Pattern
    role: str | None = None
    samples: dict[str, dict[str, str | int]] = Field(min_length=1)


class TraceFile(Strict):
    """How the lines of a traceback are recognised: one file of a pack says it.

    ``frame`` and ``stack_frame`` capture file, line and function (outermost first, and
    innermost first as py-spy prints it); ``exception`` captures type and message. The
    literals of ``stack_frame`` are the functions that the phase files map. ``chain`` captures
    ``cause`` where the next exception was raised from the last one, ``nested`` stands between an
    exception and the one told in its message, ``abort`` and ``kernel`` capture ``type``, ``signal``
    (name, number or description), ``message`` or ``what``, behind ``ignored`` an exception was
    lived through. ``below`` is how an exception of any name looks, asked of the lines directly below a
    frame only. ``wrappers`` are the exceptions that only pass on another one.
    """

    head: SignalFile
    frame: SignalFile
    stack_frame: Pattern
    exception: SignalFile
    chain: SignalFile
    nested: SignalFile | None = None
    abort: SignalFile | None = None
    kernel: SignalFile | None = None
    ignored: SignalFile | None = None
    below: Pattern | None = None
    wrappers: list[Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,99}$")]] = Field(default_factory=list)


class FormatFile(Strict):
    """A family of headers and times: rules/formats/<family>.yaml."""

    family: Name
    headers: list[HeaderFile] = Field(default_factory=list)
    times: list[TimeFile] = Field(default_factory=list)
    names: list[NameFile] = Field(default_factory=list)
    levels: dict[str, Literal["debug", "info", "warning", "error", "fatal"]] = Field(default_factory=dict)
    trace: TraceFile | None = None


_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(duration: str) -> float:
    """Seconds of a duration such as ``30s`` or ``12m``."""
    number, unit = re.fullmatch(r"([\d.]+)(ms|s|m|h|d)", duration).groups()  # type: ignore[union-attr]
    return float(number) * _UNITS_S[unit]
