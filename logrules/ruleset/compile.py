"""Rule texts to a Pack: YAML read, checked against the schema, assembled."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from logrules.model.errors import PackError
from logrules.model.position import Problem
from logrules.model.record import record, replace
from logrules.ruleset import models as schema
from logrules.ruleset.apply_settings import with_settings
from logrules.ruleset.assemble import EMPTY, assemble
from logrules.ruleset.bounds import MAX_PACK_PARTS
from logrules.ruleset.config import Config
from logrules.ruleset.file_adapter import validated
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.pack import Pack, Replaced
from logrules.ruleset.rule_file import SHIPPED, RuleSource, RuleText
from logrules.ruleset.tables import EXCEPTIONS, EXITS, Tables
from logrules.ruleset.translation import TRANSLATIONS, Translation
from logrules.ruleset.yaml_reader import parse_document

if TYPE_CHECKING:
    from logrules.ruleset.rule_file import AnyFile

_KINDS: "Mapping[str, type[AnyFile]]" = {
    "framework": FrameworkFile,
    "language": Translation,
    **dict.fromkeys(Tables.__match_args__, Tables),
}

# With more files than this beside the shipped ones, compiling all of them takes little longer.
MAX_ADDED = 100

# The checked file that a text says, or its problems; and what reads it.
Read: TypeAlias = tuple[RuleSource | None, Sequence[Problem]]
Reader: TypeAlias = Callable[[RuleText], Read]


@record
class CheckedFiles:
    """The checked files that texts say, later ones in the place of earlier ones, and every problem."""

    sources: tuple[RuleSource, ...]
    problems: tuple[Problem, ...] = ()
    replaced: tuple[Replaced, ...] = ()

    def pack(self, digest: str, on: Pack = EMPTY) -> Pack:
        """The pack of these files, put on another one as if all had been compiled: only its signals have other numbers.

        What may be put on the shipped one, `added_rules` lets through. Raises PackError with every problem.
        """
        pack, faults = assemble(self.sources, digest, on)
        if pack is None or self.problems:
            raise PackError([*self.problems, *faults])
        origins = {name: path for source in self.sources if source.origin for name, path in _own_rules(source)}
        before = {rule.id for rule in on.rules if not rule.from_table}
        # Of several files in a row the first is in the place of the shipped one.
        first = {one.what: one.before for one in reversed(self.replaced)}
        replaced = tuple(
            Replaced(what, first.get(what, path), f"{SHIPPED}/{name}.yaml")
            for name, path in origins.items()
            if name in before and (what := f"rule {name}")
        )
        return replace(pack, origins=origins, replaced=(*replaced, *self.replaced))


def read_source(text: RuleText) -> Read:
    """The checked file that a text says, or its problems."""
    kind: type[AnyFile] = schema.RuleFile
    try:
        document = parse_document(text.raw, text.shown)
        if isinstance(document.data, dict):
            kind = Translation if text.path.parent.name == TRANSLATIONS else _kind_of(document.data)
            if kind is schema.RuleFile:
                document.data.setdefault("id", text.id)
            elif kind is Translation:
                document.data.setdefault("language", text.path.stem)
        # What was checked is in the file.
        return RuleSource(replace(document, data=None), validated(document, kind), text.origin), []
    except PackError as fault:
        return None, fault.problems


def compile_pack(texts: Sequence[RuleText], digest: str, config: Config | None = None) -> Pack:
    """The pack that the texts spell, as the configuration wants it. Raises PackError with every problem."""
    return with_settings(read_sources(texts, config).pack(digest), config)


def added_rules(texts: Sequence[RuleText], config: Config | None, read: Reader = read_source) -> CheckedFiles | None:
    """What comes beside the shipped files, if these are few and none that others are read by: to be put on their pack.

    Rules, rows of exceptions, translations and further frameworks are none.
    """
    own = [text for text in texts if text.origin]
    if not (own or config) or len(own) > MAX_ADDED:
        return None
    found = read_sources(own, config, read)
    shipped = {PurePath(text.shown).stem for text in texts if not text.origin}
    return found if all(_is_read_alone(one.file, shipped) for one in found.sources) else None


def _is_read_alone(file: "AnyFile", shipped: Collection[str]) -> bool:
    """Whether no other file is read by what this one says, and none of the ``shipped`` is the same framework's."""
    if isinstance(file, Tables):
        return replace(file, exceptions=()) == Tables()
    if isinstance(file, FrameworkFile):
        return file.framework not in shipped
    return isinstance(file, schema.RuleFile | Translation)


def read_sources(texts: Iterable[RuleText], config: Config | None = None, read: Reader = read_source) -> CheckedFiles:
    """What the texts say, and what the configuration adds of its own."""
    problems: list[Problem] = []
    replaced: list[Replaced] = []
    sources: dict[str, RuleSource] = {}
    parts = 0

    def add(source: RuleSource) -> None:
        name = _identity(source)
        known = sources.get(name)
        if known is not None and known.origin == source.origin:
            problems.append(source.problem((), f"{name} is already defined in {known.document.path}", code="LR003"))
        elif known is not None:
            replaced.append(Replaced(name, source.document.path, known.document.path))
        sources[name] = source

    for source, faults in map(read, texts):
        problems += faults
        if source is None:
            continue
        add(source)
        parts += source.document.parts
        if parts > MAX_PACK_PARTS:
            message = f"with this file there are more than {MAX_PACK_PARTS} parts of rules"
            raise PackError([Problem(source.document.place(()), message)])
    for source in config.sources() if config else ():
        add(source)
    return CheckedFiles(tuple(sources.values()), tuple(problems), tuple(replaced))


def _own_rules(source: RuleSource) -> Iterator[tuple[str, str]]:
    match source.file:
        case schema.RuleFile(id=name):
            yield name, source.document.path
        case FrameworkFile(framework=framework, waits=waits):
            yield from ((f"waits/{framework}/{wait.id}", source.document.path) for wait in waits)
        case Tables(exceptions=rows, exit_forms=forms, exit_codes=codes):
            yield from ((f"{EXCEPTIONS}{row.id}", source.document.path) for row in rows)
            names = (*(form.id for form in forms), *(code.id for code in codes))
            yield from ((f"{EXITS}{name}", source.document.path) for name in names)


def _kind_of(data: Mapping[str, object]) -> "type[AnyFile]":
    """The model of the file that says this; steps alone are a file of steps."""
    if data.keys() == {"fixes"}:
        return schema.FixesFile
    return next((model for key, model in _KINDS.items() if key in data), schema.RuleFile)


def _identity(source: RuleSource) -> str:
    match source.file:
        case schema.RuleFile(id=name):
            return f"rule {name}"
        case FrameworkFile(framework=name):
            return f"framework {name}"
        case _:
            # Rows of tables are added to those before them.
            return f"{type(source.file).__name__} in {source.document.path}"
