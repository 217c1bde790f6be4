"""What is the same for many rules stands once, in a table: causes, origins, stances, exceptions, exits.

Each class here is the one model of its concept: the files under ``rules/`` are checked against it (by
``ruleset.table_reader``, with pydantic), its JSON Schema is published, and a compiled pack holds its instances.
Nothing here imports pydantic, so that a diagnosis need not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Len

from logrules.model.failure import Stance
from logrules.model.report import Restart, Severity

Name = Annotated[str, Len(1, 80)]
Pattern = Annotated[str, Len(1, 2000)]


@dataclass(frozen=True, slots=True)
class Cause:
    """What rules and tables may name as the cause of a failure.

    ``tier`` is one of the table's ``tiers``: a cause explains those of later tiers. ``phase`` is where it happens if
    nothing tells. ``culprit``: whom it points at, the one who reports it, who is absent, who is captured, or nobody.
    ``cleared_by``: what shows that the run survived it. A ``stall`` says that the run does not move. ``fixes`` are
    steps of fixes.yaml for what a table recognised.
    """

    id: Name
    family: Name
    tier: Name
    title: Name
    about: str
    phase: str | None = None
    severity: Severity = Severity.ERROR
    restart: Restart = Restart.AFTER_FIX
    culprit: str = "reporter"
    cleared_by: str = "progress"
    stall: bool = False
    checks: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a component and the phase that it works in.

    ``path`` is a path from the package's folder on (a file, or a folder with a final ``/``), which begins with one of
    the component's paths. Where ``functions`` are given, only these (the last part of a qualified name, or
    ``Class.method``). ``logger`` is a logger's name or a prefix of it up to a dot, ``source`` a source file as headers
    print it (``ProcessGroupNCCL.cpp``). ``component`` and ``group``, where the part belongs to another than its file.
    """

    path: str = ""
    functions: tuple[str, ...] = ()
    logger: str = ""
    source: str = ""
    phase: str | None = None
    component: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Component:
    """A package, or a part of one, that failures come from.

    ``group`` is what exceptions.yaml asks for: trainer, engine, hub, tracker, checkpoint, dataset, collective,
    compiler, launcher, http, cuda, python … ``paths`` are package paths (``vllm/``, ``torch/serialization.py``).
    """

    id: Name
    group: Name
    paths: tuple[str, ...] = ()
    loggers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    phase: str | None = None
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Words of file and function names of the user's own code, and the phase that they speak of."""

    phase: Name
    functions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StanceForm:
    """A form of statements.

    ``pattern`` is searched in the message of a line, ``levels`` narrow it to lines that claim one of these levels.
    ``samples`` must have this stance, ``near`` must not.
    """

    id: Name
    stance: Stance
    pattern: Pattern
    levels: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExceptionClass:
    """A class of exceptions and what it inherits from, by the last part of its name."""

    name: Name
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExceptionRow:
    """An exception that names a cause. All that is given must hold; the row with more given goes first.

    ``classes``: the exception is one of these or inherits from one. ``errno``: its message has one of these numbers as
    Python prints them (``[Errno 98]``). ``words`` is searched in its message, ``without`` must not be found there.
    ``under``: one of its frames is from one of these components or groups. ``raised_in``: its innermost frame that is
    not the user's own is.
    """

    id: Name
    cause: Name
    classes: tuple[str, ...] = ()
    errno: tuple[int, ...] = ()
    words: Pattern | None = None
    without: Pattern | None = None
    under: tuple[str, ...] = ()
    raised_in: tuple[str, ...] = ()
    phase: str | None = None
    title: str | None = None
    why: str | None = None
    fixes: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExitForm:
    """A form in which somebody reports that a process ended.

    ``contains`` are literals for the scan. ``pattern`` captures one of ``code`` (a status; minus a signal's number in
    forms that say so), ``signal`` (a number, a name or its words), and may capture ``rank``, ``host``, ``pid``,
    ``name``; ``code`` is what the form implies where it captures none (an OOM kill is a SIGKILL). ``cause`` is that of
    the form itself, unless a row of its own says more of a code. Lines of one ``table`` make up one record: who is
    captured first, the code last, ``root`` marks that the entry below it failed first. ``samples`` maps lines to the
    code that must be read (minus a signal's number), None where the form tells none.
    """

    id: Name
    contains: tuple[str, ...]
    pattern: Pattern
    component: str | None = None
    cause: str | None = None
    code: int | None = None
    table: str | None = None
    samples: Mapping[str, int | None] = field(default_factory=dict)
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExitCode:
    """What an exit status (``code``) or a signal (``signal``, by name) says; in some ``forms`` only, where given."""

    id: Name
    cause: Name
    code: int | None = None
    signal: str | None = None
    forms: tuple[str, ...] = ()
    tier: str | None = None
    title: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables of a pack; ``tiers`` from what explains to what is explained."""

    tiers: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    components: tuple[Component, ...] = ()
    own_words: tuple[OwnWords, ...] = ()
    stances: tuple[StanceForm, ...] = ()
    classes: tuple[ExceptionClass, ...] = ()
    exceptions: tuple[ExceptionRow, ...] = ()
    exit_forms: tuple[ExitForm, ...] = ()
    exit_codes: tuple[ExitCode, ...] = ()
