"""Secrets that do not stand right behind their names: below them in a table, in front of them, or in an attribute."""

from collections.abc import Iterator
from itertools import islice

import regex

from logrules.tools.bundle.secret_looks import (
    MIN_HINTED,
    MIN_SIGNED,
    drawn_by_lot,
    has_signs,
    is_any_secret,
    is_chosen,
    is_drawn,
    is_hinted,
    is_identifier,
    name_before,
)
from logrules.tools.bundle.secret_names import HINTS, KEYS, NAME_END, PASSWORDS

_HEADED = regex.compile(
    rf"""
    ^ (?=[^\n]{{0,400}}[,;|\t])
    [^\n]{{0,400}}? (?: {PASSWORDS} | {KEYS} | _(?:sk|key|token|pat|pass|pwd)\b ) [^\n]{{0,400}}+ $
    """,
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
_NAME = regex.compile(
    rf"""[\w .\-]{{0,40}}?(?:{PASSWORDS}|{KEYS}|(?-i:[A-Za-z]_)(?:sk|key|token|pat|pass|pwd))""",
    regex.VERBOSE | regex.IGNORECASE,
)
_SEPARATORS = "\t|;,"
_QUOTES = " \t\"'`*"
_MAX_ROWS = 10_000
_MIN_CHARS, _MIN_DRAWN = 6, 3


def secret_cells(text: str) -> Iterator[tuple[int, int]]:
    """Where the values of such columns stand (start, end)."""
    read_until = 0
    for found in _HEADED.finditer(text):
        if found.start() < read_until:
            continue
        separator = max(_SEPARATORS, key=found[0].count)
        names = [cell.strip(_QUOTES) for cell in found[0].split(separator)]
        wanted = [number for number, name in enumerate(names) if _NAME.fullmatch(name)]
        read_until = found.end()
        if not wanted or len(names) == 1:
            continue
        for start, line in _rows(text, found.end() + 1):
            cells = line.split(separator)
            if len(cells) != len(names):
                break
            read_until = start + len(line)
            for number in wanted:
                at = start + sum(len(cell) + 1 for cell in cells[:number])
                value = cells[number].strip(_QUOTES)
                if _may_be_secret(value):
                    begin = at + cells[number].index(value)
                    yield begin, begin + len(value)


def _rows(text: str, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(_MAX_ROWS):
        if start >= len(text):
            return
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].rstrip("\r")
        yield start, line
        start = end + 1 if end >= 0 else len(text)


def _may_be_secret(value: str) -> bool:
    """Whether a cell may be a secret: no word, no number, nothing with blanks."""
    mixed = any(map(str.isalpha, value)) and any(map(str.isdecimal, value)) and " " not in value
    return mixed and len(value) >= _MIN_CHARS and drawn_by_lot(value) >= _MIN_DRAWN


_NAMED = regex.compile(
    rf"(?: (?P<password>{PASSWORDS}) | (?P<key>{KEYS}) | (?<![a-z])(?P<hint>{HINTS}) ) {NAME_END}",
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
_HASH = regex.compile(r"(?:\w{1,8}[:-])?[0-9a-f-]{12,}", regex.IGNORECASE)
_FAR_CHARS, _MAX_WORDS = 150, 8
# Right behind these a value stands.
_SAID = regex.compile(r"(?:(?:\b(?:is|was|to|now)|[:=>为是成了])[ ]?|^)[\"'`]?$")
# Values in front of what names them, or between what can only stand round a password.
_TURNED = tuple(
    regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)
    for pattern in (
        rf"""["'](?P<secret>[^"'\n\s]{{6,400}}+)["'] [ ] (?:(?:is|was)[ ](?:not|no)[ ](?:(?:an?|the)[ ])?(?:valid[ ])?|(?:given[ ])?(?:for|as)[ ]) (?:the[ ]|an?[ ]|--)? [\w.-]{{0,40}}? (?:{PASSWORDS}|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b)""",
        r"""(?<!\S)["'“]?(?P<secret>(?=\S*\d)(?=\S*[A-Za-z])[^\s"'()]{6,400}+)["'”]?[ ]?[(](?:password|passwd|passphrase|pwd|密码|口令|密钥)[)]""",
        r"""(?<![\w/.:@-])[\w.-]{1,40}+[:/](?P<secret>[^\s:"'/]{6,100})@(?:[\w.-]{1,100}:\d{2,5}\b|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})""",
    )
)


def secrets_near_names(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end)."""
    for name in _NAMED.finditer(text):
        left, before = name_before(text, name.start())
        left = left.removeprefix("u0022")
        if name["hint"] and not is_identifier(left + name["hint"]):
            continue
        behind = text[name.end() : name.end() + _FAR_CHARS]
        words = islice(_WORD.finditer(behind), _MAX_WORDS)
        word = next((one for one in words if _may_be_value(name, one[1])), None)
        if word is None or not _BETWEEN.fullmatch(behind, endpos=word.start(1)):
            continue
        if _is_value(name, left, before, behind[: word.start(1)], word[1]):
            start, end = (name.end() + place for place in word.span(1))
            yield start, _REST.match(text, end).end()  # type: ignore[union-attr]  # (it fits the empty text too)
    for pattern in _TURNED:
        for found in pattern.finditer(text):
            if is_drawn(found["secret"]):
                yield found.span("secret")


def _may_be_value(name: "regex.Match[str]", value: str) -> bool:
    is_password = name["password"] is not None and is_chosen(value)
    return is_password or has_signs(value) or drawn_by_lot(value) >= _MIN_DRAWN


def _is_value(name: "regex.Match[str]", left: str, before: str, between: str, value: str) -> bool:
    """Whether a word that stands some way behind a name is its value."""
    drawn = drawn_by_lot(value)
    if _WHOSE.search(between):
        return False
    if name["password"]:
        may_be = has_signs(value) or is_identifier(left + name["password"])
        is_said = is_chosen(value) and _SAID.search(between) is not None
        return drawn >= MIN_HINTED or is_said or (may_be and is_drawn(value))
    if name["key"]:
        is_prose = not left.startswith("--") and not is_identifier(left + name["key"])
        if is_prose or is_any_secret(left, name["key"]):
            return drawn >= MIN_SIGNED and not _HASH.fullmatch(value)
        return drawn >= MIN_HINTED
    return drawn >= MIN_SIGNED and is_hinted(name["hint"], left, before, value)
