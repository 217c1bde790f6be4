"""What a relay hands its watcher: pieces of the outputs, how much was left out between them, and their ends."""

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import BinaryIO, NamedTuple

# FrameKind, number of the output, lines, bytes, time of arrival; behind a piece's head come its bytes.
_HEAD = struct.Struct("<BBQQd")


class FrameKind(IntEnum):
    """What a relay hands over: a piece of an output, how much was left out there, its end."""

    PIECE = 0
    LEFT_OUT = 1
    END = 2


class RelayFrame(NamedTuple):
    """One thing that is handed over.

    ``lines`` and ``size`` (in bytes) are of what was left out, ``arrived`` is when a piece came.
    """

    kind: FrameKind
    output: int
    data: bytes = b""
    lines: int = 0
    size: int = 0
    arrived: float = 0.0


def packed_head(frame: RelayFrame) -> bytes:
    """What travels of a frame before its bytes."""
    size = len(frame.data) or frame.size
    return _HEAD.pack(frame.kind, frame.output, frame.lines, size, frame.arrived)


def unpacked(stream: BinaryIO) -> Iterator[RelayFrame]:
    """The frames that come, until the stream ends; one that was cut off is left out."""
    while len(head := stream.read(_HEAD.size)) == _HEAD.size:
        number, output, lines, size, arrived = _HEAD.unpack(head)
        kind = FrameKind(number)
        data = stream.read(size) if kind is FrameKind.PIECE else b""
        if kind is FrameKind.PIECE and len(data) < size:
            return
        yield RelayFrame(kind, output, data, lines, size, arrived)
