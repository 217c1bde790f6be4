"""A plain regular file in blocks that end with the first line end at or behind a multiple of the block size.

The engine scans stretches of fixed offsets; blocks cut at the same places pass through it
uncopied, so that the kernel's copy is the only one.
"""

import os
from collections.abc import Iterator
from io import FileIO

_PROBE_BYTES = 4 << 10
_MAX_PROBES = 16


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
