"""One live log between its reader and its follower: pieces of any size in, blocks of whole lines out."""

from dataclasses import dataclass, field

from logrules.model.block import Block
from logrules.sources.source import BLOCK_BYTES

# How long a line may stay without its end before it is read as far as it has come: a prompt or a progress bar
# may never end its line.
HOLD_S = 0.5


@dataclass(slots=True)
class Pieces:
    """What came of ``log`` and was not taken yet. ``offset`` is that of its first byte."""

    log: str
    offset: int = 0
    length: int = 0
    arrived: float | None = None
    _held: list[bytes] = field(default_factory=list)
    _since: float = 0.0
    _has_line_end: bool = False

    def add(self, data: bytes, arrived: float, now: float) -> None:
        """Take what came; ``arrived`` is when it was written, as far as is known."""
        if not self._held:
            self._since = now
        self._held.append(data)
        self.length += len(data)
        self.arrived = arrived
        self._has_line_end = self._has_line_end or b"\n" in data

    def due(self, *, last: bool) -> float | None:
        """From when on there is something to take; ``last`` says that no line will be finished."""
        if not self._held:
            return None
        return self._since if self._has_line_end or last or self.length >= BLOCK_BYTES else self._since + HOLD_S

    def take(self) -> Block:
        """The whole lines that came, a block's worth; where there is none, what there is of a line."""
        size = count = 0
        for piece in self._held:
            size += len(piece)
            count += 1
            if size >= BLOCK_BYTES:
                break
        joined = b"".join(self._held[:count])
        cut = joined.rfind(b"\n") + 1 or size
        self._held[:count] = [joined[cut:]] if cut < size else []
        self._has_line_end = any(b"\n" in piece for piece in self._held)
        block = Block(self.log, self.offset, joined[:cut], self.arrived)
        self.offset += cut
        self.length -= cut
        return block

    def drop(self) -> tuple[int, int]:
        """Leave out all that was not taken: its bytes and its line ends."""
        left_out = self.length, sum(piece.count(b"\n") for piece in self._held)
        self._held.clear()
        self._has_line_end = False
        self.offset += self.length
        self.length = 0
        return left_out
