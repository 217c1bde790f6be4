"""What stands round each line of a log that was copied: marks of a quotation or a list, numbers, escapes, indentation.

Each is undone only where most lines have it, so that a line which only looks so stays as it is.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from logrules.model.late_pattern import late_pattern

# Whole lines in, as many lines out.
Rewrite = Callable[[bytes], bytes]
# A page quotes a list of escaped lines with numbers: more layers nobody puts round a log.
_MOST_LAYERS = 5
_FEWEST_LINES = 3
_TRACED = late_pattern(rb"[ \t]*\++ [^\s+]")
# Of the lines with text: a reply has words of its own above and below what it quotes, a list has not.
_QUOTED_SHARE, _LISTED_SHARE = 0.5, 0.95
# `>>> ` is a prompt of Python.
_TICKED = late_pattern(rb"^([ \t]*)`([^`\r\n][^\r\n]*)`[ \t]*(?=\r?$)", re.MULTILINE)
_PROMPT = late_pattern(rb" {0,3}>>>(?: |\r?$)")
_LIST_MARKS = (b"- ", b"* ", "• ".encode(), b"# ", b"// ", b"+")
_FRAME = late_pattern(rb'[ \t]+File "')
_ESCAPE = late_pattern(rb"&(lt|gt|amp|quot|apos|nbsp|#39|#34|#x27|#x2F);")
_MEANT = {
    b"lt": b"<", b"gt": b">", b"amp": b"&", b"quot": b'"', b"apos": b"'", b"nbsp": b" ",
    b"#39": b"'", b"#34": b'"', b"#x27": b"'", b"#x2F": b"/",
}  # fmt: skip
# A launcher that is started by another: the label of the outer one is the same everywhere.
_LABEL = rb"(?:\d{1,5}: |\[\d{1,5},\d{1,5}\]<std(?:out|err|diag)>: ?)"
_LABELLED = late_pattern(rb"(" + _LABEL + rb")(" + _LABEL + rb")?")
_TAGGED = late_pattern(rb"[ \t]{0,40}</?[a-z][^<>\n]{0,200}>")
_BLANK = late_pattern(rb"\xc2\xa0|\xe2\x80\xaf")
# What programs that typeset make of quotation marks, two hyphens and three dots, by the last byte of the character.
_TYPESET = late_pattern(rb"\xe2\x80([\x93\x94\x98\x99\x9c\x9d\xa6])")
_TYPED = {
    b"\x93": b"--", b"\x94": b"--", b"\x98": b"'", b"\x99": b"'", b"\x9c": b'"', b"\x9d": b'"', b"\xa6": b"...",
}  # fmt: skip
_CURLY = late_pattern(rb"\xe2\x80[\x98\x99\x9c\x9d]")


class _Head(NamedTuple):
    """How a log begins, and those of its lines that have text."""

    data: bytes
    lines: Sequence[bytes]


def steps_of(head: bytes) -> tuple[tuple[Rewrite, ...], bytes]:
    """What undoes how lines that begin so were copied, the outermost layer first; and ``head`` without it."""
    steps: list[Rewrite] = []
    while len(steps) < _MOST_LAYERS:
        lines = [line for line in head.split(b"\n") if line and not line.isspace()]
        step = next((found for told in _LAYERS if (found := told(_Head(head, lines))) is not None), None)
        if step is None:
            break
        steps.append(step)
        head = step(head)
    return tuple(steps), head


def _escaped(head: _Head) -> Rewrite | None:
    """Escapes of HTML. A line with brackets of its own is none of an escaped text: XML has both."""
    if b"&" not in head.data or not _ESCAPE.search(head.data):
        return None
    escaped = sum(_may_be_escaped(line) and _ESCAPE.search(line) is not None for line in head.lines)
    own = sum((b"<" in line or b">" in line) and not _TAGGED.match(line) for line in head.lines)
    return _unescaped if escaped > own else None


def _may_be_escaped(line: bytes) -> bool:
    return b"&" in line and b"<" not in line and b">" not in line


def _unescaped(data: bytes) -> bytes:
    lines = data.split(b"\n")
    return b"\n".join(
        [_ESCAPE.sub(lambda one: _MEANT[one[1]], line) if _may_be_escaped(line) else line for line in lines]
    )


def _typeset(head: _Head) -> Rewrite | None:
    """Blanks that do not break, and marks that a chat or a word processor put in place of typed ones."""
    if head.data.isascii():
        return None
    if _BLANK.search(head.data):
        return partial(_BLANK.sub, b" ")
    curly = len(_CURLY.findall(head.data))
    return _typed if curly > head.data.count(b'"') + head.data.count(b"'") else None


def _typed(data: bytes) -> bytes:
    return _TYPESET.sub(lambda one: _TYPED[one[1]], data)


def _quoted(head: _Head) -> Rewrite | None:
    """The marks of a quotation, to the depth that all its lines have."""
    quoted = [line for line in head.lines if line.lstrip(b" ")[:1] == b">" and not _PROMPT.match(line)]
    if len(quoted) < max(_FEWEST_LINES, _QUOTED_SHARE * len(head.lines)):
        return None
    marks = rb"^ {0,3}>(?!>>(?: |\r?$))"
    spaced = all(line.lstrip(b" ")[1:2] in b"> \r" for line in quoted)
    return partial(re.compile(marks + (b" ?" if spaced else b""), re.MULTILINE).sub, b"")


def _listed(head: _Head) -> Rewrite | None:
    """A mark of a list, of a comment or of a comparison of files."""
    lines = head.lines
    if len(lines) < _FEWEST_LINES:
        return None
    first = lines[0].lstrip()
    mark = next((mark for mark in _LIST_MARKS if first.startswith(mark.rstrip())), None)
    if mark is None:
        return None
    marked = [line for line in lines if line.lstrip(b" \t").startswith(mark) or line.strip() == mark.rstrip()]
    # A shell says what it does: `+ python train.py`, `++ hostname`.
    is_trace = mark == b"+" and 2 * sum(_TRACED.match(line) is not None for line in marked) > len(marked)
    if len(marked) < _LISTED_SHARE * len(lines) or is_trace:
        return None
    bare = mark.rstrip()
    blank = b" ?" if mark != bare else b""
    return partial(re.compile(rb"^[ \t]*" + re.escape(bare) + blank, re.MULTILINE).sub, b"")


def _ticked(head: _Head) -> Rewrite | None:
    """The marks of code round each line by itself."""
    ticked = sum(_TICKED.match(line) is not None for line in head.lines)
    enough = max(_FEWEST_LINES, _QUOTED_SHARE * len(head.lines))
    return partial(_TICKED.sub, rb"\1\2") if ticked >= enough else None


def _labelled(head: _Head) -> Rewrite | None:
    """The label of a task that started the ranks, where these have labels of their own."""
    found = [_LABELLED.match(line) for line in head.lines]
    # A task has the same label whichever of its streams it wrote to.
    outer = {one[1].partition(b"<")[0] for one in found if one is not None}
    inner = Counter(one[2] for one in found if one is not None and one[2])
    told = inner.total()
    if len(outer) != 1 or None in found or len(inner) < 2 or told < max(2 * len(inner), len(found) / 2):  # noqa: PLR2004
        return None
    return partial(re.compile(rb"^" + _LABEL, re.MULTILINE).sub, b"")


def _indented(head: _Head) -> Rewrite | None:
    """What all lines are indented by, as Markdown marks code. The middle of a traceback is indented by itself."""
    depths = [len(line) - len(line.lstrip(b" \t")) for line in head.lines]
    if len(depths) < _FEWEST_LINES or not (depth := min(depths)):
        return None
    outer = [line for line, its in zip(head.lines, depths, strict=True) if its == depth]
    if all(_FRAME.match(line) for line in outer):
        return None
    return partial(re.compile(rb"^[ \t]{1,%d}" % depth, re.MULTILINE).sub, b"")


_FEWEST_NUMBERED = 5
# Ranks and steps begin with low numbers: fewer lines, and of one kind, show that lines so far on were searched for.
_FAR, _FEWEST_FAR = 1_000, 3
_NUMBERED_SHARE, _RISING_SHARE, _NEXT_SHARE = 0.9, 0.95, 0.7
# One kind of line is a table, or says how far a loop has come: its first number is its own.
_KIND_SHARE, _FEWEST_KINDS = 0.8, 4
_KIND_CHARS = 24
_FILE = rb"(?:(?P<file>[^\s:]{0,200}\.[A-Za-z]\w{0,9})[:-])?"
# What stands behind the number; of `grep`, a colon where the line was searched for, a hyphen where it stands beside.
_SEARCHED = rb"[:-](?!\d\d:)"
_ENDS = (
    rb"(?:\t|\r?$)",
    rb"[ \t]*(?:\xe2\x94\x82|\xe2\x94\x83|\|)",
    _SEARCHED,
    rb"[.)](?=[ \t]|\r?$)",
    rb"\]",
    rb"(?=[ \t]|\r?$)",
)
_COLUMNS = tuple(
    late_pattern(rb"^[ \t]*\[?" + _FILE + rb"L?(?P<number>\d{1,7})" + end + rb"(?P<rest>[^\n]*)", re.MULTILINE)
    for end in _ENDS
)
# Most logs are none of numbered lines, which few lines tell.
_LOOKED_AT, _RISEN_SHARE = 40, 0.4
_BEGUN = late_pattern(rb"[ \t]*\[?" + _FILE + rb"L?(?P<number>\d{1,7})(?!\d)")
_DIGITS = late_pattern(rb"\d+(?:\.\d+)?")
# As `cat -n` and `nl` number lines, `grep -Hn` and pages: nothing else does so.
_COUNTED = late_pattern(rb"(?=[ \d]{6}\t) *\d+\t|L\d|[^\s:]+\.[A-Za-z]\w{0,9}[:-]\d")
_WORD = late_pattern(rb"[A-Za-z]{2}")


def _numbered(head: _Head) -> Rewrite | None:
    """What takes away the numbers of lines that begin so; None where what stands in front are none."""
    begun = [_BEGUN.match(line) for line in head.lines[:_LOOKED_AT]]
    rising = sum(int(above["number"]) < int(below["number"]) for above, below in pairwise(filter(None, begun)))
    if _RISEN_SHARE * len(begun) > rising + 1:
        return None
    for end, column in zip(_ENDS, _COLUMNS, strict=True):
        found = list(column.finditer(head.data))
        searched = end is _SEARCHED
        far = searched and bool(found) and int(found[0]["number"]) >= _FAR
        if len(found) < max(_FEWEST_FAR if far else _FEWEST_NUMBERED, _NUMBERED_SHARE * len(head.lines)):
            continue
        if not _count(found, searched=searched):
            continue
        rests = [one["rest"] for one in found]
        if not (far or all(map(_COUNTED.match, (one[0] for one in found))) or _vary(rests)):
            continue
        # As many blanks as stand everywhere between the numbers and the lines.
        blanks = min((len(rest) - len(rest.lstrip(b" ")) for rest in rests if rest.strip()), default=0)
        taken = rb"^[ \t]*\[?" + _FILE + rb"L?\d{1,7}" + end + rb" {0,%d}" % blanks
        return partial(re.compile(taken, re.MULTILINE).sub, b"")
    return None


def _count(found: Sequence["re.Match[bytes]"], *, searched: bool) -> bool:
    """Whether the numbers rise by one. Those of lines that were searched for need only rise, and not evenly.

    Ranks are counted from zero, and a label of them names no lines.
    """
    numbers = [int(one["number"]) for one in found]
    steps = [after - before for before, after in pairwise(numbers)]
    if numbers[0] == 0 or sum(step > 0 for step in steps) < _RISING_SHARE * len(steps):
        return False
    evenly = Counter(steps).most_common(1)[0]
    if evenly[0] == 1 and evenly[1] >= _NEXT_SHARE * len(steps):
        return True
    return searched and (found[0]["file"] is not None or evenly[1] < _NEXT_SHARE * len(steps))


def _vary(texts: Sequence[bytes]) -> bool:
    """Whether these are lines of many kinds, of words."""
    kinds = Counter(_DIGITS.sub(b"0", text.strip()[:_KIND_CHARS]) for text in texts)
    kinds.pop(b"", None)
    worded = sum(_WORD.search(text) is not None for text in texts)
    told = sum(kinds.values())
    return len(kinds) >= _FEWEST_KINDS and max(kinds.values()) <= _KIND_SHARE * told and 2 * worded >= told


_LAYERS: tuple[Callable[[_Head], Rewrite | None], ...] = (
    _escaped, _typeset, _quoted, _listed, _ticked, _labelled, _numbered, _indented,
)  # fmt: skip
