"""What is the same for many rules stands once, in a table: causes, origins, stances, exceptions, exits.

Each class here is the one model of its concept: the files under ``rules/`` are checked against it (by
``ruleset.file_adapter``, with pydantic), its JSON Schema is published, and a compiled pack holds its instances.
Nothing here imports pydantic, so that a diagnosis need not.
"""

from collections.abc import Mapping
from enum import StrEnum

from logrules.model.event import Stance
from logrules.model.record import field, record
from logrules.ruleset.bounds import AnyCase, Pattern, SearchedText
from logrules.ruleset.causes import AlternativesRow, Cause, Label, Tier
from logrules.ruleset.name_tables import (
    DerivedNumber,
    FrameworkSettings,
    OtherName,
    RenamedSetting,
    ToldName,
    Wording,
)

# What the names of rules begin with that stand for rows of tables.
EXCEPTIONS, EXITS, ALTERNATIVES, WAITS = "exceptions/", "exits/", "alternatives/", "waits/"


@record
class Phase:
    """A phase of the pipeline; ``loop`` phases repeat until the run ends, in ``idle`` ones silence is normal.

    One that another pack adds comes ``after`` a phase that is known, else last. ``words`` is a pattern of what scripts
    that no framework knows say there; it is read where a log ends and nothing else tells where it was. In jobs of a
    framework that loops in the phase which it is ``part_of``, and not in it, a marker means that one.
    """

    id: Label
    title: str
    about: str
    after: str | None = None
    loop: bool = False
    idle: bool = False
    words: AnyCase | None = None
    part_of: Label | None = None


@record
class Place:
    """A part of a component and the phase that it works in.

    ``path`` is a path from the package's folder on (a file, or a folder with a final ``/``), which begins with one of
    the component's paths; ``files`` are file names below such a folder, for what moves between versions. Where
    ``functions`` are given, only these (the last part of a qualified name, or ``Class.method``). ``logger`` is a
    logger's name or a prefix of it up to a dot, ``source`` a source file as headers print it
    (``ProcessGroupNCCL.cpp``). ``component`` and ``group``, where the part belongs to another than its file.
    """

    path: str = ""
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    logger: str = ""
    source: str = ""
    phase: str | None = None
    component: str | None = None
    group: str | None = None


@record
class Component:
    """A package, or a part of one, that failures come from.

    ``group`` is what rows of exceptions/ ask for: trainer, engine, hub, tracker, checkpoint, dataset, collective,
    compiler, launcher, http, cuda, python … ``paths`` are package paths (``vllm/``, ``torch/serialization.py``).
    """

    id: Label
    group: Label
    paths: tuple[str, ...] = ()
    loggers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    phase: str | None = None
    places: tuple[Place, ...] = ()


@record
class OwnWords:
    """Words of file and function names of the user's own code, and the phase that they speak of.

    A word is one of a name in snake or camel case, or several in a row, joined by ``_``; behind ``=`` it is all of the
    name; ``<module>`` is what an import runs.
    """

    phase: Label
    functions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Part(StrEnum):
    """The part of a line in which a form of statements is searched: ``message`` is the line without its prefixes.

    ``text`` is the whole line, ``above`` the line before it and its message with a newline between, ``clause`` every
    clause of the message by itself, in lower case.
    """

    MESSAGE = "message"
    TEXT = "text"
    ABOVE = "above"
    CLAUSE = "clause"


@record
class Nesting:
    """What a phase that an inner frame says means inside of outer frames.

    Where an outer frame says one of the phases ``inside`` or is from one of the ``groups``, an inner frame of one of
    ``phases`` is a part of that: the phase is ``becomes``, or stays the outer one where nothing is given. Unless it is
    ``named``, that does not hold for an outer phase that only words of the user's own names tell. A row without
    ``phases`` says in which phase most often is what comes through one of the ``groups``, where nothing else tells.
    """

    phases: tuple[Label, ...]
    inside: tuple[Label, ...] = ()
    groups: tuple[Label, ...] = ()
    becomes: Label | None = None
    named: bool = True


@record
class StanceForm:
    """A form of statements. The first one of the table that a line fits says its stance; none: it is a fact.

    ``pattern`` is searched in the ``part`` of the line if that holds one of the texts in ``contains`` (lower case
    here, any case in the log; none: always). ``levels`` narrow it to lines that claim one of these, or ``none``.

    Forms of a ``clause`` come after all others and work together: those of the stance fact are the words by which a
    clause reports trouble, and a line has another stance if every clause that reports trouble (the first clause,
    where none does) fits a form of that stance.

    ``samples`` must have this stance, ``near`` must not; of two lines the second is judged.
    """

    id: Label
    stance: Stance
    pattern: Pattern
    part: Part = Part.MESSAGE
    contains: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


