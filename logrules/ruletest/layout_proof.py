"""A quick proof that a file is laid out as it should be: ruamel, which keeps comments, takes ten times as long.

It says yes only of what is sure. Where it says no, formatting the file tells whether that changes anything.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import yaml

from logrules.ruleset.yaml_reader import SafeLoader
from logrules.ruletest.yaml_entries import ordered

# A longer key has a line of its own.
_LONG_KEY = 127
# What one edition of YAML takes for a number and the other for a word, and numbers that all write as they stand.
_NUMBER = re.compile(r"[-+.]?\d[\d_a-f]*\.?[\d_]*(?:e[-+]?\d+)?|0[xo]\w*", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"0|-?[1-9]\d{0,12}|-?\d{1,9}\.\d{1,9}")
_WORD = "tag:yaml.org,2002:str"
# What is quoted needs no escapes but these, which all write alike.
_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\nte])*"')


class _UnsureError(ValueError):
    """What a writer may write in another way."""


def is_laid_out(raw: bytes) -> bool:
    """Whether formatting this valid file is sure to change nothing."""
    text = raw.decode()
    lines = text.split("\n")
    if lines[-1] or not all(lines[:1]) or not all(line.isprintable() and not line.isspace() for line in lines):
        return False
    node = yaml.compose(text, Loader=SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return False
    try:
        written = list(_uncommented(_block(node, "", lines)))
    except _UnsureError:
        return False
    return written == list(_uncommented(lines)) and ordered(text) == text


def _uncommented(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line and not line.lstrip(" ").startswith("#"))


def _block(node: yaml.Node, lead: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines of a node in block style, as they should be; on the first of them ``lead`` stands before it."""
    blank = " " * len(lead)
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        for key, value in node.value:
            if len(key.value) > _LONG_KEY:
                yield f"{lead}? {_key(key, lines)}"
                yield f"{blank}: {_inline(value, lines)}"
            else:
                yield from _entry(f"{lead}{_key(key, lines)}:", value, f"{blank}  ", lines)
            lead = blank
    elif isinstance(node, yaml.SequenceNode) and not node.flow_style:
        for item in node.value:
            if isinstance(item, yaml.MappingNode) and not item.flow_style:
                yield from _block(item, f"{lead}- ", lines)
            else:
                yield from _entry(f"{lead}-", item, f"{blank}  ", lines)
            lead = blank
    else:
        raise _UnsureError


def _entry(head: str, value: yaml.Node, below: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines of a value behind its key or dash; those that follow begin with ``below``."""
    if isinstance(value, yaml.CollectionNode) and not value.flow_style:
        if head.endswith("-"):
            raise _UnsureError
        yield head
        yield from _block(value, below, lines)
    elif isinstance(value, yaml.ScalarNode) and value.style == "|":
        style = lines[value.start_mark.line][value.start_mark.column :]
        inside = lines[value.start_mark.line + 1 : value.end_mark.line]
        first = inside[0] if inside else ""
        if style not in {"|", "|-"} or not first.startswith(below) or first.startswith(f"{below} "):
            raise _UnsureError
        yield f"{head} {style}"
        yield from inside
    elif value.start_mark.index == value.end_mark.index and head.endswith(":"):
        yield head
    else:
        text = _inline(value, lines)
        if text == "null":
            raise _UnsureError
        yield f"{head} {text}"


def _inline(node: yaml.Node, lines: Sequence[str]) -> str:
    """A node that stands on one line, its words as they are there."""
    if isinstance(node, yaml.SequenceNode):
        return f"[{', '.join(_item(item, lines) for item in node.value)}]"
    if isinstance(node, yaml.MappingNode):
        return f"{{{', '.join(_pair(key, value, lines) for key, value in node.value)}}}"
    begin, end = node.start_mark, node.end_mark
    text = lines[begin.line][begin.column : end.column]
    if not isinstance(node, yaml.ScalarNode) or begin.line != end.line or not _is_sure(node, text):
        raise _UnsureError
    return text


def _item(node: yaml.Node, lines: Sequence[str]) -> str:
    """What stands between brackets: of a mapping with one key alone no braces are written."""
    if isinstance(node, yaml.SequenceNode):
        raise _UnsureError
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        return _inline(node, lines)
    ((key, value),) = node.value
    if not isinstance(value, yaml.ScalarNode):
        raise _UnsureError
    return _pair(key, value, lines)


def _pair(key: yaml.ScalarNode, value: yaml.Node, lines: Sequence[str]) -> str:
    if len(key.value) > _LONG_KEY:
        raise _UnsureError
    return f"{_key(key, lines)}: {_inline(value, lines)}"


def _key(key: yaml.ScalarNode, lines: Sequence[str]) -> str:
    if key.tag != _WORD:
        raise _UnsureError
    return _inline(key, lines)


def _is_sure(node: yaml.ScalarNode, text: str) -> bool:
    if node.style:
        return node.style != '"' or _QUOTED.fullmatch(text) is not None
    if node.tag != _WORD or _NUMBER.fullmatch(text):
        return text in ("true", "false", "null") or _PLAIN_NUMBER.fullmatch(text) is not None
    return text == node.value and not text.endswith(":")
