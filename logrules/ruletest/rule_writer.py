"""Plain data as a rule file: short lists and mappings on one line, logs as blocks, keys in their order."""

import io
import re
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString, SingleQuotedScalarString

from logrules.ruletest.yaml_entries import ordered

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
    layout = YAML()
    layout.width = 1 << 30
    layout.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    layout.dump(_node(dict(data), 0, top=True), out)
    head = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    return head + ordered(out.getvalue())


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
