"""Bytes in the encodings that shells write logs in, as UTF-8."""

import codecs
from collections.abc import Iterator
from itertools import chain

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def has_mark(head: bytes) -> bool:
    """Whether a text begins with a byte-order mark."""
    return head.startswith((*_UTF16_MARKS, codecs.BOM_UTF8))


def as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same text without a byte-order mark; other bytes pass unchanged, broken or not.

    Windows PowerShell's ``>`` and ``Tee-Object`` write UTF-16 with a mark, in which no
    rule's literal would ever be found.
    """
    head = b""
    while len(head) < len(codecs.BOM_UTF8) and (piece := next(pieces, b"")):
        head += piece
    if head.startswith(_UTF16_MARKS):
        return _from_utf16(chain((head,), pieces))
    return chain((head.removeprefix(codecs.BOM_UTF8),), pieces)


def _from_utf16(pieces: Iterator[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()
