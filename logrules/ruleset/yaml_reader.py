"""A YAML file, read within bounds, together with where each of its parts stands."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import yaml

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record
from logrules.ruleset.bounded_read import decoded

MAX_DEPTH = 30
MAX_NODES = 100_000
_Path: TypeAlias = tuple[str | int, ...]
# What lists and mappings are anyhow; scalars that say nothing of their kind.
_PLAIN_TAGS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_UNTAGGED = frozenset({None, "!"})
# What helps against the usual slips, by what the parser says of them: its words are about its own workings.
_REMEDIES = {
    "tab character": "indent with blanks, not with tabs",
    "cannot start any token": "indent with blanks, not with tabs; put a text that begins with @, % or ` in quotes",
    "mapping values are not allowed": "put a text with `: ` in quotes, and let keys of one mapping begin in one column",
    "unknown escape character": "put patterns in single quotes, in which a backslash is a backslash",
    "did not find expected key": "let keys of one mapping begin in one column, and end quotes before the line goes on",
    "did not find expected ','": "close the bracket, and put a text with a comma or `: ` in quotes",
    "unexpected end of stream": "close the quote",
    "could not find expected ':'": "each line of a mapping is `key: value`",
    "undefined alias": "put a text that begins with * in quotes",
    "alphabetic or numeric character": "put a text that begins with * or & in quotes",
}


class PlainLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML in which only `true` and `false` are truth values: `no` and `on` are words (as in YAML 1.2)."""


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in PlainLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


@record
class Document:
    """Plain data and the line and column of each part, by its path of keys and indices."""

    path: str
    data: Any
    places: Mapping[tuple[str | int, ...], tuple[int, int]]

    def place(self, at: Sequence[str | int]) -> Position:
        """Where the part at this path stands, or the nearest enclosing part that is known."""
        known = tuple(at)
        while known and known not in self.places:
            known = known[:-1]
        line, column = self.places.get(known, (1, 1))
        return Position(self.path, line, column)


def parse_document(raw: bytes, shown: str) -> Document:
    """The document that ``raw`` spells; ``shown`` names it in messages. Raises PackError, for aliases too."""
    text = decoded(raw, shown)
    try:
        loader = PlainLoader(text)
        try:
            return _Composer(loader, shown).document()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise _refusal(mark, shown, f"is not valid YAML: {fault.problem or fault.context}", _remedy(fault)) from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as fault:
        raise _refusal(None, shown, f"is not valid YAML: {str(fault).splitlines()[0]}") from None


def _remedy(fault: yaml.MarkedYAMLError) -> str | None:
    """What helps against the usual slips: what the parser says of them speaks of its own workings."""
    said = f"{fault.context or ''}: {fault.problem or ''}"
    return next((remedy for words, remedy in _REMEDIES.items() if words in said), None)


def _refusal(mark: Any, shown: str, message: str, hint: str | None = None) -> PackError:
    """What is wrong at a mark of the parser."""
    place = Position(shown) if mark is None else Position(shown, *_line_and_column(mark))
    return PackError([Problem(place, message, hint)])


def _line_and_column(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


class _Composer:
    """Plain data and its places, built from the events of one pass: nodes between would take twice as long."""

    def __init__(self, loader: Any, shown: str) -> None:
        self._loader = loader
        self._next = loader.get_event
        self._shown = shown
        self._places: dict[_Path, tuple[int, int]] = {}

    def document(self) -> Document:
        """The one document of the text."""
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            raise _refusal(None, self._shown, "is empty")
        data = self._value(self._next(), ())
        self._next()
        if not isinstance(further := self._next(), yaml.StreamEndEvent):
            raise self._refusal(further, "is not valid YAML: but found another document")
        return Document(self._shown, data, self._places)

    def _value(self, event: Any, path: _Path) -> Any:
        self._places[path] = _line_and_column(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if len(self._places) > MAX_NODES:
            raise _refusal(None, self._shown, f"has more than {MAX_NODES} parts")
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal(event, "aliases are not allowed")
        if len(path) >= MAX_DEPTH:
            raise self._refusal(event, f"is nested deeper than {MAX_DEPTH}")
        if not event.implicit and event.tag not in _PLAIN_TAGS:
            raise self._refusal(event, f"is not valid YAML: nothing is known of the tag {event.tag!r}")
        return self._list(path) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(path)

    def _list(self, path: _Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            found.append(self._value(event, (*path, len(found))))
        return found

    def _mapping(self, path: _Path) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        seen: set[str] = set()
        while not isinstance(key := self._next(), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise self._refusal(key, "is not valid YAML: found unhashable key")
            name = key.value
            if name in seen:
                raise self._refusal(key, f"the key `{name}` is given twice")
            seen.add(name)
            at = (*path, name)
            found[self._scalar(key)] = self._value(self._next(), at)
            self._places[at] = _line_and_column(key.start_mark)
        return found

    def _scalar(self, event: Any) -> Any:
        value, tag, plain = event.value, event.tag, event.implicit[0]
        if tag in _UNTAGGED:
            if not plain or value[:1] not in PlainLoader.yaml_implicit_resolvers:
                return value
            tag = self._loader.resolve(yaml.ScalarNode, value, event.implicit)
        return self._loader.construct_object(yaml.ScalarNode(tag, value, event.start_mark, event.end_mark))

    def _refusal(self, event: Any, message: str) -> PackError:
        return _refusal(event.start_mark, self._shown, message)
