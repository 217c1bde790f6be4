"""Tokens of issuers that no table has: long, of letters of both cases and digits in an order that is chance's."""

import base64
import binascii
import json
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

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
    public = [found.span() for found in _PUBLIC.finditer(text)]
    for found in _LONG.finditer(text):
        at = bisect_right(public, found.start(), key=itemgetter(0)) - 1
        is_public = at >= 0 and found.start() < public[at][1]
        if not is_public and _is_random(found[0]) and not is_plain_json(found[0]):
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