@record
class ExceptionClass:
    """A class of exceptions and what it inherits from, by the last part of its name."""

    name: Label
    bases: tuple[str, ...]


@record
class ExceptionRow:
    """An exception that names a cause. All that is given must hold; the row with more given goes first.

    ``classes``: the exception is one of these or inherits from one. ``errno``: its message has one of these numbers as
    Python prints them (``[Errno 98]``). ``words`` is searched in its message, whatever its case, ``without`` must not
    be found there. ``under``: one of its frames is from one of these components or groups of origins/; ``own``,
    ``own:PHASE`` and ``library`` are such places too; ``outside``: none of its frames is from one of these.
    ``raised_in``: its innermost frame that is not the user's own is. ``function`` is searched in the name of the
    function that raised. A ``fallback`` row speaks only where no other row and no rule knows the failure: there is no
    row for what only the user's own logic raises. Causes in ``explained_by`` explain it whatever their tier.
    """

    id: Label
    cause: Label
    classes: tuple[str, ...] = ()
    errno: tuple[int, ...] = ()
    words: AnyCase | None = None
    without: AnyCase | None = None
    under: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    raised_in: tuple[str, ...] = ()
    function: AnyCase | None = None
    phase: str | None = None
    fallback: bool = False
    explained_by: tuple[str, ...] = ()
    title: str | None = None
    why: str | None = None
    fixes: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


@record
class ExitForm:
    """A form in which somebody reports that a process ended.

    ``contains`` are literals for the scan. ``pattern`` captures one of ``code`` (a status; minus a signal's number in
    forms that say so), ``signal`` (a number, a name or its words), and may capture ``rank``, ``host``, ``pid``,
    ``name``; ``code`` is implied where none is captured (an OOM kill is a SIGKILL). ``cause`` is that of the form
    itself, unless a row of its own says more of a code. Lines of one ``table`` make up one record: who is
    captured first, the code last, ``root`` marks that the entry below it failed first. ``samples`` maps lines to the
    code that must be read (minus a signal's number), None where the form tells none.
    """

    id: Label
    contains: tuple[SearchedText, ...]
    pattern: Pattern
    component: str | None = None
    cause: str | None = None
    code: int | None = None
    table: str | None = None
    samples: Mapping[str, int | None] = field(default_factory=dict)
    near: tuple[str, ...] = ()


@record
class ExitCode:
    """What an exit status (``code``) or a signal (``signal``, by name) says; in some ``forms`` only, where given.

    One with neither speaks of every status that no row above it names. Causes in ``explained_by``
    explain it whatever their tier.
    """

    id: Label
    cause: Label
    code: int | None = None
    signal: str | None = None
    forms: tuple[str, ...] = ()
    tier: str | None = None
    explained_by: tuple[str, ...] = ()
    title: str | None = None
    why: str | None = None
    fixes: tuple[str, ...] = ()


@record
class CertaintyModel:
    """How sure diagnoses are: parameters that were fitted on labelled logs, and what each rule's record there is.

    ``weights`` are by feature (``inference.certainty``), ``records`` are (right, seen) by rule. ``fitted`` says when,
    on what and how well.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    records: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    fitted: Mapping[str, str | float] = field(default_factory=dict)


@record
class Tables:
    """The tables of a pack, or those that one of its files has; ``tiers`` from what explains to what is explained."""

    phases: tuple[Phase, ...] = ()
    tiers: tuple[Tier, ...] = ()
    causes: tuple[Cause, ...] = ()
    alternatives: tuple[AlternativesRow, ...] = ()
    components: tuple[Component, ...] = ()
    own_words: tuple[OwnWords, ...] = ()
    nesting: tuple[Nesting, ...] = ()
    stances: tuple[StanceForm, ...] = ()
    wordings: tuple[Wording, ...] = ()
    classes: tuple[ExceptionClass, ...] = ()
    exceptions: tuple[ExceptionRow, ...] = ()
    exit_forms: tuple[ExitForm, ...] = ()
    exit_codes: tuple[ExitCode, ...] = ()
    certainty_model: CertaintyModel = CertaintyModel()
    other_names: tuple[OtherName, ...] = ()
    told_names: tuple[ToldName, ...] = ()
    numbers: tuple[DerivedNumber, ...] = ()
    settings: tuple[FrameworkSettings, ...] = ()
    renamed: tuple[RenamedSetting, ...] = ()
