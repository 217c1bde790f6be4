"""Bytes cut into blocks of whole lines: pieces of whatever size they arrived in, and plain files by position.

The engine scans stretches of fixed offsets; blocks of a file that are cut at the same places pass through it uncopied,
so that the kernel's copy is the only one.
"""

import os
from collections.abc import Iterable, Iterator
from io import FileIO

_PROBE_BYTES = 4 << 10
_MAX_PROBES = 16


def resized(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of exactly ``size``, but for the last."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        if not held and len(piece) == size:  # a plain file: nothing to join, nothing to copy
            yield piece
            continue
        held.append(piece)
        length += len(piece)
        if length < size:
            continue
        joined = b"".join(held)
        whole = length - length % size
        for start in range(0, whole, size):
            yield joined[start : start + size]
        held = [joined[whole:]] if whole < length else []
        length -= whole
    if held:
        yield b"".join(held)


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


def aligned_blocks(file: FileIO, block_bytes: int) -> Iterator[bytes]:
    """Blocks of whole lines, read by position. Leaves the file positioned behind the last block.

    Ends at a line start: before the last, shorter block, or before a line that reaches more than 64 KiB
    beyond its block. The rest is for whoever reads on.
    """
    descriptor, start = file.fileno(), 0
    while (end := _line_end(descriptor, (start // block_bytes + 1) * block_bytes - 1)) is not None:
        data = os.pread(descriptor, end - start, start)
        if len(data) < end - start:
            # Somebody truncated the file while it was read.
            break
        yield data
        start = end
    file.seek(start)


def _line_end(descriptor: int, at: int) -> int | None:
    """The offset behind the first newline at or after ``at``; None where the file ends before, or it is too far off."""
    for _ in range(_MAX_PROBES):
        piece = os.pread(descriptor, _PROBE_BYTES, at)
        found = piece.find(b"\n")
        if found >= 0:
            return at + found + 1
        if not piece:
            break
        at += len(piece)
    return None
