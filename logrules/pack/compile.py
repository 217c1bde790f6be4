"""Rule texts to a Pack: YAML read, checked against the schema, assembled."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from logrules.model.place import Problem
from logrules.pack import schema
from logrules.pack.assemble import Source, assemble
from logrules.pack.document import Document, Unreadable, parse_document
from logrules.pack.pack import Pack

if TYPE_CHECKING:
    from logrules.pack.load import RuleText

_KINDS: Mapping[str, type[schema.Strict]] = {
    "framework": schema.PhaseFile,
    "family": schema.FormatFile,
    "causes": schema.VocabularyFile,
}


def compile_pack(texts: Sequence["RuleText"], digest: str) -> tuple[Pack | None, tuple[Problem, ...]]:
    """The pack that the texts spell, or None and every problem in them."""
    sources, problems = read_sources(texts)
    pack, faults = assemble(sources, digest)
    return (None, (*problems, *faults)) if problems else (pack, tuple(faults))


def read_sources(texts: Iterable["RuleText"]) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """The checked files that the texts say, later ones in the place of earlier ones, and every problem."""
    problems: list[Problem] = []
    sources: dict[str, Source] = {}
    for text in texts:
        source, faults = read_source(text)
        problems += faults
        if source is not None:
            name = _identity(source)
            problems += _duplicate(sources.get(name), source)
            sources[name] = source
    return tuple(sources.values()), tuple(problems)


def read_source(text: "RuleText") -> tuple[Source | None, Sequence[Problem]]:
    """The checked file that a text says, or its problems."""
    try:
        document = parse_document(text.raw, text.shown)
    except Unreadable as fault:
        return None, [fault.problem]
    if not isinstance(document.data, dict):
        return None, [Problem(document.place(()), "is not a mapping of keys to values")]
    kind = next((model for key, model in _KINDS.items() if key in document.data), schema.RuleFile)
    if kind is schema.VocabularyFile and "signals" in document.data:
        kind = schema.RuleFile
    try:
        return Source(document, kind.model_validate(document.data)), []  # type: ignore[arg-type]
    except ValidationError as fault:
        return None, list(problems_of(document, fault))


def problems_of(document: Document, fault: ValidationError) -> Iterable[Problem]:
    """What a model found wrong with a document, each with its place."""
    for error in fault.errors(include_url=False, include_input=False):
        at = tuple(part for part in error["loc"] if isinstance(part, str | int))
        name = ".".join(map(str, at))
        message = error["msg"].removeprefix("Value error, ")
        if error["type"] == "extra_forbidden":
            message = "unknown key"
        yield Problem(document.place(at), f"`{name}`: {message}" if name else message)


def _identity(source: Source) -> str:
    match source.file:
        case schema.RuleFile(id=name):
            return f"rule {name}"
        case schema.PhaseFile(framework=name):
            return f"phases {name}"
        case schema.FormatFile(family=name):
            return f"formats {name}"
        case _:
            return "vocabulary"


def _duplicate(known: Source | None, again: Source) -> Iterable[Problem]:
    """Two files of one folder that claim the same name; another folder's file overrides on purpose."""
    if known is None or _root(known) != _root(again):
        return
    yield again.problem((), f"{_identity(again)} is already defined in {known.document.path}")


def _root(source: Source) -> str:
    return source.document.path.partition("/")[0]
