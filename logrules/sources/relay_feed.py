"""The way from a relay to its watcher: bounded, so that the job never waits for who analyses its log.

What is handed over are pieces of the outputs, how much was left out between them, and their ends.
"""

import os
import struct
from collections import deque
from collections.abc import Iterator
from enum import IntEnum
from typing import BinaryIO, NamedTuple

from logrules.sources.wall_clock import since_epoch, steady

# Some seconds of a flood. The watcher takes it as fast as it can read; beyond, a part is left out and counted.
LIMIT_BYTES = 32 << 20
# What is left out lasts this long at the least. An analysis of less than 64 MB a second does not notice, it has the
# rest to read meanwhile; one that is faster, of lines that all say the same, would take the processors from the job.
SHORTEST_GAP_S = 0.5
_LARGE_BYTES = 64 << 10
# FrameKind, number of the output, lines, bytes, time of arrival by the clock that both processes share (the system's
# may be set between their starts); behind a piece's head come its bytes.
_HEAD = struct.Struct("<BBQQd")


class FrameKind(IntEnum):
    """What a relay hands over: a piece of an output, how much was left out there, its end, why it went nowhere."""

    PIECE = 0
    LEFT_OUT = 1
    END = 2
    FAULT = 3


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


def unpacked(stream: BinaryIO) -> Iterator[RelayFrame]:
    """The frames that come, until the stream ends; one that was cut off is left out."""
    while len(head := stream.read(_HEAD.size)) == _HEAD.size:
        number, output, lines, size, arrived = _HEAD.unpack(head)
        kind = FrameKind(number)
        data = b"" if kind is FrameKind.LEFT_OUT else stream.read(size)
        if kind is not FrameKind.LEFT_OUT and len(data) < size:
            return
        yield RelayFrame(kind, output, data, lines, size, since_epoch(arrived))


class _Gap:
    """What is left out of one output; the last piece is kept, since a log's last lines tell the most."""

    def __init__(self) -> None:
        self.begun = steady()
        self.size = 0
        self.lines = 0
        self.latest = b""

    def fold(self) -> None:
        self.size += len(self.latest)
        self.lines += self.latest.count(b"\n")
        self.latest = b""


class RelayFeed:
    """Frames on their way into ``descriptor``, which must not block; ``limit_bytes`` of them at the most.

    What is left out of them lasts for ``gap_s`` at the least.
    """

    def __init__(self, descriptor: int, limit_bytes: int = LIMIT_BYTES, gap_s: float = SHORTEST_GAP_S) -> None:
        self._descriptor: int | None = descriptor
        self._limit = limit_bytes
        self._gap_s = gap_s
        self._waiting: deque[memoryview] = deque()
        self._size = 0
        self._gaps: dict[int, _Gap] = {}

    @property
    def descriptor(self) -> int | None:
        """Where there is something to write, what it is written to."""
        return self._descriptor if self._waiting else None

    def leaves_out(self, output: int) -> bool:
        """Whether of this output there is no room for more."""
        return output in self._gaps

    def put(self, output: int, data: bytes) -> None:
        """A piece of an output."""
        gap = self._gaps.get(output)
        if gap is None and self._size + len(data) <= self._limit:
            self._push(RelayFrame(FrameKind.PIECE, output, data, arrived=steady()))
            return
        if gap is None:
            gap = self._gaps[output] = _Gap()
        gap.fold()
        gap.latest = data

    def has_room_again(self, output: int) -> bool:
        """Whether what is left out of this output can end here."""
        gap = self._gaps.get(output)
        return gap is not None and self._size <= self._limit // 2 and steady() >= gap.begun + self._gap_s

    @property
    def room_in_s(self) -> float | None:
        """How soon there is room again, as far as only time is wanting to it; None where more is, or nothing."""
        if not self._gaps or self._size > self._limit // 2:
            return None
        return max(min(gap.begun for gap in self._gaps.values()) + self._gap_s - steady(), 0.0)

    def resume(self, output: int, size: int, lines: int) -> None:
        """Say what was left out: what came here, and ``size`` bytes of ``lines`` lines that went another way."""
        if (gap := self._gaps.pop(output, None)) is not None:
            self._push(RelayFrame(FrameKind.LEFT_OUT, output, lines=gap.lines + lines, size=gap.size + size))
            self._push(RelayFrame(FrameKind.PIECE, output, gap.latest, arrived=steady()))

    def fail(self, output: int, reason: str) -> None:
        """A part of an output could not be written to where it goes on."""
        self._push(RelayFrame(FrameKind.FAULT, output, reason.encode()))

    def end(self, output: int) -> None:
        """An output has ended."""
        self._push(RelayFrame(FrameKind.END, output))

    def flush(self) -> None:
        """Hand over what is taken just now."""
        while self._waiting and self._descriptor is not None:
            try:
                done = os.write(self._descriptor, self._waiting[0])
            except BlockingIOError:
                break
            except OSError:
                self.close()
                return
            self._size -= done
            self._waiting[0] = self._waiting[0][done:]
            if not self._waiting[0]:
                self._waiting.popleft()

    def close(self) -> None:
        """Nobody takes anything any more."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None
        self._waiting.clear()
        self._gaps.clear()
        self._size = 0

    def _push(self, frame: RelayFrame) -> None:
        """Put a frame behind what waits, where somebody takes it."""
        if self._descriptor is None:
            return
        size = len(frame.data) or frame.size
        head = _HEAD.pack(frame.kind, frame.output, frame.lines, size, frame.arrived)
        # To write a large piece by itself takes less than to copy it behind its head.
        for part in (head, frame.data) if len(frame.data) >= _LARGE_BYTES else (head + frame.data,):
            self._waiting.append(memoryview(part))
            self._size += len(part)
        self.flush()
