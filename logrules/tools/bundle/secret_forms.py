"""Secrets by their forms, by what stands round them and on command lines, as patterns made from a table."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import regex

from logrules.ruleset.required_words import required_words
from logrules.tools.bundle.hinted import HintedPatterns
from logrules.tools.bundle.looks import is_nothing

_ALPHABETS = {
    "a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "W": "[A-Za-z0-9_-]", "x": "[A-Za-z0-9_.-]", "b": "[A-Za-z0-9+/_=-]",
    "h": "[0-9a-fA-F]", "H": "[0-9a-fA-F-]", "U": "[A-Z0-9]", "d": "[0-9]", "l": "[a-z0-9]", "v": "[A-Z0-9-]",
    "e": "[A-Za-z0-9_=.+/-]", "s": "[A-Za-z0-9_/=+.-]", "t": "[A-Za-z0-9.]",
}  # fmt: skip
# What a pattern's hint stands on may begin so many lines above and go on so many below (an entry of .netrc, a command).
_LINES_BEFORE, _LINES_BEHIND = 3, 3
# Of these, chance makes short ones; nothing of the same alphabet may go on behind them.
_EXACT = "UhHld"
_MAX_FORM_CHARS = 4_096
_OF_MANY_LINES = ("\\n", "{0,2000}", "{8,20000}", "{1,20000}")
# Not inside a word. What looks like one may be the rest of an escape: `\n`, `%3D`, `\u003d`, a colour without its ESC.
_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-fA-F]{4})|(?<=\\x[0-9a-fA-F]{2})"
    r"|(?<=\[[\d;]{0,8}m)|(?<==3D))"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of secret that is known by how it begins.

    ``pattern`` is the whole secret, ``beginning`` one that was cut off at the end of a text. ``maybe_words`` says that
    ordinary names may look alike.
    """

    name: str
    prefixes: tuple[str, ...]
    pattern: "regex.Pattern[str]"
    beginning: "regex.Pattern[str]"
    maybe_words: bool


@cache
def _table() -> dict[str, Any]:
    text = files("logrules.tools.bundle").joinpath("secret_forms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def secret_forms() -> tuple[Form, ...]:
    """The forms of issuers that begin with a prefix."""
    return tuple(_form(*row) for row in _table()["forms"])


@cache
def _odd_forms() -> HintedPatterns:
    return HintedPatterns([(hints, regex.compile(_START + pattern)) for _, hints, pattern in _table()["patterns"]])


@cache
def _surrounded() -> HintedPatterns:
    rows = _table()["surrounded"]
    return HintedPatterns([(hints, regex.compile(pattern, regex.DOTALL)) for _, hints, pattern in rows])


def odd_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secrets of a form stand that begins with no prefix (start, end, kind)."""
    for number, pattern, places in _odd_forms().near(text):
        kind = _table()["patterns"][number][0]
        for start, end in _regions(text, places):
            yield from ((*found.span(), kind) for found in pattern.finditer(text, start, end))


def surrounded_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secrets stand that are known by what stands round them (start, end, kind)."""
    for number, pattern, places in _surrounded().near(text):
        kind = _table()["surrounded"][number][0]
        # What takes many lines is looked for in all of the text.
        is_long = any(sign in pattern.pattern for sign in _OF_MANY_LINES)
        group = "secret" if "secret" in pattern.groupindex else 0
        for start, end in [(0, len(text))] if is_long else _regions(text, places):
            yield from ((*found.span(group), kind) for found in pattern.finditer(text, start, end))


@cache
def _commands() -> HintedPatterns:
    rows = [row if isinstance(row, list) else ("|".join(required_words(row)), row) for row in _table()["commands"]]
    return HintedPatterns([(hints, regex.compile(pattern, regex.MULTILINE)) for hints, pattern in rows])


def command_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand on command lines (start, end)."""
    for _, pattern, places in _commands().near(text):
        for start, end in _regions(text, places):
            for found in pattern.finditer(text, start, end):
                if not is_nothing(found["secret"]):
                    yield found.span("secret")


def _regions(text: str, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The lines with the places, which are in order, and those round them; regions that meet are one."""
    start = end = line_end = -1
    for place in places:
        if place < line_end:
            continue
        line_end = text.find("\n", place) + 1 or len(text)
        first = place
        for _ in range(_LINES_BEFORE + 1):
            first = text.rfind("\n", 0, max(first, 0))
        if first + 1 > end:
            if end >= 0:
                yield start, end
            start = first + 1
        end = line_end
        for _ in range(_LINES_BEHIND):
            end = text.find("\n", end) + 1 or len(text)
    if end >= 0:
        yield start, end


def _form(name: str, prefixes: str, alphabet: str, least: int, most: int) -> Form:
    # Only one prefix ends in a blank: it stands alone in its row.
    starts = (prefixes,) if prefixes.endswith(" ") else tuple(prefixes.split())
    either = "|".join(regex.escape(start, special_only=True) for start in starts)
    letters = _ALPHABETS[alphabet]
    behind = rf"(?!-?{_ALPHABETS['h']})" if alphabet == "H" else rf"(?!{letters})"
    behind = behind if most and alphabet in _EXACT + "a" else ""
    head = rf"{_START}(?:{either})"
    secret = rf"{head}{letters}{{{least},{most or _MAX_FORM_CHARS}}}"
    return Form(
        name,
        starts,
        regex.compile(secret + behind),
        regex.compile(rf"{head}{letters}*(?=…|\.\.\.|\\*[\"']|$)", regex.MULTILINE),
        alphabet == "W",
    )
