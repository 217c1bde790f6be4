"""A rule file as it should be written: plain data made one, or one laid out anew, its comments kept; keys in order."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from logrules.model.errors import PackError
from logrules.model.lint_finding import LintFinding, NodePath
from logrules.model.position import Position, Problem
from logrules.ruleset.load import rule_bytes
from logrules.ruleset.yaml_reader import parse_document
from logrules.ruletest.yaml_layout import in_reverse, laid_out

# Long lines are one sentence or one log line: breaking them would hide what they say.
_NEVER_BROKEN = 1 << 30
_TEXT, _LIST, _MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))


def formatted(raw: bytes, shown: str, without: Iterable[NodePath] = ()) -> bytes:
    """The file in its canonical form, the parts at the paths ``without`` taken out.

    Raises PackError where it cannot be read, or would not say the same afterwards.
    """
    said = parse_document(raw, shown).data
    gone = in_reverse(without)
    for path in gone:
        _take_out(said, path)
    try:
        text = laid_out(raw.decode("utf-8-sig"), gone).encode()
        same = text == raw or parse_document(text, shown).data == said
    except (yaml.YAMLError, ValueError) as fault:
        raise PackError([Problem(Position(shown), f"cannot be formatted: {str(fault).splitlines()[0]}")]) from None
    if not same:
        raise PackError([Problem(Position(shown), "cannot be formatted without changing what it says")])
    return text


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
# What is a line anyway: an example with what is said of it.
_LONG_LINE = 400
_EXAMPLES = frozenset({"fires", "silent"})
# Mappings whose entries are rows of their own.
_BLOCKS = frozenset({"signals", "examples"})
# A text that needs no quotes between brackets; what looks like a number or a truth value is quoted by the writer.
_PLAIN = re.compile(r"[A-Za-z0-9_./$(+~][^,\[\]{}:#?'\"\\`]*[^,\[\]{}:#?'\"\\`\s]|[A-Za-z0-9_]")


def written(data: Mapping[str, object]) -> str:
    """The text of a file that says this, with texts alone in its lists and mappings; it is still to be formatted."""
    return yaml.serialize(_node(data, 0, flow=False), Dumper=yaml.SafeDumper, width=_NEVER_BROKEN, allow_unicode=True)


def _node(value: Any, depth: int, *, flow: bool, key: str = "") -> yaml.Node:
    """The value with its style: in brackets where it fits on its line. ``key`` is what it is, or is an entry of."""
    if isinstance(value, str):
        if "\n" in value and _is_block(value):
            return yaml.ScalarNode(_TEXT, value, style="|")
        quoted = flow and not _PLAIN.fullmatch(value) and value.isprintable()
        return yaml.ScalarNode(_TEXT, value, style="'" if quoted else None)
    if isinstance(value, Mapping):
        is_rows = depth == 0 or key in _BLOCKS
        flow = flow or (not is_rows and _short(value, depth, _LONG_LINE if key in _EXAMPLES else _LINE))
        pairs = [
            (yaml.ScalarNode(_TEXT, name), _node(it, depth + 1, flow=flow, key=name)) for name, it in value.items()
        ]
        return yaml.MappingNode(_MAPPING, pairs, flow_style=flow)
    is_words = not any(isinstance(item, Mapping) for item in value)
    flow = flow or (is_words and _short(value, depth, _LINE))
    return yaml.SequenceNode(_LIST, [_node(item, depth + 1, flow=flow, key=key) for item in value], flow_style=flow)


def _is_block(text: str) -> bool:
    """Whether a block can say it: it must not begin with a blank, nor hold what YAML cannot print."""
    return not text.startswith((" ", "\n")) and all(letter == "\n" or letter.isprintable() for letter in text)


def _short(value: Any, depth: int, room: int) -> bool:
    return "\n" not in _flat(value) and 2 * depth + len(_flat(value)) <= room


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else f"'{value}'"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flat(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(map(_flat, value)) + "]"
