"""A loaded set of rules: frozen plain data, shared by threads, sent to processes, cached by `marshal`.

No Hyperscan handle, no compiled pattern and no running state lives here. What only a
person reads (titles, fixes) is kept as bytes per rule and decoded when it is shown.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated

from logrules.model.event import Stance
from logrules.model.record import field, record, replace
from logrules.model.report import Severity, SourceNote
from logrules.ruleset.bounds import Len, Name, Pattern
from logrules.ruleset.causes import ClearedBy, Culprit
from logrules.ruleset.condition import Condition
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.translation import Translation


@record
class Signal:
    """A telling line: literals for the scanner, then an optional pattern and a veto.

    ``sampled`` signals (metrics, progress) may be thinned out in big logs. Only lines of one of the ``stances`` carry
    it; lines of any stance where none is given.
    """

    id: str
    literals: tuple[str, ...]
    pattern: str | None = None
    unless: str | None = None
    sampled: bool = False
    stances: tuple[Stance, ...] = ()

    @property
    def owner(self) -> str:
        """The rule, marker or metric whose it is."""
        return self.id.rpartition(":")[0]

    @property
    def name(self) -> str:
        """What its owner calls it."""
        return self.id.rpartition(":")[2]


@record
class Rule:
    """One hypothesis about what went wrong. ``wait`` names the wait that it is the card of.

    What the row of its cause says of all its rules stands here too, so that who has a rule needs no table: ``abrupt``,
    ``asynchronous`` and ``ends_stalls`` as they are there (`ruleset.causes`), ``stall`` and ``tier`` unless the rule
    says otherwise. Causes in ``explained_by`` explain it whatever their tier. It only fires in logs where one of the
    frameworks that it ``requires`` was seen. Signals in ``evidence`` decide nothing. ``from_table`` says that a row
    of a table stands behind it.
    """

    id: str
    cause: str
    severity: Severity
    when: Condition
    phase: str | None = None
    phase_otherwise: str | None = None
    culprit: Culprit = "reporter"
    cleared_by: ClearedBy = "progress"
    wait: str | None = None
    fallback: bool = False
    stall: bool = False
    abrupt: bool = False
    asynchronous: bool = False
    ends_stalls: bool = False
    tier: str = ""
    explained_by: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    from_table: bool = False
    evidence: tuple[int, ...] = ()


@record
class Marker:
    """A line that says where a worker is; ``signal`` numbers the signal that recognises it."""

    id: str
    signal: int
    enters: str | None = None
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    renews: tuple[str, ...] = ()
    progress: bool = False
    completes: bool = False
    starts: bool = False
    ends: bool = False
    parts: bool = False
    leaves: str | None = None
    rests: bool = False
    polls: bool = False
    guess: bool = False
    once: bool = False

    @property
    def moves(self) -> bool:
        """Whether its writer is at something now: what it waited for before is over."""
        return bool(self.enters or self.opens or self.progress or self.completes)


@record
class Wait:
    """A place where a worker blocks without a word, and for how long that is normal."""

    id: str
    phase: str
    patience_s: float
    first: bool = False
    starter: bool = False
    joint: bool = False
    presumed: bool = True


@record
class Metric:
    """A number that a line prints: ``signal`` captures it as ``value``."""

    metric: str
    signal: int
    scale: float = 1.0


@record
class Framework:
    """How to see that a framework is there: one of its signals or headers, or a frame of one of its components.

    ``signals`` are numbers, ``headers`` and ``components`` ids. ``loops`` are the phases in which its jobs loop.
    """

    id: str
    signals: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


@record
class HeaderSample:
    """A line and what peeling it must give; ``message`` is what is left."""

    line: str
    expect: Mapping[str, str | int | float | None]


@record
class HeaderFormat:
    """One prefix (or suffix) that launchers, collectors and loggers wrap around a message.

    Named groups: host, pid, rank, world_rank (goes before any rank), group, role, level, time, repeat.
    ``starts`` lists the characters with which the prefix can begin ("9" any digit, "a" any lower-case
    and "A" any upper-case letter), so that other lines are not tried; a ``first`` prefix is only looked
    for where a line begins: before any other but a time, or behind one that is ``relayed``; a ``generic`` one
    where no other fits. ``holds`` is a text without which the pattern cannot match, so that it need not be tried.
    ``ends`` makes it a suffix. ``relayed`` says that who wrote it only passed on what another process wrote: that
    begins as any line may, and a level before it is that of the logger which passed it on. ``labels`` says that this is
    a launcher which writes it before every line of each of its ranks.
    """

    id: Name
    pattern: Pattern
    samples: Annotated[tuple[HeaderSample, ...], Len(1, 1000)]
    starts: str | None = None
    holds: str = ""
    first: bool = False
    generic: bool = False
    ends: bool = False
    role: str | None = None
    relayed: bool = False
    labels: bool = False


@record
class TimeForm:
    """A form in which a time is written, with samples and the moments that must be read from them.

    Named groups: year month day hour minute second fraction ampm zone epoch epoch_ms month_name.
    """

    id: Name
    pattern: Pattern
    samples: Annotated[Mapping[str, str], Len(1, 1000)]


@record
class NameForm:
    """A form of file names that says who wrote the file. Named groups: host, pid, rank, role."""

    id: Name
    pattern: Pattern
    samples: Annotated[Mapping[str, Mapping[str, str | int]], Len(1, 1000)]
    role: str | None = None


@record
class TraceForm:
    """The signals that make up a traceback or a stack dump.

    ``records`` are the signals that a whole folded traceback can carry, ``wrappers`` the names of the
    exceptions that only pass on another one.
    """

    head: int
    frame: int
    stack_frame: int
    exception: int
    chain: int
    records: tuple[int, ...] = ()
    nested: int | None = None
    abort: int | None = None
    kernel: int | None = None
    ignored: int | None = None
    retried: int | None = None
    below: int | None = None
    wrappers: tuple[str, ...] = ()

    @property
    def signals(self) -> frozenset[int]:
        """All that mean something only together with their neighbours."""
        told = (self.head, self.frame, self.stack_frame, self.exception, self.chain)
        return frozenset(told) | {
            each for each in (self.nested, self.abort, self.ignored, self.retried, self.below) if each is not None
        }


@record
class Replaced:
    """A file that defines what an earlier pack's file defined: what, in which file, in the place of which."""

    what: str
    path: str
    before: str


