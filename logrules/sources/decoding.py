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
    """The text of a saved log as UTF-8 (see `Utf8Text`)."""
    head, _ = begun(pieces, SNIFFED_BYTES)
    text = Utf8Text()
    yield from map(text.take, chain((head,), pieces))
    yield text.finish()


class Utf8Text:
    """A text as UTF-8 while it comes, without a byte-order mark. Its first bytes tell its encoding.

    Windows PowerShell's ``>`` and ``Tee-Object`` write UTF-16, in which no rule's literal would ever be found. What is
    in no such encoding passes unchanged, broken or not. ``fault`` says what it is if it is no text.
    """

    def __init__(self) -> None:
        self.fault: str | None = None
        self._head: bytes | None = b""  # what came, while it is too little to tell by
        self._decoder: codecs.IncrementalDecoder | None = None
        self._width = 1
        # How much came behind the mark, and how much of what comes next is the rest of a character that was cut.
        self._came = self._torn = 0

    def take(self, piece: bytes) -> bytes:
        """What came next; nothing while it is too little to tell by."""
        if self._head is not None:
            self._head += piece
            has_line = b"\n" in piece and b"\0" not in self._head
            if len(self._head) < _MIN_SNIFFED_BYTES and not has_line:
                return b""
            piece = self._begin(self._head)
        if self._decoder is None:
            return piece
        self._came += len(piece)
        whole, self._torn = piece[self._torn :], max(self._torn - len(piece), 0)
        return self._decoder.decode(whole).encode(errors="replace")

    def leave_out(self, size: int) -> None:
        """So many bytes did not come here: the next character begins where one would have begun."""
        if self._decoder is not None:
            self._decoder.reset()
            self._came += size
            self._torn = -self._came % self._width

    def finish(self) -> bytes:
        """What is left; nothing more will come."""
        rest = b"" if self._head is None else self._begin(self._head)
        return rest if self._decoder is None else self._decoder.decode(rest, final=True).encode(errors="replace")

    def _begin(self, head: bytes) -> bytes:
        """Tell the encoding; the text behind its mark."""
        self._head = None
        self.fault = no_text(head[:SNIFFED_BYTES])
        encoding = encoding_of(head[:SNIFFED_BYTES])
        if encoding not in {None, "utf-8"}:
            self._decoder = codecs.getincrementaldecoder(str(encoding))(errors="replace")
            self._width = next(width for name, width, _ in _UNMARKED if name == encoding)
        return head.removeprefix(next((mark for mark, _ in _MARKS if head.startswith(mark)), b""))
