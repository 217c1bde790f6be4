"""Secrets that do not stand right behind their names: below them, in front of them, or in an attribute."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import regex

from logrules.tools.bundle.score import Name, Relation, is_identifier, is_secret, name_before, name_of
from logrules.tools.bundle.secret_names import ANY_NAME, KEYS, NAMED, PASSWORDS, matches_at
from logrules.tools.bundle.text_view import lines_round, starts_of

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
_ESCAPED_QUOTE = regex.compile(r"\\+(?:u00|x)2[27]|&quot;|&#3[49];")
# Right behind these a value stands.
_SAID = regex.compile(r"(?:(?:\b(?:is|was|to|now|keep)|[:=>为是成了])[ ]?|^)[\"'`]?$")
# Values in front of what names them, or between what can only stand round a password.
_TURNED = tuple(
    regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)
    for pattern in (
        rf"""(?<!\S)["']?(?P<secret>[^"'\n\s]{{6,400}}+)["']? [ ] (?:(?:is|was)[ ](?:not|no)[ ](?:(?:an?|the)[ ])?(?:valid[ ])?|(?:given[ ])?(?:for|as)[ ]) (?:the[ ]|an?[ ]|--)? [\w.-]{{0,40}}? (?:(?P<password>{PASSWORDS})|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b)""",
        # As pytest tells of which attribute a value is, and to what it was compared.
        rf"""["'](?P<secret>[^"'\n]{{6,400}}+)["'] (?= [ ] (?: [^\n]{{0,80}}\n[^\n]{{0,120}}where[ ]["'](?P=secret)["'][ ] )? (?: [=!]?= | (?:not[ ])?in | is(?:[ ]not)? ) [ ] [\w.()\[\]"']{{1,80}}? (?:(?P<password>{PASSWORDS})|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b) )""",
        r"""(?<!\S)["'“]?(?P<secret>[^\s"'()]{6,400}+)["'”]?[ ]?[(](?P<password>password|passwd|passphrase|pwd|密码|口令|密钥)[)]""",
    )
)
_AT = re.compile("@")
_LOGGED_IN = regex.compile(
    r"""(?<![\w/.:@-])[\w.-]{1,40}+[:/](?P<secret>[^\s:"'/]{6,100})@(?:[\w.-]{1,100}:\d{2,5}\b|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})"""
)
# A sentence that ends in a colon, and what it announces alone on a line below.
_BELOW = regex.compile(
    rf"{NAMED}(?P<rest>[^\n]{{0,100}}?)[:：][ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*(?P<secret>[^\s]{{8,400}}+)[ \t]*$",
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
# What a user and a password stand in front of, and no name of a module does.
_INTERNET = regex.compile(
    r"@[\w-]{1,60}(?:\.[\w-]{1,60}){0,5}(?:\.(?:com|net|org|edu|gov|io|ai|dev|app|cloud|cn|de|eu|fr|jp|kr|uk|us"
    r"|local|lan|internal|intra|corp|home|lab|svc|example)(?![\w.-])|:\d{2,5}\b)",
    regex.IGNORECASE,
)


def secrets_near_names(text: str, places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Where they stand (start, end, kind), of names that begin at ``places``."""
    for find in (_behind, _below, _in_front, _logins):
        yield from ((*span, "key near its name") for span in find(text, places))


def _behind(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    for found in matches_at(ANY_NAME, text, places):
        if found["hint"] is None or is_identifier(name_before(text, found.start())[0] + found["hint"]):
            yield from islice(_values_behind(text, found), 1)


def _below(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    for found in matches_at(_BELOW, text, places):
        is_asked_for = found["rest"] == "" and found["hint"] is None and not found["secret"].endswith(":")
        if is_secret(name_of(found), Relation.ANNOUNCED if is_asked_for else Relation.BELOW, found["secret"]):
            yield found.span("secret")


def _in_front(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    for start, end in lines_round(text, places, 1):
        for found in (one for pattern in _TURNED for one in pattern.finditer(text, start, end)):
            if is_secret(Name.PASSWORD if found["password"] else Name.KEY, Relation.BEFORE, found["secret"]):
                yield found.span("secret")


def _logins(text: str, _places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where passwords stand between a user and a host (start, end)."""
    for start, end in lines_round(text, starts_of(_AT, text)):
        for found in _LOGGED_IN.finditer(text, start, end):
            place = Relation.AT_HOST if _INTERNET.match(text, found.end("secret")) else Relation.LOGIN
            if is_secret(Name.NONE, place, found["secret"]):
                yield found.span("secret")


def _values_behind(text: str, found: "regex.Match[str]") -> Iterator[tuple[int, int]]:
    behind, name = text[found.end() : found.end() + _FAR_CHARS], name_of(found)
    for word in islice(_WORD.finditer(behind), _MAX_WORDS):
        # Few words would be enough in any place: of those it is looked for.
        if is_secret(name, Relation.ANNOUNCED, word[1]):
            place = _place(found, behind[: word.start(1)], word[1])
            if place is not None and is_secret(name, place, word[1]):
                start, end = (found.end() + at for at in word.span(1))
                yield start, _REST.match(text, end).end()  # type: ignore[union-attr]  # (it fits the empty text too)


def _place(name: "regex.Match[str]", between: str, value: str) -> Relation | None:
    """How a word some way behind a name stands to it; None where it tells of something else."""
    # A symbol goes on behind what looks like a name, as does the path of a resource.
    is_symbol = not between and name[0].isascii() and not _RUN.fullmatch(value)
    is_other = _WHOSE.search(between) or _ABOUT.search(between) or (between == "/" and _HASH.fullmatch(value))
    if is_symbol or is_other or not _BETWEEN.fullmatch(between):
        return None
    if name["hint"] is None and _SAID.search(_ESCAPED_QUOTE.sub('"', between)):
        return Relation.ANNOUNCED
    left = name_before(name.string, name.start())[0].removeprefix("u0022")
    is_of_program = left.startswith("--") or is_identifier(left + name[0])
    return Relation.FAR if is_of_program else Relation.IN_PROSE
