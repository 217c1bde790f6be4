"""Tokens of issuers that no table has: long, of letters of both cases and digits in an order that is chance's."""

import base64
import binascii
import json
import re
import sys
from collections.abc import Iterator

import regex

from logrules.tools.bundle.looks import MIN_HINTED, drawn_by_lot
from logrules.tools.bundle.score import Name, Place, is_secret

_LONG = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{24,4096}+")
_NOWHERE = sys.maxsize, sys.maxsize
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
    public, known = _PUBLIC.finditer(text), (0, 0)
    for found in _LONG.finditer(text):
        if is_secret(Name.NONE, Place.ALONE, found[0]) and not is_plain_json(found[0]):
            while known[1] <= found.start():
                known = next((one.span() for one in public), _NOWHERE)
            if known[0] > found.start():
                yield found.span()


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
