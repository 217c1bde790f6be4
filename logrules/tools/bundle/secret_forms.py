"""Secrets by the forms that their issuers gave them, as patterns made from a table."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import regex

_ALPHABETS = {
    "a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "W": "[A-Za-z0-9_-]", "x": "[A-Za-z0-9_.-]", "b": "[A-Za-z0-9+/_=-]",
    "h": "[0-9a-fA-F]", "H": "[0-9a-fA-F-]", "U": "[A-Z0-9]", "d": "[0-9]", "l": "[a-z0-9]", "v": "[A-Z0-9-]",
    "e": "[A-Za-z0-9_=.+/-]", "s": "[A-Za-z0-9_/=+.-]", "t": "[A-Za-z0-9.]",
}  # fmt: skip
# Of these, chance makes short ones; nothing of the same alphabet may go on behind them.
_EXACT = "UhHld"
_MAX_CHARS = 4_096
_NEVER = regex.compile(r"(?!)")
# Not inside a word. What looks like one may be the rest of an escape: `\n`, `%3D`, `\u003d`, a colour without its ESC.
_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-fA-F]{4})|(?<=\\x[0-9a-fA-F]{2})"
    r"|(?<=\[[\d;]{0,8}m))"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of secret that is known by how it begins.

    ``pattern`` is the whole secret, ``beginning`` one that was cut off at the end of a text. ``least`` is its least
    length. ``maybe_words`` says that ordinary names may look alike.
    """

    name: str
    prefixes: tuple[str, ...]
    pattern: "regex.Pattern[str]"
    beginning: "regex.Pattern[str]"
    least: int
    maybe_words: bool


@cache
def secret_forms() -> tuple[Form, ...]:
    """The forms of the table."""
    text = files("logrules.tools.bundle").joinpath("secret_forms.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return (*(_form(*row) for row in table["forms"]), *(_odd_form(*row) for row in table["patterns"]))


def _odd_form(name: str, piece: str, pattern: str, least: int) -> Form:
    return Form(name, (piece,), regex.compile(_START + pattern), _NEVER, least, maybe_words=False)


def _form(name: str, prefixes: str, alphabet: str, least: int, most: int) -> Form:
    # Only one prefix ends in a blank: it stands alone in its row.
    starts = (prefixes,) if prefixes.endswith(" ") else tuple(prefixes.split())
    either = "|".join(regex.escape(start, special_only=True) for start in starts)
    letters = _ALPHABETS[alphabet]
    behind = rf"(?!-?{_ALPHABETS['h']})" if alphabet == "H" else rf"(?!{letters})"
    behind = behind if most and alphabet in _EXACT + "a" else ""
    head = rf"{_START}(?:{either})"
    return Form(
        name,
        starts,
        regex.compile(rf"{head}{letters}{{{least},{most or _MAX_CHARS}}}{behind}"),
        regex.compile(rf"{head}{letters}*(?=…|\.\.\.|\\*[\"']|$)", regex.MULTILINE),
        least,
        alphabet == "W",
    )
