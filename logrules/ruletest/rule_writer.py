"""Plain data as a rule file: short lists and mappings on one line, logs as blocks, keys in their order."""

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString

from logrules.ruletest.yaml_entries import ordered

# What fits on a line that nobody has to scroll.
_LINE = 118


def written(data: Mapping[str, Any], schema: str = "") -> str:
    """The text of a file that says this, with the schema that editors complete it by."""
    layout = YAML()
    layout.width = 1 << 30
    layout.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    layout.dump(_node(dict(data), 0, top=True), out)
    head = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    return head + ordered(out.getvalue())


def _node(value: object, depth: int, *, top: bool = False) -> object:
    """The value with its style: flow where it fits on its line."""
    if isinstance(value, str):
        return LiteralScalarString(value) if "\n" in value and _is_block(value) else value
    if isinstance(value, Mapping):
        found = CommentedMap((key, _node(item, depth + 1)) for key, item in value.items())
        if not top and _short(value, depth):
            found.fa.set_flow_style()
        return found
    if isinstance(value, list | tuple):
        rows = CommentedSeq(_node(item, depth + 1) for item in value)
        if _short(value, depth):
            rows.fa.set_flow_style()
        return rows
    return value


def _is_block(text: str) -> bool:
    """Whether a block can say it: it must not begin with a blank, nor hold what YAML cannot print."""
    return not text.startswith((" ", "\n")) and all(letter == "\n" or letter.isprintable() for letter in text)


def _short(value: object, depth: int) -> bool:
    return "\n" not in _flat(value) and 2 * depth + len(_flat(value)) <= _LINE


def _flat(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flat(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return str(value)
