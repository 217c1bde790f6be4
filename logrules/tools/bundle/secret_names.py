"""Names beside which secrets stand, as patterns of `regex` in its verbose form, made from a table; and where they are.

They are found by what they end with, since a text has few of these: to try all names at each character of a log took
most of the time of its redaction.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import product
from operator import add

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.ruleset.bounded_read import packaged_table

_TABLE: dict[str, list[str]] = packaged_table("logrules.tools.bundle", "secret_names.toml")
# What parts the words of a name: nothing in `apiKey`.
_JOINT = r"[_\-.\ ]?"
_JOINTS = ("", "_", "-", ".", " ")
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


_OWNED_PASSWORDS, _OWNED_KEYS = "pass|pwd|psk", {"secrets_of": "secret", "tokens_of": "token", "keys_of": "key"}
# What follows these is a secret whatever it looks like. (`root pass` in prose is a hint only.)
PASSWORDS = rf"{_any_of(_TABLE['passwords'])}|(?:{_any_of(_TABLE['owners_of_passwords'], '[_.-]?')})[_.\-]?(?:{_OWNED_PASSWORDS})"
KEYS = "|".join(
    (
        _any_of(_TABLE["keys"]),
        *(rf"(?:{_any_of(_TABLE[owners])}){_JOINT}{word}" for owners, word in _OWNED_KEYS.items()),
    )
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
_WHOLE = [name for table in ("passwords", "keys", "hints") for name in _TABLE[table]]
# With an owner and what stands before.
_MOST_CHARS = max(len(name) + len(" secret") for names in _TABLE.values() for name in names)
ANY_NAME = regex.compile(NAMED, regex.VERBOSE | regex.IGNORECASE)


def name_places(text: str) -> list[int]:
    """Each place at which a name begins that says of what stands near it that it is secret; also inside another."""
    return [
        start + place
        for start, end in _stretches(text)
        for place in _places_within(text[max(0, start - 1) : end + 1], min(start, 1), min(len(text) - end, 1))
    ]


def name_ends(text: str) -> list[int]:
    """Where a name may end: behind each of what names end with."""
    # In lower case it is found in a fourth of the time; of all letters only this one would become two.
    lower = text.replace("İ", "I").lower()
    # One byte for each character: no plain ending has another one.
    data = lower.encode("ascii", "replace")
    found = {end for end, _ in _endings().find(data) if not data[end : end + 1].islower()}
    if not lower.isascii():
        found.update(one.end() for one in _foreign().finditer(lower))
    return sorted(found)


def matches_at(pattern: "regex.Pattern[str]", text: str, places: Iterable[int]) -> Iterator["regex.Match[str]"]:
    """What begins at one of the places, which are in order, and matches; none inside another."""
    end = 0
    for place in places:
        if place >= end and (found := pattern.match(text, place)) is not None:
            yield found
            end = found.end()


@cache
def _endings() -> LiteralMatcher:
    """All names but those that end with another, in each spelling."""
    short = {*_WHOLE, *_OWNED_PASSWORDS.split("|"), *_OWNED_KEYS.values()}
    last = {name for name in short if name.isascii() and not any(name.endswith(one) for one in short - {name})}
    spelt = sorted({spelling for name in last for spelling in _spellings(name)})
    return matcher_of([(one.encode(), number, False) for number, one in enumerate(spelt)])


def _spellings(name: str) -> Iterator[str]:
    first, *others = name.split("_")
    for joints in product(_JOINTS, repeat=len(others)):
        yield first + "".join(map(add, joints, others))


@cache
def _foreign() -> "regex.Pattern[str]":
    return regex.compile(_any_of(name for name in _WHOLE if not name.isascii()), regex.VERBOSE)


@lru_cache(maxsize=8_192)
def _places_within(stretch: str, before: int, behind: int) -> tuple[int, ...]:
    """Where names begin in a stretch, counted from behind its first characters, which only tell what precedes them."""
    found = ANY_NAME.finditer(stretch, before, overlapped=True)
    return tuple(one.start() - before for one in found if one.end() <= len(stretch) - behind)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts of the text that hold all names, each to the end of one."""
    first = last = -1
    for end in name_ends(text):
        begun = max(0, end - _MOST_CHARS)
        if begun > last or last < 0:
            if last >= 0:
                yield first, last
            first = begun
        last = end
    if last >= 0:
        yield first, last
