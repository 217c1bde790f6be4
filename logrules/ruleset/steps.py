"""What to try: the one model of a step, in rule files as in a compiled pack (see `ruleset.tables`), and kept cards."""

from collections.abc import Iterator, Mapping
from typing import Annotated, TypeAlias

from logrules.model.record import field, keyed_record, record
from logrules.model.report import Restart, Risk
from logrules.ruleset.bounds import Len, LooksLike, Name, Pattern, Reads

SignalName = Annotated[str, LooksLike(r"^[a-z][a-z0-9_]*$", 60)]
Sentence = Annotated[str, Len(1, 2000)]


def _texts(value: object) -> object:
    """The values of a mapping as they would be typed: YAML reads numbers and truth values out of them."""
    return {key: _typed(item) for key, item in value.items()} if isinstance(value, dict) else value


def _typed(item: object) -> object:
    if isinstance(item, bool):
        return str(item).lower()
    return str(item) if isinstance(item, int | float) else item


TextMap = Annotated[dict[str, str], Reads(_texts)]


@keyed_record
class RunFile:
    """A shell command that differs between shells."""

    bash: str
    powershell: str | None = None


@keyed_record
class FixFile:
    """One thing to try; ``do`` says what, the other keys how. ``{name}`` is replaced by a capture.

    Without ``risk`` it is what such a step can usually break: a command that is known to look changes nothing.
    ``where`` and ``unless`` choose among the variants of a message: the step is shown only where a line of the
    diagnosis or a frame of its traceback has the one, and where none has the other. With ``during`` it is shown only
    where the log itself shows that the failure was in one of these phases. ``when_told`` and ``unless_told`` ask for
    captures and told names by their patterns: all of the one must be told so, and none of the other. A ``fallback`` is
    shown only where no other step is.
    """

    do: Sentence
    run: str | RunFile | None = None
    env: TextMap = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    config: TextMap = field(default_factory=dict)
    code: str | None = None
    note: Sentence | None = None
    risk: Risk | None = None
    frameworks: tuple[Name, ...] = ()
    where: Pattern | None = None
    unless: Pattern | None = None
    during: tuple[SignalName, ...] = ()
    when_told: dict[str, Pattern] = field(default_factory=dict)
    unless_told: dict[str, Pattern] = field(default_factory=dict)
    fallback: bool = False

    @property
    def bash(self) -> str | None:
        """Its command as bash takes it."""
        return self.run.bash if isinstance(self.run, RunFile) else self.run

    @property
    def powershell(self) -> str | None:
        """Its command as PowerShell takes it, where that is another."""
        return self.run.powershell if isinstance(self.run, RunFile) else None


@keyed_record
class NamedFixFile(FixFile):
    """A step that rules name. ``params`` are the slots that they may fill, with what stands there otherwise."""

    id: Name
    params: TextMap = field(default_factory=dict)


# A step by its name, spelled out, or by its name with parameters.
Step: TypeAlias = str | FixFile | dict[str, dict[str, str]]


def named_steps(step: Step) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The names and parameters of a step that is not spelled out itself."""
    if isinstance(step, str):
        yield step, {}
    elif isinstance(step, dict):
        yield from step.items()


@record
class KeptCard:
    """What a person reads of a rule, a wait or a row of a table, as a pack keeps it.

    A row has words of its ``cause`` where it has none of its own. ``quotes`` are steps of the cause that put the
    message's own words to use: they go behind the steps that come ``first``.
    """

    title: str
    why: str
    restart: Restart
    cause: str = ""
    differs_from: str | None = None
    first: tuple[Step, ...] = ()
    quotes: tuple[str, ...] = ()
    rest: tuple[Step, ...] = ()
    references: tuple[str, ...] = ()
