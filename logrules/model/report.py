"""The diagnosis of a job: the one thing that every renderer gets."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import chain

from logrules.model.event import LogText
from logrules.model.record import field, record
from logrules.model.timeline import Curve, PhaseSpan, WaitSpan


class Status(StrEnum):
    """The state of the job at the end of its log."""

    FAILED = "failed"
    STALLED = "stalled"
    UNEXPLAINED = "unexplained"
    RUNNING = "running"
    COMPLETED = "completed"
    HEALTHY = "healthy"


class Severity(StrEnum):
    """How bad a diagnosis is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Restart(StrEnum):
    """What a scheduler should do with the job."""

    RETRY = "retry"
    AFTER_FIX = "after-fix"
    REPLACE_NODE = "replace-node"
    NO = "no"


class PhaseSource(StrEnum):
    """What the phase of a diagnosis is inferred from, most reliable first."""

    RULE = "rule"
    FRAMES = "frames"
    HEADER = "header"
    MARKERS = "markers"
    OTHER_FRAMES = "frames-of-another-failure"
    CAUSE = "cause"
    LAST = "last-phase"


class Risk(StrEnum):
    """What a fix can break."""

    LOOK = "look"
    SAFE = "safe"
    CHANGES_RUN = "changes-run"
    DESTRUCTIVE = "destructive"


@record
class Text:
    """A sentence in both languages."""

    en: str = ""
    zh: str = ""

    def of(self, language: str) -> str:
        """The sentence in ``language`` ("en" or "zh"), or in English if it is missing."""
        return (self.zh if language == "zh" else self.en) or self.en

    @classmethod
    def told(cls, say: Callable[[str], str]) -> "Text":
        """What ``say`` says in each language."""
        return cls(say("en"), say("zh"))


@record
class Fix:
    """One thing to try. ``run`` is a shell command, ``flags`` belong on the trainer's command line.

    ``powershell`` replaces ``run`` if it differs in PowerShell.
    """

    do: Text
    run: str | None = None
    powershell: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    note: Text | None = None
    risk: Risk = Risk.SAFE


@record
class Evidence:
    """A line of a log that shows something; ``before`` and ``after`` are its neighbours.

    ``year_guessed`` says that nothing in the log shows the year of its ``time``.
    Evidence that is ``beside`` the rest was not matched by the rule itself, but says more about the same event.
    """

    source: str
    line: int
    text: str
    worker: str
    time: float | None = None
    captures: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    year_guessed: bool = False
    beside: bool = False

    @property
    def place(self) -> str:
        """Source and line as editors take them."""
        return f"{self.source}:{self.line}"


@record
class Consequence:
    """A rule that also holds, but is explained by another diagnosis."""

    rule: str
    cause: str
    title: Text
    evidence: tuple[Evidence, ...] = ()


@record
class Diagnosis:
    """A hypothesis that survived: ``ranks[0]`` is the culprit if one is known.

    ``workers`` are processes and actors at fault; ``checks``, of `logrules doctor`, confirm the cause or rule it out.
    ``measured`` is (right, seen): in how many labelled logs the rule came first and was right, and came first.
    """

    rule: str
    cause: str
    phase: str
    severity: Severity
    confidence: float
    title: Text
    why: Text
    restart: Restart
    ranks: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    fixes: Sequence[Fix] = ()
    consequences: tuple[Consequence, ...] = ()
    references: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    measured: tuple[int, int] = (0, 0)
    phase_from: PhaseSource = PhaseSource.CAUSE
    workers: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Evidence, ...]:
        """Its evidence, and that of its consequences."""
        return (*self.evidence, *(line for other in self.consequences for line in other.evidence))

    @property
    def effects(self) -> tuple[Consequence, ...]:
        """The consequences with another cause and lines of their own; the rest only repeat the same event."""
        own = {(line.source, line.line) for line in self.evidence}
        return tuple(
            other
            for other in self.consequences
            if other.cause != self.cause
            and not (other.evidence and own.issuperset((line.source, line.line) for line in other.evidence))
        )


@record
class Run:
    """An earlier run in the same log, of which only the outcome is kept."""

    status: Status
    source: str
    first_line: int
    last_line: int
    cause: str | None = None


class DivergenceKind(StrEnum):
    """How a rank differs from the others."""

    IDLE = "idle"
    LEFT = "left"
    MISSED = "missed"
    EXTRA = "extra"
    BEHIND = "behind"
    AHEAD = "ahead"
    OTHER_OPERATION = "other-operation"
    OTHER_SIZE = "other-size"
    NEVER_ARRIVED = "never-arrived"
    STEP_BEHIND = "step-behind"
    FIRST_ERROR = "first-error"
    SAME_HOST = "same-host"
    SLOW = "slow"


@record
class Difference:
    """How some ranks differ from the others.

    ``facts`` fill in the sentence for its kind; ``evidence`` is a line of theirs, then one of the others'.
    """

    kind: DivergenceKind
    ranks: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()


@record
class Comparison:
    """The ranks of a job compared: those ``seen``, out of ``world`` (None if no line says how many there are).

    ``spread_s`` and ``timeout_s`` are set if the time-outs are too far apart to belong to one hang: then nobody is
    named.
    """

    seen: tuple[int, ...]
    world: int | None = None
    differences: tuple[Difference, ...] = ()
    spread_s: float | None = None
    timeout_s: float | None = None


@record
class SourceNote:
    """Something to know about a source: it was cut, partly skipped or, with ``unread``, not read at all."""

    source: str
    note: str
    unread: bool = False


@record
class StackView:
    """Where the processes of a live job were when last inspected.

    ``said`` are English sentences, ``tree`` the merged stacks with who is where, one indented line per fork;
    ``apart`` are the ranks that are elsewhere than nearly all others.
    """

    said: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    apart: tuple[int, ...] = ()


@record
class Report:
    """Everything that logrules has to say about a job at one moment.

    ``start`` is the phase in which a job begins; ``frameworks`` are those seen in the log; ``paths`` are the paths of
    those sources that are on disk; ``completed_by`` is the line that shows that the run ended well; ``log`` is the part
    of the logs for the page; ``shell`` is that of the machine that wrote them, if they show it.
    """

    status: Status
    phase: str
    diagnoses: tuple[Diagnosis, ...] = ()
    timeline: tuple[PhaseSpan, ...] = ()
    earlier_runs: tuple[Run, ...] = ()
    unusual: tuple[Evidence, ...] = ()
    notes: tuple[SourceNote, ...] = ()
    sources: tuple[str, ...] = ()
    lines: int = 0
    curves: tuple[Curve, ...] = ()
    waits: tuple[WaitSpan, ...] = ()
    comparison: Comparison | None = None
    frameworks: tuple[str, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    completed_by: Evidence | None = None
    log: LogText | None = None
    stacks: StackView | None = None
    shell: str = "bash"
    start: str = ""

    @property
    def held(self) -> tuple[Diagnosis | Consequence, ...]:
        """Every rule that holds: the diagnoses, then their consequences."""
        return (*self.diagnoses, *(other for one in self.diagnoses for other in one.consequences))

    @property
    def shown(self) -> tuple[Evidence, ...]:
        """Every line of the logs that it shows."""
        differences = self.comparison.differences if self.comparison is not None else ()
        told = (*(one.lines for one in self.diagnoses), *(one.evidence for one in differences))
        return (*self.unusual, *chain.from_iterable(told))

    @property
    def unread(self) -> tuple[str, ...]:
        """The logs that could not be read: if there are any, the report is partial."""
        return tuple(note.source for note in self.notes if note.unread)
