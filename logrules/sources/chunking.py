"""Bytes cut into blocks of whole lines, in pieces of whatever size they arrived; holes of sparse files passed over."""

import errno
import os
from collections.abc import Iterable, Iterator
from itertools import chain

from logrules.model.stream import MAX_LINE_BYTES

# A log that was emptied under its writer begins with a hole as long as all that it had written. Holes read as NULs, a
# second for each few hundred megabytes.
_SEEK_DATA = getattr(os, "SEEK_DATA", None)


def begun(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """What the pieces begin with, so many bytes or all that there are in whole pieces; and the same pieces again."""
    first: list[bytes] = []
    while sum(map(len, first)) < size and (piece := next(pieces, b"")):
        first.append(piece)
    return first[0] if len(first) == 1 else b"".join(first), chain(first, pieces)


def resized(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of exactly ``size``, but for the last."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= size:
            with memoryview(held) as view:
                whole = bytes(view[:size])
            del held[:size]
            yield whole
    if held:
        yield bytes(held)


def whole_lines(pieces: Iterable[bytes], max_line_bytes: int) -> Iterator[bytes]:
    """The same bytes cut after the last newline of each piece.

    A line longer than ``max_line_bytes`` is cut at every multiple of that length from
    its own start, wherever the pieces end: how the input was read cannot show. For this
    no piece may be longer than ``max_line_bytes``.
    """
    held: list[bytes] = []  # the line that is still open: there is no newline in it
    length = 0
    for piece in pieces:
        start = 0
        if length + (piece.find(b"\n") + 1 or len(piece)) > max_line_bytes:
            start = max_line_bytes - length
            yield b"".join((*held, memoryview(piece)[:start]))
            held, length = [], 0
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join((*held, memoryview(piece)[start:cut]))
            held, length = [], 0
        if rest := piece[max(start, cut) :]:
            held.append(rest)
            length += len(rest)
    if held:
        yield b"".join(held)


def behind_hole(descriptor: int, at: int, data: bytes) -> int:
    """Where to read on behind the ``data``, which end ``at`` this place: there, or further on if they are of a hole.

    What is passed over is a whole number of the lengths at which long lines are cut, so that the cuts stay where they
    would be. Where the system does not tell of holes it is nothing.
    """
    if _SEEK_DATA is None or not data.endswith(b"\0") or data.strip(b"\0"):
        return at
    try:
        found = os.lseek(descriptor, at, _SEEK_DATA)
    except OSError as fault:
        found = os.fstat(descriptor).st_size if fault.errno == errno.ENXIO else at  # no data behind it
    finally:
        os.lseek(descriptor, at, os.SEEK_SET)
    return at + max(found - at, 0) // MAX_LINE_BYTES * MAX_LINE_BYTES
