"""Secrets that do not stand right behind their names: below them, in front of them, or in an attribute."""

from collections.abc import Iterator, Sequence
from itertools import islice

import regex

from logrules.tools.bundle.name_places import lines_at, matches_at, places_in
from logrules.tools.bundle.secret_looks import (
    MIN_HINTED,
    MIN_SIGNED,
    SHORT_HINTS,
    drawn_by_lot,
    has_signs,
    is_any_secret,
    is_by_chance,
    is_chosen,
    is_drawn,
    is_hinted,
    is_identifier,
    is_mixed_fourfold,
    is_nothing,
    name_before,
)
from logrules.tools.bundle.secret_names import HINT_START, HINTS, KEYS, NAME_END, PASSWORDS

_NAMED = regex.compile(
    rf"(?: (?P<password>{PASSWORDS}) | (?P<key>{KEYS}) | {HINT_START}(?P<hint>{HINTS}) ) {NAME_END}",
    regex.VERBOSE | regex.IGNORECASE,
)
_LETTER = r"""[^\s"'`,;:=()\[\]{}<>|&\\\u3000-\u9fff]"""
# What may be a value: a word with a digit, a sign or a capital inside, maybe behind a quote as JSON and HTML spell it.
_WORD = regex.compile(
    rf"""
    (?: \\+(?:u00|x)22 | &quot; | &\#3[49]; | (?<![A-Za-z0-9_.~-]) )
    (?= {_LETTER}{{0,100}}? (?: [\d!\#$%^*+~@?] | [a-z][A-Z] ) )
    ( {_LETTER}{{6,4096}}+ (?: :[0-9a-f]{{16,64}}+ )?+ )
    """,
    regex.VERBOSE,
)
_REST = regex.compile(rf"{_LETTER}{{0,4096}}+")
# Between a name and its value: words and one sign, or anything and then what says that a value follows.
_BETWEEN = regex.compile(
    r"""
    (?:\W{0,3}&quot;)? [^\n=:]{0,60}+ (?: (?:=>?|:) [^\n=:]{0,40}+ )?
  | [^\n]{0,60}? (?:\n[ \t]{1,8}+[^\n]{0,80}?)? (?<![a-z])(?:default|value|choice|s)\\*+["']? \]? (?: \s*+[:=]\s*+ | [ ] ) \\*+["'\[]?+
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
# The word behind these is whose password it is, or where it is for.
_WHOSE = regex.compile(
    r"\b(?:for|of|on|at|from|by|in|user|host|see|run)[ ]+[\"'`]?$|(?:sha\d+|md5):$", regex.IGNORECASE
)
# What is told of it is no value.
_ABOUT = regex.compile(
    r"(?<![a-z])(?:id|algorithm|policy|type|pattern|version|format|length|file|path)[ ]?[:=][ ]?[\"']?$",
    regex.IGNORECASE,
)
_HASH = regex.compile(r"(?:\w{1,8}[:-])?[0-9a-f-]{12,}", regex.IGNORECASE)
_RUN = regex.compile(r"_?[0-9A-Za-z]{16,}")
_FAR_CHARS, _MAX_WORDS = 150, 8
_MIN_DRAWN = 3
_ESCAPED_QUOTE = regex.compile(r"\\+(?:u00|x)2[27]|&quot;|&#3[49];")
# Right behind these a value stands.
_SAID = regex.compile(r"(?:(?:\b(?:is|was|to|now|keep)|[:=>为是成了])[ ]?|^)[\"'`]?$")
# Values in front of what names them, or between what can only stand round a password.
_TURNED = tuple(
    regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)
    for pattern in (
        rf"""(?<!\S)["']?(?P<secret>[^"'\n\s]{{6,400}}+)["']? [ ] (?:(?:is|was)[ ](?:not|no)[ ](?:(?:an?|the)[ ])?(?:valid[ ])?|(?:given[ ])?(?:for|as)[ ]) (?:the[ ]|an?[ ]|--)? [\w.-]{{0,40}}? (?:(?P<password>{PASSWORDS})|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b)""",
        # As pytest tells of which attribute a value is.
        rf"""["'](?P<secret>[^"'\n]{{6,400}}+)["'] (?= [ ] (?: [^\n]{{0,80}}\n[^\n]{{0,120}}where[ ]["'](?P=secret)["'][ ] )? = [ ] [\w.()\[\]]{{1,80}}? (?:(?P<password>{PASSWORDS})|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b) )""",
        r"""(?<!\S)["'“]?(?P<secret>[^\s"'()]{6,400}+)["'”]?[ ]?[(](?P<password>password|passwd|passphrase|pwd|密码|口令|密钥)[)]""",
    )
)
_LOGGED_IN = regex.compile(
    r"""(?<![\w/.:@-])[\w.-]{1,40}+[:/](?P<secret>[^\s:"'/]{6,100})@(?:[\w.-]{1,100}:\d{2,5}\b|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})"""
)
# A sentence that ends in a colon, and what it announces alone on a line below.
_BELOW = regex.compile(
    rf"(?:{PASSWORDS}|{KEYS}|{HINT_START}(?P<hint>{HINTS})){NAME_END}(?P<rest>[^\n]{{0,100}}?)[:：][ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*(?P<secret>[^\s]{{8,400}}+)[ \t]*$",
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
# What a user and a password stand in front of, and no name of a module does.
_INTERNET = regex.compile(
    r"@[\w-]{1,60}(?:\.[\w-]{1,60}){0,5}(?:\.(?:com|net|org|edu|gov|io|ai|dev|app|cloud|cn|de|eu|fr|jp|kr|uk|us"
    r"|local|lan|internal|intra|corp|home|lab|svc|example)(?![\w.-])|:\d{2,5}\b)",
    regex.IGNORECASE,
)


def secrets_near_names(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end), of names that begin at ``places``."""
    for name in matches_at(_NAMED, text, places):
        left, before = name_before(text, name.start())
        left = left.removeprefix("u0022")
        if name["hint"] is None or is_identifier(left + name["hint"]):
            yield from islice(_values_behind(text, name, left, before), 1)
    for found in matches_at(_BELOW, text, places):
        is_asked_for = (
            found["rest"] == ""
            and found["hint"] is None
            and not found["secret"].endswith(":")
            and is_chosen(found["secret"])
        )
        is_drawn_long = drawn_by_lot(found["secret"]) >= (MIN_HINTED if found["hint"] is None else MIN_SIGNED)
        if (is_asked_for or is_drawn_long) and not is_nothing(found["secret"]):
            yield found.span("secret")
    for start, end in _lines_before(text, places):
        for found in (one for pattern in _TURNED for one in pattern.finditer(text, start, end)):
            is_sure = found.groupdict().get("password") is not None
            if is_drawn(found["secret"]) or (is_chosen(found["secret"]) and is_sure):
                yield found.span("secret")
    yield from logins(text)


def logins(text: str) -> Iterator[tuple[int, int]]:
    """Where passwords stand between a user and a host (start, end)."""
    for line in lines_at(text, [*places_in("@", text)]):
        end = text.find("\n", line)
        for found in _LOGGED_IN.finditer(text, line, end if end >= 0 else len(text)):
            is_sure = _INTERNET.match(text, found.end("secret")) is not None
            if is_drawn(found["secret"]) or (is_chosen(found["secret"]) and is_sure):
                yield found.span("secret")


def _lines_before(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The lines with the places, each with the one before."""
    for line in lines_at(text, places):
        end = text.find("\n", line)
        yield text.rfind("\n", 0, max(0, line - 1)) + 1, end if end >= 0 else len(text)


def _values_behind(text: str, name: "regex.Match[str]", left: str, before: str) -> Iterator[tuple[int, int]]:
    behind = text[name.end() : name.end() + _FAR_CHARS]
    for word in islice(_WORD.finditer(behind), _MAX_WORDS):
        between = behind[: word.start(1)]
        is_near = _may_be_value(name, word[1]) and _BETWEEN.fullmatch(between) is not None
        if is_near and _is_value(name, left, before, between, word[1]):
            start, end = (name.end() + place for place in word.span(1))
            yield start, _REST.match(text, end).end()  # type: ignore[union-attr]  # (it fits the empty text too)


def _may_be_value(name: "regex.Match[str]", value: str) -> bool:
    is_named = name["hint"] is None and is_chosen(value)
    return is_named or has_signs(value) or drawn_by_lot(value) >= _MIN_DRAWN


def _is_value(name: "regex.Match[str]", left: str, before: str, between: str, value: str) -> bool:
    """Whether a word that stands some way behind a name is its value."""
    drawn = drawn_by_lot(value)
    # A symbol goes on behind what looks like a name, as does the path of a resource.
    is_symbol = not between and name[0].isascii() and not _RUN.fullmatch(value)
    if is_symbol or (between == "/" and _HASH.fullmatch(value)):
        return False
    if _WHOSE.search(between) or _ABOUT.search(between):
        return False
    if name["password"]:
        may_be = has_signs(value) or is_identifier(left + name["password"])
        return drawn >= MIN_HINTED or _is_said(between, value) or (may_be and is_drawn(value))
    if name["key"]:
        is_prose = not left.startswith("--") and not is_identifier(left + name["key"])
        if is_prose or is_any_secret(left, name["key"]):
            return drawn >= MIN_SIGNED and not _HASH.fullmatch(value)
        # One that signs chop into short pieces.
        is_chopped = len(value) >= MIN_SIGNED and is_by_chance(value)
        return drawn >= MIN_HINTED or is_chopped or _is_said(between, value)
    is_long = drawn >= MIN_SIGNED or (name["hint"].lower() in SHORT_HINTS and is_mixed_fourfold(value))
    return is_long and is_hinted(name["hint"], left, before, value)


def _is_said(between: str, value: str) -> bool:
    return is_chosen(value) and not is_nothing(value) and _SAID.search(_ESCAPED_QUOTE.sub('"', between)) is not None
