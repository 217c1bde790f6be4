"""A rule file as it should be written: plain data made one, or one laid out anew, its comments kept; keys in order."""

import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString, SingleQuotedScalarString

from logrules.model.errors import PackError
from logrules.model.lint_finding import LintFinding, NodePath
from logrules.model.position import Position, Problem
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.yaml_reader import parse_document
from logrules.ruletest.layout_proof import is_laid_out
from logrules.ruletest.yaml_entries import ordered

# Long lines are one sentence or one log line: breaking them would hide what they say.
_NEVER_BROKEN = 1 << 30


def formatted(raw: bytes, shown: str, without: Iterable[NodePath] = ()) -> bytes:
    """The file in its canonical form, the parts at the paths ``without`` taken out.

    Raises PackError where it cannot be read, or would not say the same afterwards.
    """
    said = parse_document(raw, shown).data
    gone = sorted(without, key=_by_index, reverse=True)
    if not gone and is_laid_out(raw):
        return raw
    for path in gone:
        _take_out(said, path)
    try:
        text = ordered(_laid_out(raw, gone))
        same = parse_document(text.encode(), shown).data == said
    except (YAMLError, yaml.YAMLError, RecursionError, AttributeError, ValueError) as fault:
        reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise PackError([Problem(Position(shown), f"cannot be formatted: {reason}")]) from None
    if not same:
        raise PackError([Problem(Position(shown), "cannot be formatted without changing what it says")])
    return text.encode()


def _laid_out(raw: bytes, gone: Iterable[NodePath]) -> str:
    layout = _layout()
    document = layout.load(raw.decode("utf-8-sig"))
    for path in gone:
        _take_out(document, path)
    return _dumped(document, layout)


def _layout() -> YAML:
    layout = YAML()
    layout.preserve_quotes = True
    layout.width = _NEVER_BROKEN
    layout.indent(mapping=2, sequence=4, offset=2)
    return layout


def _dumped(document: object, layout: YAML) -> str:
    out = io.StringIO()
    layout.dump(document, out)
    return out.getvalue()


def _by_index(path: NodePath) -> tuple[tuple[int, str], ...]:
    """Later entries of a list are taken out before earlier ones, whose numbers then stay."""
    return tuple((part, "") if isinstance(part, int) else (-1, part) for part in path)


def _take_out(document: Any, path: NodePath) -> None:
    for part in path[:-1]:
        document = document[part]
    del document[path[-1]]


def autofixed(findings: Iterable[LintFinding], paths: Mapping[str, Path]) -> dict[Path, bytes]:
    """The new text of each file that a finding can be mended in; ``paths`` are the files by the names in findings.

    Raises PackError where a file cannot be written as it should be.
    """
    gone: dict[str, set[NodePath]] = {}
    for finding in findings:
        if finding.removes is not None and finding.place.path in paths:
            gone.setdefault(finding.place.path, set()).add(finding.removes)
    return {paths[shown]: formatted(rule_bytes(paths[shown]), shown, parts) for shown, parts in sorted(gone.items())}


# What one line may hold: a step, a signal, a list of names.
_LINE = 160
# What is a line anyway: an example with what is said of it, the addresses of pages.
_LONG_LINE = 400
_EXAMPLES = frozenset({"fires", "silent"})
# Mappings whose entries are rows of their own; of the first two the keys are names.
_NAMED = frozenset({"signals", "with"})
_BLOCKS = _NAMED | {"examples"}
# Of lists that hold nothing but words.
_ROOM = {"references": _LONG_LINE, "contains": 240, "fixes": 240}
# A text that needs no quotes between brackets; what looks like a number or a truth value is quoted by the layout.
_PLAIN = re.compile(r"[A-Za-z0-9_./$(+~][^,\[\]{}:#?'\"\\`]*[^,\[\]{}:#?'\"\\`\s]|[A-Za-z0-9_]")


def written(data: Mapping[str, Any], schema: str = "") -> str:
    """The text of a file that says this, with the schema that editors complete it by."""
    head = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    return head + ordered(_dumped(_node(dict(data), 0, top=True), _layout()))


def _node(value: object, depth: int, *, top: bool = False, flow: bool = False, key: str = "") -> object:
    """The value with its style: flow where it fits on its line. ``key`` is what it is, or is an entry of."""
    if isinstance(value, str):
        if "\n" in value and _is_block(value):
            return LiteralScalarString(value)
        quoted = flow and not _PLAIN.fullmatch(value) and value.isprintable()
        return SingleQuotedScalarString(value) if quoted else value
    if isinstance(value, Mapping):
        flow = flow or (not (top or key in _BLOCKS) and _short(value, depth, _LONG_LINE if key in _EXAMPLES else _LINE))
        named = key in _NAMED
        found = CommentedMap(
            (name, _node(item, depth + 1, flow=flow, key="" if named else name)) for name, item in value.items()
        )
        if flow:
            found.fa.set_flow_style()
        return found
    if isinstance(value, list | tuple):
        words = not any(isinstance(item, Mapping) for item in value)
        flow = flow or (words and _short(value, depth, _ROOM.get(key, _LINE)))
        rows = CommentedSeq(_node(item, depth + 1, flow=flow, key=key) for item in value)
        if flow:
            rows.fa.set_flow_style()
        return rows
    return value


def _is_block(text: str) -> bool:
    """Whether a block can say it: it must not begin with a blank, nor hold what YAML cannot print."""
    return not text.startswith((" ", "\n")) and all(letter == "\n" or letter.isprintable() for letter in text)


def _short(value: object, depth: int, room: int) -> bool:
    return "\n" not in _flat(value) and 2 * depth + len(_flat(value)) <= room


def _flat(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flat(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flat, value)) + "]"
    text = str(value)
    return text if _PLAIN.fullmatch(text) else f"'{text}'"
