"""Lines that a terminal, an editor, a frame or a record cut, each with what goes on below it."""

import re
from collections.abc import Iterator

from logrules.tools.bundle.form_places import begins_secret
from logrules.tools.bundle.secret_looks import drawn_by_lot, has_mixture
from logrules.tools.bundle.text_view import Piece, TextView, view_of

# Of terminals and of what has none.
_TERMINALS = frozenset({80, 100, 120, 132, 160})
# Narrower lines are not cut but end; as wide as a neighbour, or with what looks drawn by lot behind it, one may be cut.
_MIN_WIDTH, _MAX_WIDTH = 30, 1_000
_MIN_DRAWN, _MIN_REST = 8, 6
# How a line ends in a frame, a continuation, beside the place in the source that rich prints, or in a record.
_SOURCE = r"[ \t]+\w[\w.]{0,60}\.py:\d{1,6}[ \t]*"
_FRAME = r"[ \t]*[|│┃](?:[ \t]*[|│┃])?"
_RECORD = r"(?<!\\)(?:(?:\\u250[23])?+\\++n\\*+\"[^\n]{0,200}+|\\*+\"\}?+)"
_END = re.compile(
    rf"(?<=\S)(?:(?P<source>{_SOURCE})|(?P<frame>{_FRAME})|[ \t]*(?P<goes_on>\\)|[ \t]*)(?:{_RECORD})?+(?:\r\n|\n|\r)"
)
_NEXT_FRAME = re.compile(r"[ \t]*(?:[|>│┃][ \t]*){0,2}")
_HANGING = re.compile(r"(?:[ \t]{2,})?")
_END_OF_HEAD = re.compile(r"[ \t]|[=:][ ]?\\*\"")
_MAX_HEAD = 200
_DIGITS = str.maketrans("123456789", "0" * 9)
_LAST_PIECE = re.compile(r"[\w+/=.~-]{1,400}$")
# A hash that is whole goes on with nothing but digits of another one.
_HASH = re.compile(r"(?:.*[^0-9A-Za-z])?(?=[0-9]*[a-f])[0-9a-f]{7,128}$")
_HEXADECIMAL = re.compile(r"[0-9a-f-]{6,}(?![0-9A-Za-z])")
_VALUE = re.compile(r"[^=:/]*$")
_SHORT = re.compile(r"[A-Za-z0-9]{0,12}")
_TOKEN = re.compile(r"[\w+/=.~-]")
_REST = re.compile(r"[^\s\"'`,;()\[\]{}|│┃]{1,400}")
# A line that sets another name to a value goes on with nothing; the rest of a name or of a quoted value does.
_OWN_NAME = re.compile(r"[A-Za-z_][\w.-]{0,60}+[\"']?[ \t]?[=:](?!=*$)")
_REST_OF_QUOTED = re.compile(r"[A-Za-z_.-]{1,40}+[\"'`]?+[ \t]?+[=:]|[^\s\"'`]{1,400}+[\"'`]")


def whole_lines(text: str) -> TextView | None:
    """The lines that were cut, each as one with what goes on below it; None if there are none."""
    pieces: list[Piece] = []
    goes_on = -1
    for line, end, start in _joints(text):
        begin = max(line, goes_on)
        if goes_on >= 0 and line > goes_on:
            pieces += _rest(text, goes_on)
        pieces.append((text[begin:end], begin, end))
        goes_on = start
    if goes_on < 0:
        return None
    return view_of((*pieces, *_rest(text, goes_on)), joint=0)


def _rest(text: str, start: int) -> Iterator[Piece]:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    yield text[start:end], start, end
    yield "\n", end, end


def _joints(text: str) -> Iterator[tuple[int, int, int]]:
    """Where a line begins that was cut, where it ends, and where the next one goes on."""
    line, last, before = 0, 0, -1
    for found in _END.finditer(text):
        stop = found.end() - 1
        begin = text.rfind("\n", last, stop) + 1 or last
        line, before = (begin, line) if begin > line else (line, before)
        last = found.end()
        if (joint := _joint(text, found, line, before)) is not None:
            yield line, *joint


def _joint(text: str, found: re.Match[str], line: int, before: int) -> tuple[int, int] | None:
    stop, below = text.rfind(found[0][-1], 0, found.end()), found.end()
    stop -= text[stop - 1 : stop + 1] == "\r\n"
    head = _same_beginning(text, line, below)
    width = stop - line
    if width in _TERMINALS or width - head in _TERMINALS:
        end = found.start() if found["frame"] else stop
        rest = below + head
        return end, (_NEXT_FRAME if found["frame"] and not head else _HANGING).match(text, rest).end()  # type: ignore[union-attr]
    start = below + head if head else _NEXT_FRAME.match(text, below).end()  # type: ignore[union-attr]
    is_sure = found["goes_on"] or found["source"] or (found["frame"] and _width(text, below) == width)
    if is_sure or _may_go_on(text, found.start(), start, width, {_width(text, before), _width(text, below)}):
        return found.start(), start
    return None


def _may_go_on(text: str, end: int, start: int, width: int, neighbours: set[int]) -> bool:
    """Whether what stands at a line's beginning looks like the rest of what ends the one before."""
    rest = _REST.match(text, start)
    last = _LAST_PIECE.search(text, max(0, end - 400), end)
    if rest is None or last is None or not _TOKEN.match(text, start):
        return False
    if width >= _MIN_WIDTH and width in neighbours and _REST_OF_QUOTED.match(text, start):
        return True
    value = _VALUE.search(last[0])[0]  # type: ignore[index]  # (it fits the empty text too)
    is_begun, drawn = drawn_by_lot(value) >= _MIN_DRAWN, drawn_by_lot(rest[0])
    if is_begun and text[rest.end() : rest.end() + 1] in {'"', "'"}:
        return True
    if _OWN_NAME.match(text, start) or (_HASH.match(last[0]) and not _HEXADECIMAL.match(text, start)):
        return False
    if (is_rest := begins_secret(last[0], rest[0])) is not None:
        return is_rest
    is_drawn = drawn >= _MIN_DRAWN and _SHORT.fullmatch(value) is not None
    if width >= _MIN_WIDTH and (is_drawn or (width in neighbours and has_mixture(rest[0]))):
        return True
    return is_begun and drawn >= _MIN_REST


def _width(text: str, line: int) -> int:
    if line < 0:
        return -1
    end = text.find("\n", line, line + _MAX_WIDTH)
    return (min(len(text), line + _MAX_WIDTH) if end < 0 else end) - line


def _same_beginning(text: str, line: int, next_line: int) -> int:
    """How many characters of a line another one begins with too, but for digits: a worker, a time, a record."""
    one, other = text[line : line + _MAX_HEAD], text[next_line : next_line + _MAX_HEAD]
    if one[:1] != other[:1] and not (one[:1].isdecimal() and other[:1].isdecimal()):
        return 0
    one, other = (piece.translate(_DIGITS) for piece in (one, other))
    alike, unlike = 1, min(len(one), len(other)) + 1
    while unlike - alike > 1:
        half = (alike + unlike) // 2
        alike, unlike = (half, unlike) if one[alike:half] == other[alike:half] else (alike, half)
    ends = [found.end() for found in _END_OF_HEAD.finditer(one, 0, alike)]
    return ends[-1] if ends else 0
