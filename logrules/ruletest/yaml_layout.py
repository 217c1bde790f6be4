"""A YAML text laid out anew: two blanks a level, brackets on one line. Words, quotes and comments stay as they are.

The parser tells where in the text each part stands: it is copied from there, and not written anew from its value.
Between parts there is nothing but blanks, dashes, colons and comments, which go where the part behind them goes.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

import yaml

from logrules.model.position import NodePath
from logrules.ruleset.yaml_reader import SafeLoader
from logrules.ruletest.key_order import in_order

_INDENT = "  "
_NULL = "tag:yaml.org,2002:null"
# What the parser takes for the end of a line.
_LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
# What stands between parts: the sign of an entry whose value is further down, or of a document; and a comment.
_BETWEEN = re.compile(r"\s*(?:---|\.\.\.|[-?:])?(?:(?:^|(?<=\s)|(?<=[-?:.]))\s*(#.*))?")
# What stands behind a part on its line.
_BEHIND = re.compile(r"(?:\s*:)?(\s+#.*)?\s*")
_BLOCK_SCALAR = re.compile(r"(?P<head>.*?[|>][-+]?)(?P<indent>[1-9]?)(?P<rest>[-+]?(?:\s+#.*)?)\s*")


class UnknownLayoutError(ValueError):
    """A line is laid out in a way that nothing is known of here; ``number`` counts from 0."""

    def __init__(self, number: int) -> None:
        super().__init__(f"line {number + 1} is laid out in an unknown way")


def laid_out(text: str, without: Iterable[NodePath] = ()) -> str:
    """The text in its layout, keys in their order.

    The parts at the paths ``without`` are taken out, with the comments right above them. Raises UnknownLayoutError, or
    what the parser raises.
    """
    root = yaml.compose(text, Loader=SafeLoader)
    if root is None:
        return text
    writer = _Writer(text)
    for path in in_reverse(without):
        writer.take_out(root, path)
    return writer.document(root)


def in_reverse(paths: Iterable[NodePath]) -> list[NodePath]:
    """Paths in the order in which parts are taken out: of a list the last first, as the others keep their numbers."""

    def by_index(path: NodePath) -> tuple[tuple[int, str], ...]:
        return tuple((part, "") if isinstance(part, int) else (-1, part) for part in path)

    return sorted(paths, key=by_index, reverse=True)


class _Writer:
    """Writes the parts of one text in their order; ``_read`` of its lines were taken over so far."""

    def __init__(self, text: str) -> None:
        self._lines = _LINE_END.split(text)
        self._read = 0
        self._gone: set[int] = set()
        self._cut: set[yaml.Node] = set()
        self._written: list[str] = []

    def document(self, root: yaml.Node) -> str:
        """The whole text."""
        if _is_block(root):
            self._block(root, "", ())
        else:
            self._take_comments(root.start_mark.line)
            self._value("", root, "", 0)
        self._take_comments(len(self._lines) - (not self._lines[-1]))
        return "\n".join(self._written) + "\n"

    def take_out(self, root: Any, path: NodePath) -> None:
        """Leave out the part at a path, and the comments right above it."""
        node, behind = root, root.start_mark
        for part in path[:-1]:
            node, behind = _child(node, part)
            self._cut.add(node)
        place = next(place for place, entry in enumerate(node.value) if _name(entry, place) == path[-1])
        entry = node.value.pop(place)
        if node.flow_style:
            return
        first, last = _first(entry).start_mark.line, _end_line(entry)
        while first and self._lines[first - 1].lstrip().startswith("#"):
            first -= 1
        self._gone.update(range(first, last))
        if not node.value:  # what is empty stands behind its key
            node.flow_style, node.start_mark, node.end_mark = True, behind, behind

    def _block(self, node: yaml.CollectionNode, lead: str, path: NodePath) -> None:
        """The entries of a block in their order; on the first line ``lead`` stands before them: blanks, and dashes."""
        entries: Sequence[Any] = node.value
        begins = self._begins(entries)
        stops = [*begins[1:], _end_line(entries[-1])]
        self._take_comments(begins[0], self._shift(entries[0], lead))
        for place in _in_order(node, path):
            entry, shift = entries[place], self._shift(entries[place], lead)
            self._read = begins[place]
            self._take_comments(_first(entry).start_mark.line, shift)
            self._entry(entry, lead, (*path, _name(entry, place)))
            self._take_comments(stops[place], shift)
            lead = " " * len(lead)
        self._read = stops[-1]

    def _begins(self, entries: Sequence[Any]) -> list[int]:
        """The line where each entry begins, with the comments right above it; those above the first are on all."""
        begins = [_first(entries[0]).start_mark.line]
        for before, entry in pairwise(entries):
            begin, earliest = _first(entry).start_mark.line, _end_line(before)
            while begin > earliest and (above := self._lines[begin - 1]).strip() and _BETWEEN.fullmatch(above):
                begin -= 1
            begins.append(begin)
        return begins

    def _shift(self, entry: Any, lead: str) -> int:
        """How far an entry is moved to the right."""
        if isinstance(entry, tuple):
            column: int = entry[0].start_mark.column
            return len(lead) + 2 * self._stands_alone(entry[0]) - column
        return len(lead) - self._dash_of(entry)

    def _dash_of(self, item: Any) -> int:
        """The column of the dash before an item; one that stands on a line above stood at its own column."""
        mark = item.start_mark
        dash: int = self._lines[mark.line].rfind("-", 0, mark.column)
        return dash if dash >= 0 else mark.column

    def _entry(self, entry: Any, lead: str, path: NodePath) -> None:
        if isinstance(entry, tuple):
            key, value = entry
            self._pair(key, value, lead, path)
        elif _is_block(entry):
            self._block(entry, f"{lead}- ", path)
        else:
            self._value(f"{lead}-", entry, " " * len(lead) + _INDENT, self._dash_of(entry))

    def _pair(self, key: yaml.Node, value: yaml.Node, lead: str, path: NodePath) -> None:
        blank, name, behind = " " * len(lead), self._inline(key), key.end_mark
        if "\n" in name:
            raise UnknownLayoutError(key.start_mark.line)
        head = f"{lead}{name}:"
        if self._stands_alone(key):
            self._written.append(f"{lead}? {name}")
            head = f"{blank}:"
        if _is_block(value):
            self._written.append(head + self._comment_behind(behind))
            self._block(value, blank + _INDENT, path)
            return
        if value.start_mark.line > behind.line:
            comment = self._comment_behind(behind).lstrip()
            self._written += [blank + comment] if comment else []
            self._take_comments(value.start_mark.line, len(blank) - value.start_mark.column)
        self._value(head, value, blank + _INDENT, key.start_mark.column)

    def _value(self, head: str, value: yaml.Node, below: str, column: int) -> None:
        """A value that is no block of entries, behind its key or dash; lines below the first begin with ``below``.

        The key or dash stood in a ``column``: a block of text may be indented by so many blanks from there.
        """
        if isinstance(value, yaml.ScalarNode) and value.style in ("|", ">"):
            self._block_scalar(head, value, below, column)
            return
        first, *more = [""] if _is_null(value) else self._inline(value, below).split("\n")
        told = [_joined(head, first), *more]
        self._written += [*told[:-1], told[-1] + self._comment_behind(value.end_mark)]

    def _block_scalar(self, head: str, value: yaml.ScalarNode, below: str, column: int) -> None:
        """A text in lines of its own, which are all as far from their margin as before."""
        start, end = value.start_mark, value.end_mark
        style = _BLOCK_SCALAR.fullmatch(self._lines[start.line][start.column :])
        if style is None:
            raise UnknownLayoutError(start.line)
        self._read = end.line if end.column == 0 and end.line > start.line else end.line + 1
        text = self._lines[start.line + 1 : self._read]
        while text and not text[-1].strip() and "+" not in style["rest"]:
            text.pop()
            self._read -= 1
        margin = next((len(line) - len(line.lstrip(" ")) for line in text if line.strip()), 0)
        if style["indent"]:
            margin = column + int(style["indent"])
        indent = str(len(_INDENT)) if style["indent"] else ""
        self._written.append(_joined(head, f"{style['head']}{indent}{style['rest']}"))
        self._written += [below + line[margin:] if line[margin:] else "" for line in text]

    def _inline(self, node: yaml.Node, below: str = "") -> str:
        """A part on one line; in lines of its own where it would else lose a comment, or an empty or a broken line."""
        begin, end = node.start_mark, node.end_mark
        lines = self._lines[begin.line : end.line + 1]
        lines[-1] = lines[-1][: end.column]
        lines[0] = lines[0][begin.column :]
        if isinstance(node, yaml.CollectionNode):
            joined = self._flow(node)
            may_be_joined = len(lines) == 1 or node in self._cut or not any("#" in line for line in lines)
        else:
            joined = " ".join(map(str.strip, lines))
            may_be_joined = all(map(str.strip, lines)) and not any(line.endswith("\\") for line in lines[:-1])
        if may_be_joined:
            return joined
        return "\n".join([lines[0].rstrip(), *(below + line.strip() if line.strip() else "" for line in lines[1:])])

    def _flow(self, node: yaml.CollectionNode) -> str:
        if isinstance(node, yaml.SequenceNode):
            return f"[{', '.join(map(self._inline, node.value))}]"
        said = ", ".join(self._flow_pair(key, value) for key, value in node.value)
        # In a list one pair needs no braces.
        braced = not said or self._lines[node.start_mark.line][node.start_mark.column] == "{"
        return f"{{{said}}}" if braced else said

    def _flow_pair(self, key: yaml.Node, value: yaml.Node) -> str:
        name, said = self._inline(key), self._inline(value) or "null"
        return f"? {name} : {said}" if self._stands_alone(key) else f"{name}: {said}"

    def _stands_alone(self, key: yaml.Node) -> bool:
        """Whether a key has a line, or a sign, of its own, as writers of YAML give it to long ones."""
        return self._lines[key.start_mark.line][: key.start_mark.column].rstrip().endswith("?")

    def _take_comments(self, until: int, shift: int = 0) -> None:
        """The comments and empty lines that stand before a line, as far to the left or right as what follows them."""
        for number in range(self._read, until):
            line = self._lines[number]
            if number in self._gone:
                continue
            found = _BETWEEN.fullmatch(line)
            if found is None:
                raise UnknownLayoutError(number)
            comment = found[1]
            if comment is not None:
                self._written.append(" " * max(found.start(1) + shift, 0) + comment.rstrip())
            elif not line.strip():
                self._written.append("")
        self._read = max(self._read, until)

    def _comment_behind(self, mark: yaml.Mark) -> str:
        """The comment behind a part, with the blanks before it; the line is then read."""
        # Of a `?` that ends a text the parser puts the value on the line behind the last.
        found = _BEHIND.fullmatch(self._lines[mark.line], mark.column) if mark.line < len(self._lines) else None
        if found is None:
            raise UnknownLayoutError(min(mark.line, len(self._lines) - 1))
        self._read = mark.line + 1
        return (found[1] or "").rstrip()


def _joined(head: str, text: str) -> str:
    return f"{head} {text}" if head and text else head or text


def _is_block(node: yaml.Node) -> TypeGuard[yaml.CollectionNode]:
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _in_order(node: yaml.CollectionNode, path: NodePath) -> Iterable[int]:
    if isinstance(node, yaml.MappingNode):
        return in_order(path, [str(key.value) for key, _ in node.value])
    return range(len(node.value))


def _is_null(node: yaml.Node) -> bool:
    """Whether it is nothing, in whatever words: behind a key or a dash nothing need stand for that."""
    return isinstance(node, yaml.ScalarNode) and node.tag == _NULL


def _child(node: Any, part: str | int) -> tuple[yaml.Node, yaml.Mark]:
    """A part of a list or mapping, and where the key before it ends."""
    entry = next(entry for place, entry in enumerate(node.value) if _name(entry, place) == part)
    return (entry[1], entry[0].end_mark) if isinstance(entry, tuple) else (entry, entry.start_mark)


def _name(entry: yaml.Node | tuple[yaml.Node, yaml.Node], place: int) -> str | int:
    """What a path calls an entry: a pair by its key, an item by its place."""
    return str(entry[0].value) if isinstance(entry, tuple) else place


def _first(entry: Any) -> Any:
    """The node with which an entry begins: a pair with its key."""
    return entry[0] if isinstance(entry, tuple) else entry


def _end_line(entry: Any) -> int:
    """The line behind the last that an entry itself stands on; a block ends where its last part does."""
    node = entry[1] if isinstance(entry, tuple) else entry
    if _is_block(node) and node.value:
        return _end_line(node.value[-1])
    mark: yaml.Mark = node.end_mark
    return mark.line if mark.column == 0 and mark.line > node.start_mark.line else mark.line + 1
