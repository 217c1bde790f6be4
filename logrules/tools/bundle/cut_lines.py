"""Lines that a terminal, an editor, a frame or a record cut, each with what goes on below it."""

import re
import string
from collections.abc import Iterator
from typing import TypeAlias

from logrules.tools.bundle.issued_forms import begins_secret
from logrules.tools.bundle.text_view import Piece, TextView, view_of
from logrules.tools.bundle.value_kinds import drawn_by_lot, has_mixture

# Where a line begins that was cut, where it ends, and where the next one goes on.
_Joint: TypeAlias = tuple[int, int, int]
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
_LINE_END = re.compile(r"\r\n|\n|\r")
# What these do not end is no frame, continuation or record.
_LAST_OF_ENDS = frozenset('|│┃\\"}')
_NEXT_FRAME = re.compile(r"[ \t]*(?:[|>│┃][ \t]*){0,2}")
_HANGING = re.compile(r"(?:[ \t]{2,})?")
_END_OF_HEAD = re.compile(r"[ \t]|[=:][ ]?\\*\"")
_MAX_HEAD = 200
_DIGITS = str.maketrans("123456789", "0" * 9)
_LAST_PIECE = re.compile(r"[\w+/=.~-]{1,400}$")
# A hash that is whole goes on with nothing but digits of another one.
_HASH = re.compile(r"(?:.*[^0-9A-Za-z])?(?=[0-9]*[a-f])[0-9a-f]{7,128}$")
_HEXADECIMAL = re.compile(r"[0-9a-f-]{6,}(?![0-9A-Za-z])")
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}(?![0-9A-Za-z])")
_VALUE = re.compile(r"[^=:/]*$")
_SHORT = re.compile(r"[A-Za-z0-9]{0,12}")
_TOKEN = re.compile(r"[\w+/=.~-]")
_TOKEN_CHARS = f"{string.ascii_letters}{string.digits}_+/=.~-"
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


def _joints(text: str) -> Iterator[_Joint]:
    """Where a line begins that was cut, where it ends, and where the next one goes on."""
    flat = text.translate(_DIGITS)
    below, before = 0, -1
    for found in _LINE_END.finditer(text):
        line, (stop, below) = below, found.span()
        if (ended := _end_of_line(text, line, stop, below)) is None:
            continue
        if (joint := _joint(text, flat, ended, (before, line, stop, below))) is not None:
            yield line, *joint
        before = line


def _end_of_line(text: str, line: int, stop: int, below: int) -> tuple[int, str | None] | None:
    """Where a line ends but for what cuts it or frames it, and what that is; None for a line of blanks."""
    last = text[stop - 1 : stop]
    is_plain = last not in _LAST_OF_ENDS and not last.isspace() and not (last.isdecimal() and ".py:" in text[line:stop])
    if is_plain and line < stop and "\\n" not in text[line:stop]:
        return stop, None
    found = _END.search(text, line, below)
    return (found.start(), found.lastgroup) if found is not None else None


def _joint(
    text: str, flat: str, ended: tuple[int, str | None], places: tuple[int, int, int, int]
) -> tuple[int, int] | None:
    """Where a line ends and goes on; ``places``: where the one before begins, it itself, its end, the next."""
    (end, how), (before, line, stop, below) = ended, places
    width = stop - line
    if how is None and width < min(_TERMINALS) and not _TOKEN.match(text, end - 1):
        return None
    head = _same_beginning(text, flat, line, below)
    if width in _TERMINALS or width - head in _TERMINALS:
        rest = below + head
        is_frame = how == "frame"
        return end if is_frame else stop, (_NEXT_FRAME if is_frame and not head else _HANGING).match(text, rest).end()  # type: ignore[union-attr]
    start = below + head if head else _NEXT_FRAME.match(text, below).end()  # type: ignore[union-attr]
    is_sure = how in {"goes_on", "source"} or (how == "frame" and _width(text, below) == width)
    if is_sure or _may_go_on(text, end, start, width, (before, below)):
        return end, start
    return None


def _may_go_on(text: str, end: int, start: int, width: int, neighbours: tuple[int, int]) -> bool:
    """Whether what stands at a line's beginning looks like the rest of what ends the one before."""
    if not _TOKEN.match(text, end - 1) or not _TOKEN.match(text, start):
        return False
    last, rest = _last_piece(text[max(0, end - 400) : end]), _REST.match(text, start)[0]  # type: ignore[index]  # (it begins a token)
    is_as_wide = width >= _MIN_WIDTH and width in {_width(text, one) for one in neighbours}
    if is_as_wide and _REST_OF_QUOTED.match(text, start):
        return True
    value = _VALUE.search(last)[0]  # type: ignore[index]  # (it fits the empty text too)
    is_begun, drawn = drawn_by_lot(value) >= _MIN_DRAWN, drawn_by_lot(rest)
    if is_begun and text[start + len(rest) : start + len(rest) + 1] in {'"', "'"}:
        return True
    if (
        _OWN_NAME.match(text, start)
        or _ADDRESS.match(text, start)
        or (_HASH.match(last) and not _HEXADECIMAL.match(text, start))
    ):
        return False
    if (is_rest := begins_secret(last, rest)) is not None:
        return is_rest
    is_drawn = drawn >= _MIN_DRAWN and _SHORT.fullmatch(value) is not None
    if (width >= _MIN_WIDTH and is_drawn) or (is_as_wide and has_mixture(rest)):
        return True
    return is_begun and drawn >= _MIN_REST


def _last_piece(text: str) -> str:
    """What a text ends with of characters of words and of tokens."""
    piece = text[len(text.rstrip(_TOKEN_CHARS)) :]
    return piece if text.isascii() else _LAST_PIECE.search(text)[0]  # type: ignore[index]


def _width(text: str, line: int) -> int:
    if line < 0:
        return -1
    end = text.find("\n", line, line + _MAX_WIDTH)
    return (min(len(text), line + _MAX_WIDTH) if end < 0 else end) - line


def _same_beginning(text: str, flat: str, line: int, next_line: int) -> int:
    """How many characters of a line another one begins with too, but for digits: a worker, a time, a record.

    ``flat`` is the text with all digits alike.
    """
    if flat[line : line + 1] != flat[next_line : next_line + 1]:
        return 0
    one, other = flat[line : line + _MAX_HEAD], flat[next_line : next_line + _MAX_HEAD]
    alike, unlike = 1, min(len(one), len(other)) + 1
    while unlike - alike > 1:
        half = (alike + unlike) // 2
        alike, unlike = (half, unlike) if one[alike:half] == other[alike:half] else (alike, half)
    begun = text[line : line + alike]
    if '"' in begun:
        return max((found.end() for found in _END_OF_HEAD.finditer(begun)), default=0)
    return max(begun.rfind(" "), begun.rfind("\t")) + 1
