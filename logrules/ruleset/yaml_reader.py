"""A YAML file, read within bounds, together with where each of its parts stands."""

import marshal
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import yaml

from logrules.model.errors import PackError
from logrules.model.position import Position, Problem
from logrules.model.record import record
from logrules.ruleset.bounded_read import decoded

MAX_DEPTH = 30
MAX_NODES = 50_000
SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Path: TypeAlias = tuple[str | int, ...]
_Places: TypeAlias = Mapping[_Path, tuple[int, int]]
# A text may be called one; what else a part is its own form says.
_TEXT_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
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

# Words and numbers that are no texts: those of JSON, so that a number is always spelt as it was (a port `08080`, a mode
# `0755`, a time `12:30` and a day are texts), and what YAML 1.2 has besides. `no`, `on` and `<<` are texts like others.
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {"true": True, "false": False}
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|\.inf)|\.nan")
# What such a word begins with, if with anything: most texts begin otherwise.
_FIRST = frozenset(["", *"~nNtf0123456789-+."])


@record
class Document:
    """Plain data of so many ``parts``, and the line and column of each, by its path of keys and indices.

    Few are ever asked for: ``kept_places`` has them as `marshal` writes them, in a quarter of the memory.
    """

    path: str
    data: Any
    parts: int
    kept_places: bytes

    @classmethod
    def of(cls, path: str, data: Any, places: dict[_Path, tuple[int, int]]) -> "Document":
        """The document of these data, whose parts stand at these places."""
        return cls(path, data, len(places), marshal.dumps(places))

    def place(self, at: Sequence[str | int]) -> Position:
        """Where the part at this path stands, or the nearest enclosing part that is known."""
        places = _places_of(self.kept_places)
        known = tuple(at)
        while known and known not in places:
            known = known[:-1]
        return Position(self.path, *places.get(known, (1, 1)))


@lru_cache(maxsize=8)
def _places_of(kept: bytes) -> _Places:
    found: _Places = marshal.loads(kept)  # noqa: S302 (a document wrote it, in this process)
    return found


def parse_document(raw: bytes, shown: str) -> Document:
    """The document that ``raw`` spells; ``shown`` names it in messages. Raises PackError, for aliases too."""
    text = decoded(raw, shown)
    try:
        parser = SafeLoader(text)
        try:
            return _Composer(parser, shown).document()
        finally:
            parser.dispose()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise _refusal(mark, shown, f"is not valid YAML: {fault.problem or fault.context}", _remedy(fault)) from None
    except yaml.reader.ReaderError as fault:
        raise PackError([Problem(_unprintable(text, shown), f"is not valid YAML: {_first_line(fault)}")]) from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as fault:
        raise _refusal(None, shown, f"is not valid YAML: {_first_line(fault)}") from None


def _first_line(fault: Exception) -> str:
    return str(fault).splitlines()[0]


def _unprintable(text: str, shown: str) -> Position:
    """Where the first character stands that no YAML may have: the parser does not say in which line."""
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    at = found.start() if found else 0
    return Position(shown, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


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

    def __init__(self, parser: Any, shown: str) -> None:
        self._next = parser.get_event
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
        return Document.of(self._shown, data, self._places)

    def _value(self, event: Any, path: _Path) -> Any:
        self._places[path] = _line_and_column(event.start_mark)
        if len(self._places) > MAX_NODES:
            raise self._refusal(event, f"has more than {MAX_NODES} parts")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal(event, "aliases are not allowed")
        if len(path) >= MAX_DEPTH:
            raise self._refusal(event, f"is nested deeper than {MAX_DEPTH}")
        if not event.implicit:
            raise self._unknown_tag(event)
        return self._list(path) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(path)

    def _list(self, path: _Path) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            found.append(self._value(event, (*path, len(found))))
        return found

    def _mapping(self, path: _Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(key := self._next(), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise self._refusal(key, "is not valid YAML: a key must be a text, and no list or mapping")
            if key.tag not in _TEXT_TAGS:
                raise self._unknown_tag(key)
            # Keys are texts, whatever they look like: `1` and `true` would be the same.
            name = key.value
            if name in found:
                raise self._refusal(key, f"the key `{name}` is given twice")
            at = (*path, name)
            found[name] = self._value(self._next(), at)
            self._places[at] = _line_and_column(key.start_mark)
        return found

    def _scalar(self, event: Any) -> Any:
        if event.tag not in _TEXT_TAGS:
            raise self._unknown_tag(event)
        return _plain(event.value) if event.implicit[0] and event.value[:1] in _FIRST else event.value

    def _unknown_tag(self, event: Any) -> PackError:
        message = f"is not valid YAML: nothing is known of the tag {event.tag!r} here"
        return _refusal(event.start_mark, self._shown, message, "leave it out")

    def _refusal(self, event: Any, message: str) -> PackError:
        return _refusal(event.start_mark, self._shown, message)


def _plain(value: str) -> str | float | None:
    """What a text without quotes is: nothing, a truth value, a number, or a text."""
    if value in _NULLS:
        return None
    if value in _TRUTHS:
        return _TRUTHS[value]
    if _INTEGER.fullmatch(value):
        return int(value)
    # Python writes infinity and no number without the dot.
    return float(value.replace(".inf", "inf").replace(".nan", "nan")) if _FLOAT.fullmatch(value) else value
