"""What rule, framework and fix files may say.

These classes are the published schema (``logrules schema rule`` and so on), as those of ``ruleset.tables`` are, and
are imported only while rule files are read; a cached pack never needs them.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag

from logrules.model.event import Stance
from logrules.model.record import field, keyed_record
from logrules.model.report import Restart, Severity
from logrules.ruleset.bounds import Duration, Len, Name, Pattern, SearchedText
from logrules.ruleset.causes import ClearedBy, Culprit
from logrules.ruleset.condition import Detection
from logrules.ruleset.steps import FixFile, NamedFixFile, Sentence, SignalName, TextMap

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)+$", max_length=120)]


def fields_of(file: Any, kind: "type[DataclassInstance]") -> dict[str, Any]:
    """The fields of a file that a record of this kind has too."""
    return {member.name: getattr(file, member.name) for member in fields(kind) if hasattr(file, member.name)}


def listed(value: object) -> object:
    """One text stands for a list of it."""
    return [value] if isinstance(value, str) else value


Log = Annotated[str, StringConstraints(max_length=20_000)]


@keyed_record
class SignalFile:
    """How a telling line is recognised; a list of texts, or one text, stands for ``contains`` alone.

    ``contains`` are literals, any of which makes the line a candidate: the longest texts
    that the framework's own source prints unchanged. ``pattern`` (``regex`` syntax, under
    a limit of work) then has to be found in the bare message or else in the whole line; its named
    groups are captures. ``except`` is a pattern that vetoes the line. ``in: traceback`` asks whole tracebacks
    instead of lines. ``stance`` lists the kinds of statements that count, or is `any`: facts alone otherwise.
    The captures ``rank`` and ``host`` name the culprit.
    """

    contains: Annotated[tuple[SearchedText, ...], Len(0, 64), BeforeValidator(listed)] = ()
    in_: Literal["traceback"] | None = None
    pattern: Pattern | None = None
    except_: Pattern | None = None
    stance: Literal["any"] | tuple[Stance, ...] = (Stance.FACT,)

    def __post_init__(self) -> None:
        if bool(self.contains) == bool(self.in_):
            raise ValueError("a signal needs either `contains` or `in`")

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The kinds of statements that count; none for all of them."""
        return () if self.stance == "any" else self.stance


@keyed_record
class EvidenceFile(SignalFile):
    """Lines that add captures and certainty to a rule that holds: those ``after`` another signal, where it is named."""

    after: SignalName | None = None


def _spelled_out(value: object) -> object:
    return {"contains": value} if isinstance(value, str | list) else value


_Brief: TypeAlias = list[SearchedText] | SearchedText
AnySignal = Annotated[SignalFile, BeforeValidator(_spelled_out, json_schema_input_type=SignalFile | _Brief)]
AnyEvidence = Annotated[EvidenceFile, BeforeValidator(_spelled_out, json_schema_input_type=EvidenceFile | _Brief)]


@keyed_record
class FixesFile:
    """rules/fixes/: the steps that rules and causes name."""

    fixes: tuple[NamedFixFile, ...]


def _form_of_fix(value: object) -> str:
    if isinstance(value, str):
        return "name"
    return "step" if isinstance(value, FixFile) or (isinstance(value, dict) and "do" in value) else "filled"


# A step by its name, by its name with parameters, or spelled out.
AnyFix: TypeAlias = Annotated[
    Annotated[Name, Tag("name")] | Annotated[FixFile, Tag("step")] | Annotated[dict[Name, TextMap], Tag("filled")],
    Discriminator(_form_of_fix),
]


@keyed_record
class SilentFile:
    """A log on which the rule must not hold: a near miss.

    Without ``quiet`` the log is a saved one that ends after its lines; with ``quiet`` it is
    live and nothing more arrives for that long. ``dumps`` are those of the ranks' flight recorders, from rank 0
    on, as JSON.
    """

    log: Log
    dumps: Annotated[tuple[Log, ...], Len(0, 64)] = ()
    quiet: Duration | None = None
    note: str | None = None


@keyed_record
class FiresFile(SilentFile):
    """A log on which the rule holds, and what it must then show."""

    captures: dict[str, str] = field(default_factory=dict)
    ranks: tuple[int, ...] | None = None
    phase: str | None = None


def _logs(value: object) -> object:
    """One log, or a list of logs, each a text alone or with what is said of it."""
    rows = value if isinstance(value, list) else [value]
    return [{"log": row} if isinstance(row, str) else row for row in rows]


@keyed_record
class ExamplesFile:
    """A rule's own test: logs on which it holds, and logs on which it must not."""

    fires: Annotated[
        tuple[FiresFile, ...],
        Field(min_length=1),
        BeforeValidator(_logs, json_schema_input_type=Log | FiresFile | list[Log | FiresFile]),
    ]
    silent: Annotated[
        tuple[SilentFile, ...],
        Field(min_length=1),
        BeforeValidator(_logs, json_schema_input_type=Log | SilentFile | list[Log | SilentFile]),
    ]


@keyed_record
class CardFile:
    """What a person reads of a diagnosis, whatever recognised it; what is left out is as its cause's row says.

    A rule that ``requires`` frameworks holds only in logs where one of them was seen. Causes in ``explained_by``
    explain it whatever their tier.
    """

    cause: Name
    title: Sentence
    why: Sentence
    differs_from: Sentence | None = None
    requires: Annotated[tuple[Name, ...], BeforeValidator(listed)] = ()
    severity: Severity | None = None
    tier: Name | None = None
    explained_by: tuple[Name, ...] = ()
    restart: Restart | None = None
    fixes: Annotated[tuple[AnyFix, ...], Len(0, 32)] = ()
    references: tuple[str, ...] = ()
    examples: ExamplesFile


@keyed_record
class RuleFile(CardFile):
    """One rule, one file; its id is its path below the pack's folder without ``.yaml``, if it says none.

    It holds ``when`` its condition does, or where any of its signals was seen. Parts of it that are joined by `and` or
    `then` must be told by one worker, in one failure or a few lines apart, unless ``anywhere`` is true. ``with``
    is evidence that decides nothing. A ``detector`` of the engine stands for the condition, or is another way
    to the same finding where there is a condition too; what ``polling`` repeats must have what the rule ``says``.
    A ``fallback`` rule speaks only for lines that no other rule that holds has claimed.
    A ``stall`` rule says that the run does not move: the report's status is then `stalled`.
    """

    id: RuleId
    detector: Detection | None = None
    longer_than: Duration | None = None
    says: Pattern | None = None
    signals: Annotated[dict[SignalName, AnySignal], Len(0, 20)] = field(default_factory=dict)
    with_: Annotated[dict[SignalName, AnyEvidence], Len(0, 20)] = field(default_factory=dict)
    when: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    anywhere: bool = False
    phase: Annotated[str, StringConstraints(pattern=r"^([a-z_]+|here else [a-z_]+)$")] | None = None
    culprit: Culprit | None = None
    cleared_by: ClearedBy | None = None
    fallback: bool = False
    stall: bool | None = None

    def __post_init__(self) -> None:
        if not (self.detector or self.signals or self.when):
            raise ValueError("a rule needs `signals`, `when` or a `detector`")
        if (self.longer_than is not None) is not (self.detector in ("quiet", "silent", "unstarted", "polling")):
            raise ValueError(
                "`longer_than` belongs to the detectors `quiet`, `silent`, `unstarted` and `polling`, and they need it"
            )
        if self.says is not None and self.detector != "polling":
            raise ValueError("`says` belongs to the detector `polling`")
