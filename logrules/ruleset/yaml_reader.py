"""A YAML file, read within bounds, together with where each of its parts stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from logrules.model.position import Position, Problem
from logrules.ruleset.bounded_read import read_bounded
from logrules.ruleset.bounds import MAX_FILE_BYTES

MAX_DEPTH = 30
MAX_NODES = 100_000


class PlainLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML in which only `true` and `false` are truth values: `no` and `on` are words (as in YAML 1.2)."""


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in PlainLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and the place of each part, by its path of keys and indices."""

    path: str
    data: Any
    places: dict[tuple[str | int, ...], Position]

    def place(self, at: Sequence[str | int]) -> Position:
        """Where the part at this path stands, or the nearest enclosing part that is known."""
        known = tuple(at)
        while known and known not in self.places:
            known = known[:-1]
        return self.places.get(known, Position(self.path))


class Unreadable(Exception):
    """A file that is no usable YAML; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read_document(path: Path, shown: str) -> Document:
    """The document in ``path``, named ``shown`` in messages. Raises Unreadable."""
    return parse_document(_read(path, shown), shown)


def _read(path: Path, shown: str) -> bytes:
    try:
        return read_bounded(path, MAX_FILE_BYTES)
    except OSError as fault:
        raise Unreadable(Problem(Position(shown), f"cannot be read: {fault.strerror or fault}")) from None


def parse_document(raw: bytes, shown: str) -> Document:
    """The document that ``raw`` spells. Raises Unreadable; aliases and exotic tags are refused."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise Unreadable(Problem(Position(shown, line), "is not UTF-8 text")) from None
    try:
        loader = PlainLoader(text)
        try:
            _refuse_aliases(text, shown)
            node = loader.get_single_node()
            if node is None:
                raise Unreadable(Problem(Position(shown), "is empty"))
            places: dict[tuple[str | int, ...], Position] = {}
            _walk(node, (), shown, places)
            return Document(shown, loader.construct_document(node), places)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise Unreadable(Problem(_at(mark, shown), f"is not valid YAML: {fault.problem or fault.context}")) from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as fault:
        raise Unreadable(Problem(Position(shown), f"is not valid YAML: {str(fault).splitlines()[0]}")) from None


def _refuse_aliases(text: str, shown: str) -> None:
    depth = 0
    for token in yaml.parse(text, Loader=PlainLoader):
        if isinstance(token, yaml.AliasEvent):
            raise Unreadable(Problem(_at(token.start_mark, shown), "aliases are not allowed"))
        if isinstance(token, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(token, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise Unreadable(Problem(_at(token.start_mark, shown), f"is nested deeper than {MAX_DEPTH}"))


def _at(mark: Any, shown: str) -> Position:
    return Position(shown) if mark is None else Position(shown, mark.line + 1, mark.column + 1)


def _walk(
    node: yaml.Node, path: tuple[str | int, ...], shown: str, places: dict[tuple[str | int, ...], Position]
) -> None:
    if len(places) > MAX_NODES:
        raise Unreadable(Problem(Position(shown), f"has more than {MAX_NODES} parts"))
    places[path] = _at(node.start_mark, shown)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _walk(item, (*path, index), shown, places)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, item in node.value:
            name = str(key.value)
            if name in seen:
                raise Unreadable(Problem(_at(key.start_mark, shown), f"the key `{name}` is given twice"))
            seen.add(name)
            _walk(item, (*path, name), shown, places)
            places[(*path, name)] = _at(key.start_mark, shown)
