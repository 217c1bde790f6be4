"""Blocks of lines without what each begins and ends with alike: a rank, a time, a frame, a count of repetitions.

What takes several lines (a block of YAML, a table, a key, a wrapped token) is found there as if it stood alone.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from logrules.tools.bundle.text_view import Piece, TextView, view_of

# Two heads are alike though they tell other numbers: of seconds, of lines.
_UNIT = re.compile(r"\d+|\D")
_PAIR = 2
_MAX_HEAD, _MAX_TAIL, _MAX_LINES = 200, 80, 80
# What begins a block though no name does.
_KEY_BEGINS = re.compile(r"-----BEGIN |-----END |<<-?[ ]?[\"']?\w")
# A head ends with one of these, a tail begins with a blank.
_ENDS_HEAD = frozenset(" \t|│┃>:]+#-")


def without_line_heads(text: str, places: Iterable[int]) -> TextView | None:
    """The blocks of lines round names of secrets (at the places) and round keys, without heads and tails."""
    found = sorted((*places, *(begin.start() for begin in _KEY_BEGINS.finditer(text))))
    lines = _line_starts(text) if found else []
    pieces = [piece for block in _blocks(text, lines, found) for piece in block]
    return view_of(pieces, joint=0) if pieces else None


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _blocks(text: str, lines: list[int], places: Iterable[int]) -> Iterator[list[Piece]]:
    read, tried = 0, -1
    for place in places:
        at = bisect_right(lines, place) - 1
        # A line may be long, and name thousands of secrets.
        if at < read or at == tried:
            continue
        tried = at
        first = at - 1 if at > read and _head(_line(text, lines, at - 1), _line(text, lines, at)) else at
        block = _block(text, lines, first)
        if first < at and len(block) <= _PAIR:
            # What goes on below the name begins otherwise than what stands above it.
            first, block = at, _block(text, lines, at)
        if len(block) > 1:
            read = first + len(block)
            yield [piece for line in block for piece in line]


def _block(text: str, lines: list[int], first: int) -> list[list[Piece]]:
    """The pieces of each of the lines that begin like the first one."""
    if first + 1 >= len(lines):
        return []
    one, other = (_line(text, lines, number) for number in (first, first + 1))
    units = _head(one, other)
    tail = _tail(one, other)
    found: list[list[Piece]] = []
    for number in range(first, min(len(lines), first + _MAX_LINES) if units else first):
        line = _line(text, lines, number)
        head = _length(line, one, units)
        if head is None:
            break
        start, stop = lines[number] + head, lines[number] + len(line)
        end = max(start, lines[number] + len(line.removesuffix(tail).rstrip() if tail else line))
        found.append([(text[start:end], start, end), ("\n", stop, stop)])
    return found


def _line(text: str, lines: list[int], number: int) -> str:
    end = lines[number + 1] - 1 if number + 1 < len(lines) else len(text)
    return text[lines[number] : end].rstrip("\r")


def _head(one: str, other: str) -> int:
    """How many units two lines begin with alike, up to what ends a head; none where they begin otherwise."""
    end = 0
    units = zip(_UNIT.findall(one[:_MAX_HEAD]), _UNIT.findall(other[:_MAX_HEAD]), strict=False)
    for number, (unit, its) in enumerate(units, start=1):
        if unit != its and not (unit.isdecimal() and its.isdecimal()):
            break
        if unit in _ENDS_HEAD:
            end = number
    return end


def _length(line: str, like: str, units: int) -> int | None:
    """How many characters of a line are a head of so many units, if it begins with them."""
    its, heads = (_UNIT.findall(text[:_MAX_HEAD])[:units] for text in (line, like))
    same = len(its) == len(heads) and all(
        unit == head or (unit.isdecimal() and head.isdecimal()) for unit, head in zip(its, heads, strict=True)
    )
    return sum(map(len, its)) if same else None


def _tail(one: str, other: str) -> str:
    """What two lines end with alike behind a blank."""
    alike = 0
    for char, its in zip(reversed(one[-_MAX_TAIL:]), reversed(other[-_MAX_TAIL:]), strict=False):
        if char != its:
            break
        alike += 1
    tail = one[len(one) - alike :]
    # Of a record of JSON the end of the line that it holds.
    begins = [at for at in (tail.find('\\n"'), tail.find('"}'), tail.find(" ")) if at >= 0]
    return tail[min(begins) :].strip() if begins else ""
