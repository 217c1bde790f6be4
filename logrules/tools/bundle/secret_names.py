"""Names beside which secrets stand, as patterns of `regex` in its verbose form, made from a table."""

import tomllib
from collections.abc import Iterable
from importlib.resources import files

import regex

_TABLE: dict[str, list[str]] = tomllib.loads(
    files("logrules.tools.bundle").joinpath("secret_names.toml").read_text(encoding="utf-8")
)
# What parts the words of a name: nothing in `apiKey`.
_JOINT = r"[_\-.\ ]?"
_CHINESE = regex.compile(r"(?<=\p{Han})(?=\p{Han})")


def _any_of(names: Iterable[str], joint: str = _JOINT) -> str:
    """A pattern for any of the names, the longest first: one may begin another."""
    return "|".join(_spelt(name, joint) for name in sorted(names, key=len, reverse=True))


def _spelt(name: str, joint: str) -> str:
    plain = regex.escape(name, special_only=True, literal_spaces=True).replace(" ", r"\ ").replace("_", joint)
    return _CHINESE.sub(r"\ ?", plain)


def _behind(names: Iterable[str], before: str) -> "regex.Pattern[str]":
    """What ends with one of the names, and no part of a longer word."""
    return regex.compile(rf"{before}(?:{_any_of(names)})[_.\- ]?$", regex.IGNORECASE)


# What follows these is a secret whatever it looks like. (`root pass` in prose is a hint only.)
PASSWORDS = (
    rf"{_any_of(_TABLE['passwords'])}|(?:{_any_of(_TABLE['owners_of_passwords'], '[_.-]?')})[_.\-]?(?:pass|pwd|psk)"
)
KEYS = (
    rf"{_any_of(_TABLE['keys'])}|(?:{_any_of(_TABLE['secrets_of'])}){_JOINT}secret"
    rf"|(?:{_any_of(_TABLE['tokens_of'])}){_JOINT}token|(?:{_any_of(_TABLE['keys_of'])}){_JOINT}key"
)
# What follows these is a secret only where it looks like one.
HINTS = _any_of(_TABLE["hints"])
# Where one of these may begin: at a word, or at one in `camelCase`.
HINT_START = r"(?:(?<![a-z])|(?<=-D)|(?-i:(?<=[a-z])(?=[A-Z][a-z])))"
# A name is no part of a longer word, but Chinese has no blanks.
NAME_END = r"(?: (?<=[\u4e00-\u9fff]) | (?![a-z]) )"
# Any name, in groups by what it says.
NAMED = rf"(?: (?P<password>{PASSWORDS}) | (?P<key>{KEYS}) | {HINT_START}(?P<hint>{HINTS}) ) {NAME_END}"
# What a name may go on with, and is the same name still.
_MORE = r"(?<![ ])\d{1,3}|(?<=[Kk][Ee][Yy][ ])\d(?=:)|(?<![ ])(?:old|new|prod|dev|test|hash|raw|b64|base64|value|str|plain|base)"
NAME_REST = (
    rf"(?:[_\- ]?(?:{_MORE}|(?<=[_-])(?!id\b)(?:{_any_of(_TABLE['issuers'])}))(?![a-z0-9])"
    rf"|(?-i:(?<=\bTF_TOKEN)_\w{{1,60}}+|(?<=[A-Z])_(?!(?i:{_any_of(_TABLE['not_of_secrets'])})(?![A-Z0-9]))[A-Z][A-Z0-9]{{1,20}}+(?=[\"']?[ ]?[=:])))"
)
TOKEN_OF_TEXT = _behind(_TABLE["tokens_of_text"], r"(?<![a-z\d])")
KEY_OF_MAP = _behind(_TABLE["keys_of_maps"], r"(?<![a-z])")
KEY_OF_ISSUER = _behind(_TABLE["issuers"], "")
