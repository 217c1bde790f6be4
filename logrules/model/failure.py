"""One failure of one process, however many lines, prefixes and ranks report it."""

from enum import StrEnum

from logrules.model.event import Event, Stance, Worker
from logrules.model.record import record

# A module run by name (`python -m`) is below the frames of its runner.
_STARTERS = 4
# The function of code that runs when its file is imported or run, as Python prints it.
MODULE_CODE = "<module>"


class FailureKind(StrEnum):
    """The form in which a failure was reported."""

    EXCEPTION = "exception"
    ABORT = "abort"
    EXIT = "exit"
    KERNEL = "kernel"


@record
class Origin:
    """Where a line or a frame comes from: a component of the table of origins, and the phase.

    ``component`` is None for code that no row knows. ``own`` says that it is the user's code; its
    ``phase`` is guessed from names and weighs less.
    """

    component: str | None = None
    group: str | None = None
    phase: str | None = None
    own: bool = False


@record
class Frame:
    """A place in a traceback, as printed, and its origin."""

    file: str
    line: int | None
    function: str
    origin: Origin = Origin()

    @property
    def in_module(self) -> bool:
        """Whether it is code of a module, outside of all functions."""
        return self.function == MODULE_CODE

    @property
    def printed(self) -> str:
        """As Python prints it."""
        return f'File "{self.file}", line {self.line}, in {self.function}'


@record
class ExceptionLink:
    """One exception of a chain: its type (as printed, dotted), its message, its frames with the outermost first.

    ``event`` is the line that names it, ``rank`` whose it is where another rank passes it on. One that ``wraps`` only
    passes on those before it.
    """

    type: str
    message: str
    frames: tuple[Frame, ...]
    event: Event
    rank: int | None = None
    wraps: bool = False


@record
class Failure:
    """A failure record. ``id`` stays the same while it grows: a later record of the same id replaces it.

    ``chain`` goes from the innermost cause to what was raised last; it is empty if it is not an exception.
    ``type`` and ``message`` are those of the innermost cause. ``code`` is an exit status or, negative, minus a
    signal's number. ``workers`` are all that reported it; ``first`` is its first line, ``last`` its latest.
    """

    id: int
    kind: FailureKind
    worker: Worker
    first: Event
    last: Event
    type: str = ""
    message: str = ""
    chain: tuple[ExceptionLink, ...] = ()
    code: int | None = None
    form: str | None = None
    workers: tuple[Worker, ...] = ()
    stance: Stance = Stance.FACT

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the innermost cause, the outermost first."""
        return self.chain[0].frames if self.chain else ()

    @property
    def root(self) -> ExceptionLink:
        """The first exception of the chain that does not only pass on others."""
        return next((link for link in self.chain if not link.wraps), self.chain[0])

    @property
    def script(self) -> str | None:
        """The script that it ended, if the interpreter itself printed it: then module code is outermost."""
        outermost = self.chain[-1].frames[:_STARTERS] if self.chain else ()
        return next((frame.file for frame in outermost if frame.in_module), None)

    @property
    def raised(self) -> tuple[str, int | None, Frame | None]:
        """What was raised and where, by whomever."""
        return self.type, self.code, self.frames[-1] if self.frames else None

    @property
    def logged_whole(self) -> bool:
        """Whether it is one log record: whoever logged it has caught it."""
        return self.first.level is not None and self.last.level is None

    def begins_below(self, event: Event) -> bool:
        """Whether the same log begins to tell of it after this line."""
        return self.first.source == event.source and self.first.line > event.line

    def holds(self, event: Event) -> bool:
        """Whether the line is within the record."""
        return self.first.source == event.source and self.first.line <= event.line <= self.last.line
