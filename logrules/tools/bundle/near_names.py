"""Secrets that do not stand right behind their names: in front of them, in an attribute, or in what has no name."""

from collections.abc import Iterator

import regex

from logrules.tools.bundle.secret_looks import is_drawn, is_hinted, name_before
from logrules.tools.bundle.secret_names import HINTS, KEYS, PASSWORDS

# A value that others stand before: a default, an attribute.
_FARTHER = regex.compile(
    rf"""
    (?: (?P<strong>{PASSWORDS}|{KEYS}) | (?<![a-z])(?P<hint>{HINTS}) ) (?![a-z])
    (?: [^\n]{{0,60}}? (?:\n[ \t]{{1,8}}+[^\n]{{0,80}}?)? (?<![a-z])(?:default|value|input_value|s)\\*+["']? \]? (?: \s*+[:=]\s*+ | [ ] )
      | ["')\]]{{0,3}}+ [ ](?:or|\|\||\?\?)[ ]
    )
    \\*+(?P<quote>["']) (?P<secret> [^"'\\\n]{{6,4096}}+ )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
# Values in front of what names them, or between what can only stand round a password.
_TURNED = tuple(
    regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)
    for pattern in (
        rf"""["'](?P<secret>[^"'\n\s]{{6,400}}+)["'] [ ] (?:(?:is|was)[ ](?:not|no)[ ](?:(?:an?|the)[ ])?(?:valid[ ])?|(?:given[ ])?(?:for|as)[ ]) (?:the[ ]|an?[ ]|--)? [\w.-]{{0,40}}? (?:{PASSWORDS}|{KEYS}|(?:token|key|sk|pat|pass|pwd)\b)""",
        r"""(?<!\S)["'“]?(?P<secret>(?=\S*\d)(?=\S*[A-Za-z])[^\s"'()]{6,400}+)["'”]?[ ]?[(](?:password|passwd|passphrase|pwd|密码|口令|密钥)[)]""",
        r"""(?<![\w/.:@-])[\w.-]{1,40}+:(?P<secret>[^\s:"'/]{6,100})@[\w.-]{1,100}:\d{2,5}\b""",
    )
)


def secrets_near_names(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end)."""
    for found in _FARTHER.finditer(text):
        secret = found["secret"]
        if is_drawn(secret) and (
            found["strong"] or is_hinted(found["hint"], *name_before(text, found.start()), secret)
        ):
            yield found.span("secret")
    for pattern in _TURNED:
        for found in pattern.finditer(text):
            if is_drawn(found["secret"]):
                yield found.span("secret")
