"""One live log between its reader and its follower: pieces of any size in, blocks of whole lines out."""

from logrules.model.record import field, mutable_record
from logrules.model.stream import Block, Skipped
from logrules.sources.copied_text import GrowingForm
from logrules.sources.source import BLOCK_BYTES

# How long a line may stay without its end before it is read as far as it has come: a prompt or a progress bar
# may never end its line.
HOLD_S = 0.5
FELL_BEHIND = "came faster than it could be read, so a part was passed on without being analysed"


@mutable_record
class PendingLines:
    """What came of ``log`` and was not taken yet.

    ``length`` is how much, ``offset`` is that of its first byte, ``has_line_end`` says whether there is a whole line.
    Where there is no room, what came first is kept, since it is being read, and what came last, since a log's last
    lines tell the most; between them is a gap. ``form`` is how it was copied, as its first lines tell.
    """

    log: str
    offset: int = 0
    length: int = 0
    has_line_end: bool = False
    form: GrowingForm = field(default_factory=GrowingForm)
    _arrived: float | None = None
    _since: float = 0.0
    _held: list[bytes] = field(default_factory=list)
    _latest: list[bytes] | None = None  # what follows the gap; None where there is none
    _gap_bytes: int = 0
    _gap_lines: int = 0

    def add(self, data: bytes, arrived: float, now: float) -> None:
        """Take what came; ``arrived`` is when it was written, as far as is known."""
        if not self.length:
            self._since = now
        self.length += len(data)
        self._arrived = arrived
        if self._latest is not None:
            self._latest.append(data)
            return
        self._held.append(data)
        self.has_line_end = self.has_line_end or b"\n" in data

    def add_without_room(self, data: bytes, arrived: float, now: float) -> None:
        """The same, leaving out what came between the first and this."""
        if self._latest is None:
            self._latest = []
        for piece in self._latest:
            self._gap_bytes += len(piece)
            self._gap_lines += piece.count(b"\n")
            self.length -= len(piece)
        self._latest.clear()
        self.add(data, arrived, now)

    @property
    def has_gap(self) -> bool:
        """Whether there is a gap that was not told yet."""
        return self._latest is not None

    def leave_out(self, size: int, lines: int) -> None:
        """So much that came here was left out by whoever hands us the log."""
        if self._latest is None:
            self._latest = []
        self._gap_bytes += size
        self._gap_lines += lines

    def due(self, *, last: bool) -> float | None:
        """From when on there is something to take; ``last`` says that no line will be finished."""
        if not self.length:
            return None
        whole = self.has_line_end or last or self._latest is not None or self.length >= BLOCK_BYTES
        return self._since if whole else self._since + HOLD_S

    def take(self) -> Block | Skipped:
        """The whole lines that came, a block's worth; where there is none, what there is of a line. Or the gap."""
        if not self._held and self._latest is not None:
            return self._pass_gap()
        return self.block_of(self.whole_lines())

    def whole_lines(self) -> bytes:
        """Let go of the whole lines that came, a block's worth; where there is none, of what there is of a line."""
        size = count = 0
        for piece in self._held:
            size += len(piece)
            count += 1
            if size >= BLOCK_BYTES:
                break
        joined = b"".join(self._held[:count])
        cut = joined.rfind(b"\n") + 1 or size
        self._held[:count] = [joined[cut:]] if cut < size else []
        self.has_line_end = any(b"\n" in piece for piece in self._held)
        self.length -= cut
        return joined[:cut]

    def block_of(self, lines: bytes) -> Block:
        """The lines that were let go, as a block of the log."""
        block = Block(self.log, self.offset, self.form.lines(lines), self._arrived)
        self.offset += len(block.data)
        return block

    def _pass_gap(self) -> Skipped:
        gap = Skipped(self.log, self.offset, self._gap_bytes, FELL_BEHIND, self._gap_lines)
        self.offset += self._gap_bytes
        self._held, self._latest = self._latest or [], None
        self.has_line_end = any(b"\n" in piece for piece in self._held)
        self._gap_bytes = self._gap_lines = 0
        return gap

    def drop(self) -> None:
        """Nobody will take anything."""
        self._held.clear()
        self._latest = None
        self._gap_bytes = self._gap_lines = self.length = 0
        self.has_line_end = False
