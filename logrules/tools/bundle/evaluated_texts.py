"""Texts that a program puts together, as they read once it has: of formats, of variables, and out of base64.

So are values that a traceback shows below the names of a line of source.

Each is a line of its own, in pieces of where it was written.
"""

import base64
import binascii
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

import regex

from logrules.tools.bundle.text_view import Piece, lines_round, starts_of

_QUOTED = r"""(?<!\\)\\*+(?P<q>["'`])(?P<text>[^"'`\n\\]{0,4096}+)\\*+(?P=q)"""
_TERM = regex.compile(rf"""{_QUOTED}|(?P<text>[^\s"'`,()]++)""")
_GAP = r"%[-+ 0]?\d{0,4}(?:\.\d{1,3})?[sdvqr]|\{(?:\w{0,20}(?:![rsa])?|:\w{0,5})\}"
_GAPS = re.compile(_GAP)
# A text with gaps, what says that their fillings follow, and these.
_FORMAT = regex.compile(
    rf"""
    (?P<q>["'`]) (?P<format> [^"'`\n]{{0,200}}? (?:{_GAP}) [^"'`\n]{{0,200}}+ ) (?P=q)
    (?: \s?,\s? | \s?%\s?\(?\s? | \.format\(\s? | [ \t]++ )
    (?P<fillings> [^\n]{{1,8192}} )
    """,
    regex.VERBOSE,
)
_SEPARATOR = regex.compile(r"\s*+,\s*+|[ \t]++")
_MAX_FILLINGS = 16
# So much of a line is read in front of what is put together in it: a name.
_MAX_NAME = 100
# Names or texts with a sign between, or names side by side within a text: `a + b`, `${a}${b}`, `{a}{b}`.
_VALUE = r"""(?:\$?\b[A-Za-z_][\w.]{0,60}+(?![\w(\[])|\$\{\w{1,60}+\}|(?<!\\)\\*+["'][^"'\n\\]{0,4096}+\\*+["'])"""
_SIGN = r"(?:[ \t]{0,8}(?:\+|\.\.?|&|\|\||<<|<>|~)[ \t]{0,8})"
_JOINED = regex.compile(
    rf"""{_VALUE}(?:{_SIGN}{_VALUE}){{1,15}}+|(?:\$?\{{\w{{1,60}}+\}}|\$[A-Za-z_]\w{{0,60}}+){{2,16}}+""", regex.VERBOSE
)
# A sign between two of them.
_JOINING = re.compile(r"""(?:[+&~]|\|\||<[<>]|\.(?<=[. \t]\.))[ \t]{0,8}[\w"'$({]|\}\$?\{|\$\w{1,60}\$""")
_PART = regex.compile(rf"""{_QUOTED}|(?P<name>\$?\{{\w++\}}|\$?[A-Za-z_][\w.]*+)""")
_ASSIGNED = regex.compile(
    r"""
    (?<![\w.$-]) \$?(?P<name>[A-Za-z_][\w.]{0,60}+) (?: \s?:\s?[&\w]{1,20} )?+ \s{0,8}+ :?=
    (?: \s{0,8}+ [bBrRfFuU]{0,2} \\*+(?P<q>["'`]) (?P<text>[^"'`\n\\]{2,4096}+) \\*+(?P=q)
      | (?P<text>[\w+/.~@%-]{2,4096}+) )
    """,
    regex.VERBOSE,
)
# What stands below a line of source: lines down from its names, and the value of one of these.
_POINTER = regex.compile(r"(?P<to>[^\n└]{0,400}?[ │|])└ ")
_POINTED = regex.compile(r"[A-Za-z_][\w.]{0,60}+")
# Base64 of plain characters: of each four the first is one of these; and the same in hexadecimal digits. Words are made
# so by chance alone.
_HEXADECIMAL = re.compile(r"(?i)(?:[2-7][0-9a-f]){12,4096}+")
_ENCODED = re.compile(
    r"(?<![0-9A-Fa-f])(?:[2-7][0-9a-fA-F]){12,4096}+(?![0-9A-Za-z])"
    r"|(?<![\w+/-])(?:[I-Za-f][\w+/-]{3}){4,1024}+(?:[I-Za-f][\w+/-]{1,2}={0,2})?(?![\w+/-])",
    re.ASCII,
)