@record
class Pack:
    """Everything the engine knows. ``digest`` identifies content and version.

    ``exit_signals`` are the signals of the forms of exits/, by form, ``told_signals`` those of what any line may
    tell for the slots and conditions of steps, by name. ``origins`` are the files of the rules that
    did not come with logrules. ``steps`` are the steps that ``cards`` name, as `card_builder` keeps both.
    ``translation`` is what people read in another language than English; empty unless it was asked for. ``patience``
    is the share of the usual patience that it was given. ``notes`` say what a configuration took from what can be
    diagnosed.
    ``required`` are the words of which one stands in what a pattern of exceptions or told names matches; ``unclocked``
    says of patterns that are tried on every line how long a text may be for them to need no clock (`pattern_work`).
    """

    digest: str
    signals: SignalTable
    rules: RuleTable
    markers: tuple[Marker, ...] = ()
    waits: tuple[Wait, ...] = ()
    metrics: tuple[Metric, ...] = ()
    headers: tuple[HeaderFormat, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    times: tuple[TimeForm, ...] = ()
    names: tuple[NameForm, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    trace: TraceForm | None = None
    exit_signals: Mapping[str, int] = field(default_factory=dict)
    told_signals: Mapping[str, int] = field(default_factory=dict)
    tables: Tables = Tables()
    cards: Mapping[str, bytes] = field(default_factory=dict)
    steps: Mapping[str, bytes] = field(default_factory=dict)
    translation: Translation = Translation()
    origins: Mapping[str, str] = field(default_factory=dict)
    replaced: tuple[Replaced, ...] = ()
    patience: float = 1.0
    notes: tuple[SourceNote, ...] = ()
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unclocked: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def with_signals(self, more: Iterable[Signal]) -> "Pack":
        """The same with further signals, numbered behind its own. Nothing of it may be kept under its digest."""
        return replace(self, signals=SignalTable((*self.signals, *more)))

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of a job, in the order of the pipeline."""
        return self.tables.phases

    @property
    def start(self) -> str | None:
        """The phase that a job is in before any other; None of a pack without phases."""
        return next((phase.id for phase in self.phases), None)

    @property
    def end(self) -> str | None:
        """The phase that a job is in last, once its loops are over; None of a pack that has no such."""
        return next((phase.id for phase in self.phases[-1:] if not phase.loop), None)

    def __repr__(self) -> str:
        return f"Pack({self.digest[:12]}: {len(self.rules)} rules, {len(self.signals)} signals)"
