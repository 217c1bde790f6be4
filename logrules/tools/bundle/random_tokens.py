"""Tokens of issuers that no table has: long, of letters of both cases and digits in an order that is chance's."""

import base64
import binascii
import json
from collections.abc import Iterator

import regex

from logrules.tools.bundle.secret_looks import MIN_HINTED, drawn_by_lot, turns_by_chance

_LONG = regex.compile(
    r"""
    (?<![\w-]) (?=[a-z0-9_-]*+[A-Z]) (?=[A-Z0-9_-]*+[a-z]) (?=[A-Za-z_-]*+\d)
    (?! (?:[A-Za-z]{1,8}-)?+ [0-9a-f]{8}-[0-9a-f]{4}- ) [A-Za-z0-9_-]{24,4096}+
    """,
    regex.VERBOSE,
)
# One that is parted by - or _ may be a name of many words: it has to be longer.
_MIN_PARTED = 32
# Fingerprints and public keys may be known.
_PUBLIC_BEFORE = regex.compile(r"(?i)(?:sha\d+|md5)[:-]|ssh-\w+ |\b_Z$")
_BEFORE_CHARS = 12


def random_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end)."""
    for found in _LONG.finditer(text):
        before = text[max(0, found.start() - _BEFORE_CHARS) : found.start()]
        if _is_random(found[0]) and not _PUBLIC_BEFORE.search(before) and not is_plain_json(found[0]):
            yield found.span()


def _is_random(token: str) -> bool:
    return (token.isalnum() or len(token) >= _MIN_PARTED) and turns_by_chance(token)


def is_plain_json(token: str) -> bool:
    """Whether it is JSON in base64 that holds no secret, as the launcher of DeepSpeed gives hosts and their devices."""
    if not token.startswith("eyJ"):
        return False
    try:
        text = base64.urlsafe_b64decode(token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4)).decode()
        json.loads(text)
    except (binascii.Error, ValueError):
        return False
    return drawn_by_lot(text) < MIN_HINTED