def put_together(view: str) -> Iterator[Piece]:
    """The pieces of these lines, each line with its end."""
    for line in (*_formatted(view), *_joined(view), *_decoded(view), *_pointed(view)):
        yield from line
        yield "\n", line[-1][2], line[-1][2]


def _formatted(view: str) -> Iterator[list[Piece]]:
    for found in (
        one for start, end in lines_round(view, starts_of(_GAPS, view)) for one in _FORMAT.finditer(view, start, end)
    ):
        fillings = _fillings(view, *found.span("fillings"))
        pieces, last = [_line_before(view, found.start())], found.start("format")
        for gap, filling in zip(_GAPS.finditer(found["format"]), fillings, strict=False):
            start, end = (found.start("format") + place for place in gap.span())
            pieces += [(view[last:start], last, start), filling]
            last = end
        if len(pieces) > 1:
            yield pieces


def _fillings(view: str, start: int, end: int) -> list[Piece]:
    found: list[Piece] = []
    while len(found) < _MAX_FILLINGS and (term := _TERM.match(view, start, end)) is not None:
        found.append((term["text"], *term.span("text")))
        separator = _SEPARATOR.match(view, term.end(), end)
        if separator is None:
            break
        start = separator.end()
    return found


def _joined(view: str) -> Iterator[list[Piece]]:
    """Lines in which variables are joined, with what was assigned to them last."""
    expressions = list(_expressions(view))
    assigned = _assigned(view, expressions)
    for found in expressions if assigned else ():
        pieces = [_value(part, assigned) for part in _PART.finditer(view, *found.span())]
        if any(start < found.start() for _, start, _ in pieces):
            yield [_line_before(view, found.start()), *pieces]


def _expressions(view: str) -> Iterator["regex.Match[str]"]:
    for start, end in lines_round(view, starts_of(_JOINING, view)):
        yield from _JOINED.finditer(view, start, end)


def _names(expression: "regex.Match[str]") -> set[str]:
    return {_bare(part["name"]) for part in _PART.finditer(expression[0]) if part["name"]}


def _assigned(view: str, expressions: Iterable["regex.Match[str]"]) -> dict[str, list[Piece]]:
    """What is assigned to the names in expressions."""
    wanted = {name for found in expressions for name in _names(found)}
    assigned: defaultdict[str, list[Piece]] = defaultdict(list)
    for one in _ASSIGNED.finditer(view) if wanted else ():
        if one["name"] in wanted:
            assigned[one["name"]].append((one["text"], *one.span("text")))
    return dict(assigned)


def _value(part: "regex.Match[str]", assigned: dict[str, list[Piece]]) -> Piece:
    if part["name"] is None:
        return part["text"], *part.span("text")
    values = assigned.get(_bare(part["name"]), [])
    at = bisect_left(values, part.start(), key=lambda value: value[1]) - 1
    return values[at] if at >= 0 else (part["name"], *part.span("name"))


def _bare(name: str) -> str:
    return name.strip("${}")


def _decoded(view: str) -> Iterator[list[Piece]]:
    for found in _ENCODED.finditer(view):
        text = _plain(found[0])
        if text is not None:
            yield [(_plain(text) or text if _ENCODED.fullmatch(text) else text, *found.span())]


def _plain(encoded: str) -> str | None:
    """What base64 or hexadecimal digits hold, if that is text."""
    bare = encoded.rstrip("=")
    try:
        if _HEXADECIMAL.fullmatch(bare):
            text = bytes.fromhex(bare)
        else:
            text = base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_" if set("-_") & set(bare) else None)
    except binascii.Error:
        return None
    return text.decode() if text.isascii() and text.decode().replace("\n", " ").isprintable() else None


def _pointed(view: str) -> Iterator[list[Piece]]:
    """Names of a line of source, with the values that loguru and better_exceptions draw lines to from below them."""
    source = start = 0
    while "└ " in view and start < len(view):
        end = view.find("\n", start)
        end = len(view) if end < 0 else end
        if (pointer := _POINTER.match(view, start, end)) is None:
            source = start
        elif (name := _POINTED.match(view, source + pointer.end("to") - start)) is not None:
            value = view[pointer.end() : end]
            yield [(name[0], *name.span()), ("=", name.end(), name.end()), (value, pointer.end(), end)]
        start = end + 1


def _line_before(view: str, place: int) -> Piece:
    start = max(view.rfind("\n", 0, place) + 1, place - _MAX_NAME)
    return view[start:place], start, place
