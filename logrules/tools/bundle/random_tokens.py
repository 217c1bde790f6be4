"""Tokens of issuers that no table has: long, of letters of both cases and digits in an order that is chance's."""

import base64
import binascii
import json
import re
from collections.abc import Iterator

import regex

from logrules.tools.bundle.secret_looks import MIN_HINTED, MIN_SIGNED, drawn_by_lot, is_by_chance

_LONG = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{24,4096}+")
# One that is parted by - or _ may be a name of many words: it has to be longer.
_MIN_PARTED = 32
_PARTS = re.compile("[_-]")
# In one case caches and objects are named too, but an issuer puts his name in front: of ids that do that the longest
# have 27 characters (KSUID).
_ISSUED = re.compile(r"[A-Za-z]\w{1,11}[_-][A-Za-z0-9]{28,}")
# Fingerprints, public keys, certificates and pictures may be known, in base64 by how it begins; servers number requests
# and answers, and services calls.
_PUBLIC = regex.compile(
    r"""
      (?: \b(?:sha\d{1,3}(?:-\d{3})?|md5)[:\- ]
        | /(?:cache|blobs|snapshots|objects|archive-v\d)/ | \bssh-\w{1,40}[ ] | ;base64, ) [\w+/-]++
    | (?<![\w-]) [\w-]{0,40}(?:id(?:-2)?|etag|digest|checksum|fingerprint|image|audio|video)["']?[:=][ ]?["']?[\w+/-]++
    | (?-i: iVBORw0KGgo | /9j/ | R0lGOD | UklGR | JVBERi0 | AAAA[BCE]3NzaC1
        | LS0tLS1CRUdJTiB(?:DRVJU|QVUJMSUM) ) [\w+/-]++
    | (?<![\w-])(?: _Z | (?: (?:chat)?cmpl|req|resp|msg|call|run|file|batch|step|thread|asst|toolu|gen)[-_] ) [\w-]++
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


def random_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand (start, end)."""
    # Both are found from left to right: a line full of tokens is gone through but once.
    public = _PUBLIC.finditer(text)
    known = next(public, None)
    for found in _LONG.finditer(text):
        if not _is_random(found[0]) or is_plain_json(found[0]):
            continue
        while known is not None and known.end() <= found.start():
            known = next(public, None)
        if known is None or known.start() > found.start():
            yield found.span()


def _is_random(token: str) -> bool:
    if token.isdecimal() or not any(map(str.isdecimal, token)):
        return False
    if token.lower() == token or token.upper() == token:
        return _ISSUED.match(token) is not None and is_by_chance(token)
    is_long = token.isalnum() or len(token) >= _MIN_PARTED
    return is_long and max(map(len, _PARTS.split(token))) >= MIN_SIGNED and is_by_chance(token)


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
