"""Text as secrets are looked for in it: without what splits them, and with a view in which wrapped lines are one."""

import re
import unicodedata
from collections.abc import Iterator

from logrules.tools.bundle.text_view import Piece, TextView, view_of

# Colours and other sequences, as the terminal gets them or as loggers and JSON spell them: within JSON within JSON
# with ever more backslashes. A line may be nothing else, so few are looked at from each of them.
_SEQUENCES = re.compile(
    r"(?:\x1b|\\{1,16}+(?:x1[bB]|u001[bB]|033|e(?=\[))|\^\[|#033(?=\[)|\u241b)"
    r"(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78DEHMNOZc])"
    r"|\x9b[0-?]{0,32}[ -/]{0,4}[@-~]"
)
# What is not seen: zero-width and joining characters, marks of direction, soft hyphens, controls (but line ends, tabs).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]"
)
# In the environment of a process as the kernel gives it, where a NUL inside a word is but noise.
_ENVIRONMENT_END = re.compile("\x00(?=[A-Za-z_][A-Za-z0-9_]{0,80}=)")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "「": '"', "」": '"', "『": '"', "』": '"'})
# The end of a line inside a token: of a terminal's or an editor's width, quoted, continued, or redrawn.
_FRAME = r"(?:\\|[|│┃](?:[ \t]*[|│┃])?)?"
# Of a record that holds the line, its frame spelt out.
_RECORD = r"(?:(?:\\u250[23])?+\\++n\\*+\"[^\n]{0,200}+|\\*+\"\}?+)?+"
_END = r"(?:\r\n|\n|\r)(?P<on>[ \t]*(?:[|>│┃][ \t]*){0,2}(?=[\w+/=.~-]))?"
# Or of an opening quote, or in an address.
_BEFORE = r"(?:(?<=[\w+/=.~@-])|(?<=[=:]\")|(?<=[=:][ ]\")|(?<=https:)|(?<=http:))"
_BREAK = re.compile(rf"{_BEFORE}[ \t]*{_FRAME}{_RECORD}{_END}")
# Behind the first line of a message rich prints its place in the source.
_SOURCE = r"[ \t]+\w[\w.]{0,60}\.py:\d{1,6}[ \t]*"
_BESIDE_SOURCE = re.compile(rf"{_SOURCE}\n")
_BREAK_OR_SOURCE = re.compile(rf"{_BEFORE}(?:{_SOURCE}|[ \t]*){_FRAME}{_RECORD}{_END}")
_END_OF_HEAD = re.compile(r"[ \t]|[=:][ ]?\\*\"")
_TOKEN = re.compile(r"[\w+/=.~-]")
_MAX_BEGINNING = 200
_LAST_OF_ASCII = 127
# Of terminals and of what has none. What goes on below may hang in.
_TERMINALS = frozenset({80, 100, 120, 132, 160})
_HANGING = re.compile(r"(?:[ \t]{2,})?")
_DIGITS = str.maketrans("123456789", "0" * 9)


def without_controls(text: str) -> str:
    """The text without terminal sequences and unseen characters. It keeps its lines, which end alike."""
    return _UNSEEN.sub("", _ENVIRONMENT_END.sub(" ", _SEQUENCES.sub("", text))).replace("\r\n", "\n")


def folded(text: str) -> str:
    """The same text, character for character, with compatibility forms (full-width, mathematical) as plain ones."""
    if text.isascii():
        return text
    plain = {ord(char): _plain(char) for char in set(text) if ord(char) > _LAST_OF_ASCII}
    return text.translate(plain).translate(_QUOTES)


def _plain(char: str) -> str:
    found = unicodedata.normalize("NFKC", char)
    return found if len(found) == 1 else char


def unwrapped(text: str) -> TextView:
    """The view of a text without the line breaks inside of what may be one token, nor what each line begins with."""
    pieces: list[Piece] = []
    last = 0
    for end, start in _breaks(text):
        pieces.append((text[last:end], last, end))
        last = start
    return view_of((*pieces, (text[last:], last, len(text))), joint=0)


def cut_lines(text: str) -> TextView | None:
    """The lines that are as wide as a terminal, each with what goes on below it; None if there are none."""
    pieces: list[Piece] = []
    line, goes_on = 0, -1
    while (end := text.find("\n", line)) >= 0:
        head = _same_beginning(text, line, end + 1)
        begin = max(line, goes_on)
        if end - line in _TERMINALS or end - line - head in _TERMINALS:
            pieces.append((text[begin:end], begin, end))
            goes_on = _HANGING.match(text, end + 1 + head).end()  # type: ignore[union-attr]  # (it fits the empty text too)
        elif line <= goes_on:
            pieces += [(text[begin:end], begin, end), ("\n", end, end)]
        line = end + 1
    if not pieces:
        return None
    return view_of((*pieces, (text[goes_on:], goes_on, len(text))) if line <= goes_on else pieces, joint=0)


def _breaks(text: str) -> Iterator[tuple[int, int]]:
    """Where such a break begins and where the next line goes on."""
    line = 0
    pattern = _BREAK_OR_SOURCE if _BESIDE_SOURCE.search(text) else _BREAK
    for found in pattern.finditer(text):
        line = max(line, text.rfind("\n", 0, found.start()) + 1)
        begin = text.find("\n", found.start(), found.end()) + 1
        same = _same_beginning(text, line, begin) if begin else 0
        if same and _TOKEN.match(text, begin + same):
            yield found.start(), begin + same
        elif not same and found["on"] is not None:
            yield found.start(), found.end()


def _same_beginning(text: str, line: int, next_line: int) -> int:
    """How many characters of a line another one begins with too, but for digits: a worker, a time, a record."""
    one, other = text[line : line + _MAX_BEGINNING], text[next_line : next_line + _MAX_BEGINNING]
    if one[:1] != other[:1] and not (one[:1].isdecimal() and other[:1].isdecimal()):
        return 0
    one, other = (piece.translate(_DIGITS) for piece in (one, other))
    alike, unlike = 1, min(len(one), len(other)) + 1
    while unlike - alike > 1:
        half = (alike + unlike) // 2
        alike, unlike = (half, unlike) if one[alike:half] == other[alike:half] else (alike, half)
    ends = [found.end() for found in _END_OF_HEAD.finditer(one, 0, alike)]
    return ends[-1] if ends else 0
