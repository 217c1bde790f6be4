"""Bytes in the encodings that shells write logs in, as UTF-8; and what is no text at all."""

import codecs
import re
from collections.abc import Iterator
from itertools import chain

from logrules.sources.chunking import begun

# Enough to tell text from other data, and short enough to wait for on a pipe.
SNIFFED_BYTES = 1024
_MIN_SNIFFED_BYTES = 8
# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
# Bytes of a character of ASCII that are zero in each, by place; lines of a log are mostly of such characters.
_UNMARKED = (("utf-32-le", 4, (1, 2, 3)), ("utf-32-be", 4, (0, 1, 2)), ("utf-16-le", 2, (1,)), ("utf-16-be", 2, (0,)))
_ZERO_SHARE = 0.25
# Some characters of other scripts end in a zero byte, but fewer than there are characters of ASCII.
_STRAY_SHARE = 0.5
_KINDS = (
    (re.compile(rb"\x7fELF"), "is a program"),
    (re.compile(rb"MZ.{2,60}?\0\0", re.DOTALL), "is a program"),
    (re.compile(rb"PK\x03\x04|PK\x05\x06"), "is a zip archive; unpack it first"),
    (re.compile(rb".{257}ustar", re.DOTALL), "is a tar archive; unpack it first"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"), "is a picture"),
    (re.compile(rb"SQLite format 3\0"), "is a database"),
    (
        re.compile(rb'\s*\{\s*"(?:cells"\s*:\s*\[|nbformat(?:_minor)?"\s*:\s*\d)'),
        "is a notebook, not its output: use `jupyter nbconvert --to markdown --stdout NOTEBOOK | logrules diagnose`",
    ),
)
# Controls that no terminal and no logger writes: their share is a tenth in compressed data, and next to none in logs.
_CONTROLS = bytes([*range(1, 7), *range(14, 27), *range(28, 32), 127])
_CONTROL_SHARE = 0.03
_MIN_COUNTED_BYTES = 64


def encoding_of(head: bytes) -> str | None:
    """The encoding of a text by its mark, else by where its zero bytes stand; None where it is as good as UTF-8.

    ``head`` are its first bytes, `SNIFFED_BYTES` of them where there are so many.
    """
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked is not None or len(head) < _MIN_SNIFFED_BYTES or b"\0" not in head:
        return marked
    return next((name for name, width, zeros in _UNMARKED if _is_written_in(head, name, width, zeros)), None)


def _is_written_in(head: bytes, name: str, width: int, zeros: tuple[int, ...]) -> bool:
    whole = head[: len(head) // width * width]
    places = [whole[place::width] for place in range(width)]
    shares = [place.count(0) / len(place) for place in places]
    wanted = min(shares[place] for place in zeros)
    strays = max(share for place, share in enumerate(shares) if place not in zeros)
    if wanted < _ZERO_SHARE or strays > wanted * _STRAY_SHARE:
        return False
    try:
        text = codecs.getincrementaldecoder(name)().decode(whole)
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not no_text(text.encode())


def no_text(head: bytes) -> str | None:
    """What data that begins so is ("is a program"), None for text. Broken characters and NULs alone prove nothing."""
    if kind := next((said for magic, said in _KINDS if magic.match(head)), None):
        return kind
    seen = len(head) - head.count(0)
    if seen < _MIN_COUNTED_BYTES:
        return None
    controls = seen - len(head.translate(None, _CONTROLS + b"\0"))
    return "is not text" if controls > _CONTROL_SHARE * seen else None


def as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same text as UTF-8, without a byte-order mark; bytes of other encodings pass unchanged, broken or not.

    Windows PowerShell's ``>`` and ``Tee-Object`` write UTF-16, in which no rule's literal would ever be found.
    """
    head, whole = begun(pieces, SNIFFED_BYTES)
    encoding = encoding_of(head[:SNIFFED_BYTES])
    mark = _mark_of(head)
    if mark:
        whole = chain((head.removeprefix(mark),), pieces)
    return whole if encoding in {None, "utf-8"} else _decoded(whole, str(encoding))


class GrowingText:
    """The text of a log that grows, as UTF-8 (`as_utf8`); its first bytes tell its encoding once there are enough.

    ``fault`` says what it is if it is no text.
    """

    def __init__(self) -> None:
        self.fault: str | None = None
        self._head: bytes | None = b""
        self._encoding = "utf-8"
        self._decoder: codecs.IncrementalDecoder | None = None
        self._came = self._ahead = 0

    def utf8(self, piece: bytes) -> bytes:
        """What came next."""
        if self._head is not None:
            piece = self._head + piece
            is_open = any(mark.startswith(piece) for mark, _ in _MARKS) or b"\0" in piece
            self._head = piece if is_open and len(piece) < _MIN_SNIFFED_BYTES else None
            if self._head is not None:
                return b""
            piece = self._begin(piece)
        if self._decoder is None:
            return piece
        self._came += len(piece)
        behind, self._ahead = piece[self._ahead :], max(self._ahead - len(piece), 0)
        return self._decoder.decode(behind).encode(errors="replace")

    def rest(self) -> bytes:
        """What came, where it was too little to tell by; nothing more will."""
        rest, self._head = self._head or b"", None
        return rest

    def leave_out(self, size: int) -> None:
        """So many bytes did not come here: the next character begins where one would have begun."""
        if self._decoder is not None:
            self._decoder.reset()
            self._came += size
            self._ahead = -self._came % _width(self._encoding)

    def given_back(self, text: bytes) -> int:
        """How many bytes came of a text, the last that came, and of what is no character yet: they will come again."""
        if self._decoder is None:
            return len(text)
        size = len(text.decode(errors="replace").encode(self._encoding)) + len(self._decoder.getstate()[0])
        self._decoder.reset()
        self._came -= size
        return size

    def _begin(self, head: bytes) -> bytes:
        """Tell the encoding; the text behind its mark."""
        self.fault = no_text(head[:SNIFFED_BYTES])
        encoding, mark = encoding_of(head[:SNIFFED_BYTES]), _mark_of(head)
        if encoding not in {None, "utf-8"}:
            self._encoding = str(encoding)
            self._decoder = codecs.getincrementaldecoder(self._encoding)(errors="replace")
        return head.removeprefix(mark)


def _mark_of(head: bytes) -> bytes:
    return next((mark for mark, _ in _MARKS if head.startswith(mark)), b"")


def _width(encoding: str) -> int:
    return next((width for name, width, _ in _UNMARKED if name == encoding), 1)


def _decoded(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for piece in pieces:
        yield decoder.decode(piece).encode(errors="replace")
    yield decoder.decode(b"", final=True).encode(errors="replace")
