"""What rules/frameworks/<name>.yaml may say of what a framework prints, rules/expect/<recipe>.yaml of a healthy run."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from logrules.model.record import field, keyed_record
from logrules.ruleset.bounds import Duration, Len, LooksLike, Name, Pattern, SearchedText
from logrules.ruleset.models import CardFile, SignalFile, listed
from logrules.ruleset.pack import HeaderFormat, NameForm, TimeForm
from logrules.ruleset.steps import SignalName


@keyed_record
class MarkerFile(SignalFile):
    """A line that says where a worker is.

    ``enters`` a phase; ``leaves`` one that interrupted a loop (an evaluation that gives its figures, a checkpoint
    that is saved), back to that loop; ``opens`` or ``closes`` waits of this or another file; ``progress`` is a step
    of a loop or a bar that moved (it renews open waits of the worker and may be sampled); ``completes`` the run;
    ``ends`` it, and does not say how (a prompt, a summary at exit); ``parts``: where it is the very last line, its
    writer has said that it is done; ``starts`` a run; after one that ``rests`` (a full bar) nobody expects the next
    soon; one that ``polls`` says that its writer waits, and where it stands again and again, that nothing else
    happens; a wait that it renews moves as long as its counts change. One that is a ``guess`` (a bar without a name)
    enters no loop that the frameworks seen by then do not have (no server trains), and none while an evaluation is
    under way. One that holds ``once`` opens no wait that its writer has been through.
    ``samples`` are lines that must be recognised, ``near`` lines that must not.
    """

    id: Name
    enters: str | None = None
    leaves: str | None = None
    opens: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    closes: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    renews: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    progress: bool = False
    starts: bool = False
    completes: bool = False
    ends: bool = False
    parts: bool = False
    rests: bool = False
    polls: bool = False
    guess: bool = False
    once: bool = False
    samples: Annotated[tuple[str, ...], Field(min_length=1), BeforeValidator(listed)]
    near: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()


@keyed_record
class WaitFile(CardFile):
    """A place where a framework blocks without a word, and what it means when it stays so.

    ``patience`` is how long a healthy run may be quiet here. ``phase`` is where the worker is
    meanwhile. A stall is a warning in severity: its status says the rest. ``first`` is for what
    blocks before the first step alone: once the job has stepped there, nothing opens it. ``starter`` is for who starts
    the ranks of a job: it is over once one of these says where it is. One that is not ``presumed`` to last is told of a
    saved log only where its times show that it lasted. From a ``joint`` one all who wait come together.
    """

    id: Name
    phase: str
    patience: Duration
    first: bool = False
    starter: bool = False
    joint: bool = False
    presumed: bool = True


def _numbers(samples: dict[str, float | str]) -> dict[str, float | str]:
    for line, value in samples.items():
        try:
            float(value)
        except ValueError:
            raise ValueError(f"`{value}` is no number, but what must be read from {line!r}") from None
    return samples


@keyed_record
class MetricFile(SignalFile):
    """A number that a framework prints: what ``pattern`` captures as ``value``, or its share of what it does as ``of``.

    ``scale`` multiplies the number, ``samples`` maps lines to the value that must be read.
    """

    id: Name
    metric: SignalName
    scale: float = 1.0
    samples: Annotated[dict[str, float | str], Field(min_length=1), AfterValidator(_numbers)]

    def __post_init__(self) -> None:
        SignalFile.__post_init__(self)
        if not self.pattern or "(?P<value>" not in self.pattern:
            raise ValueError("a metric needs a `pattern` with the group (?P<value>…)")


@keyed_record
class PresentFile:
    """How to see that a framework is there, besides its markers: rare texts, and parts of its code.

    ``headers`` are those of this file whose form nobody else writes; ``components`` are those of origins/.
    """

    contains: Annotated[tuple[SearchedText, ...], Len(0, 64), BeforeValidator(listed)] = ()
    headers: tuple[str, ...] = ()
    components: tuple[str, ...] = ()


@keyed_record
class TraceFile:
    """How the lines of a traceback are recognised: one file of a pack says it.

    ``frame`` and ``stack_frame`` capture file, line and function (outermost first, and
    innermost first as py-spy prints it); ``exception`` captures type and message. The
    literals of ``stack_frame`` are the functions of the table of origins. ``chain`` captures
    ``cause`` where the next exception was raised from the last one, ``nested`` stands between an
    exception and the one told in its message, ``abort`` and ``kernel`` capture ``type``, ``signal``
    (name, number or description), ``message`` or ``what``, behind ``ignored`` an exception was
    lived through, behind ``retried`` one that does not begin in the code of a script, where nobody catches it.
    ``below`` is how an exception of any name looks, asked of the lines directly below a frame only.
    ``wrappers`` are the exceptions that only pass on another one.
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
    retried: SignalFile | None = None
    below: Pattern | None = None
    wrappers: tuple[Annotated[str, LooksLike(r"^[A-Za-z_]\w{0,99}$")], ...] = ()


@keyed_record
class FrameworkFile:
    """What is known of the logs of one framework: rules/frameworks/<name>.yaml.

    ``loops`` are the phases in which its jobs loop, the usual one first; empty for what is part of jobs of any kind.
    """

    framework: Name
    present: PresentFile = PresentFile()
    loops: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    headers: tuple[HeaderFormat, ...] = ()
    times: tuple[TimeForm, ...] = ()
    names: tuple[NameForm, ...] = ()
    levels: dict[str, Literal["debug", "info", "warning", "error", "fatal"]] = field(default_factory=dict)
    trace: TraceFile | None = None
    markers: tuple[MarkerFile, ...] = ()
    waits: tuple[WaitFile, ...] = ()
    metrics: tuple[MetricFile, ...] = ()


@keyed_record
class TextFile:
    """A sentence for people, in English and, if somebody reads it in Chinese, in Chinese."""

    en: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    zh: Annotated[str, StringConstraints(max_length=2000)] = ""


@keyed_record
class PathStepFile:
    """A step of a healthy run: ``lines`` of its own, or ``markers`` that the rules know; any of them will do.

    An ``optional`` step may be left out. ``hint`` says where to look when the step is missing.
    """

    id: Name
    title: TextFile
    lines: SignalFile | None = None
    markers: tuple[str, ...] = ()
    optional: bool = False
    hint: TextFile | None = None

    def __post_init__(self) -> None:
        if self.lines is None and not self.markers:
            raise ValueError("a step needs `lines` or `markers`")


@keyed_record
class NeverFile:
    """Lines that a healthy run does not show."""

    id: Name
    title: TextFile
    lines: SignalFile


@keyed_record
class ProfileFile:
    """rules/expect/<recipe>.yaml."""

    expect: Name
    title: TextFile
    steps: Annotated[tuple[PathStepFile, ...], Field(min_length=1)]
    never: tuple[NeverFile, ...] = ()
