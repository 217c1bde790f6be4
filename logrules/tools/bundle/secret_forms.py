"""Secrets by their forms, by what stands round them and on command lines, as patterns made from a table."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import regex

from logrules.tools.bundle.secret_looks import is_nothing

_ALPHABETS = {
    "a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "W": "[A-Za-z0-9_-]", "x": "[A-Za-z0-9_.-]", "b": "[A-Za-z0-9+/_=-]",
    "h": "[0-9a-fA-F]", "H": "[0-9a-fA-F-]", "U": "[A-Z0-9]", "d": "[0-9]", "l": "[a-z0-9]", "v": "[A-Z0-9-]",
    "e": "[A-Za-z0-9_=.+/-]", "s": "[A-Za-z0-9_/=+.-]", "t": "[A-Za-z0-9.]",
}  # fmt: skip
# Of these, chance makes short ones; nothing of the same alphabet may go on behind them.
_EXACT = "UhHld"
_MAX_FORM_CHARS = 4_096
_NEVER = regex.compile(r"(?!)")
# Not inside a word. What looks like one may be the rest of an escape: `\n`, `%3D`, `\u003d`, a colour without its ESC.
_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-fA-F]{4})|(?<=\\x[0-9a-fA-F]{2})"
    r"|(?<=\[[\d;]{0,8}m)|(?<==3D))"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of secret that is known by how it begins.

    ``pattern`` is the whole secret, ``beginning`` one that was cut off at the end of a text. ``maybe_words`` says that
    ordinary names may look alike. Where a form does not begin with a prefix, that is a piece of it.
    """

    name: str
    prefixes: tuple[str, ...]
    pattern: "regex.Pattern[str]"
    beginning: "regex.Pattern[str]"
    maybe_words: bool
    begins_with_prefix: bool = True


@dataclass(frozen=True, slots=True)
class SurroundedForm:
    """A kind of secret that is known by what stands round it; ``hint`` is a part of that, in lower case."""

    name: str
    hint: str
    pattern: "regex.Pattern[str]"


@cache
def _table() -> dict[str, Any]:
    text = files("logrules.tools.bundle").joinpath("secret_forms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def secret_forms() -> tuple[Form, ...]:
    """The forms that issuers gave their secrets."""
    return (*(_form(*row) for row in _table()["forms"]), *(_odd_form(*row) for row in _table()["patterns"]))


@cache
def surrounded_forms() -> tuple[SurroundedForm, ...]:
    """Secrets by what stands round them."""
    rows = _table()["surrounded"]
    return tuple(SurroundedForm(name, hint, regex.compile(pattern, regex.DOTALL)) for name, hint, pattern in rows)


@cache
def _commands() -> tuple["regex.Pattern[str]", ...]:
    return tuple(regex.compile(pattern, regex.MULTILINE) for pattern in _table()["commands"])


def command_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand on command lines (start, end)."""
    for pattern in _commands():
        for found in pattern.finditer(text):
            if not is_nothing(found["secret"]):
                yield found.span("secret")


def _odd_form(name: str, pieces: str, pattern: str) -> Form:
    whole = regex.compile(_START + pattern)
    return Form(name, tuple(pieces.split()), whole, _NEVER, maybe_words=False, begins_with_prefix=False)


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
