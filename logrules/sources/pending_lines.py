"""One live log between its reader and its follower: pieces of any size in, blocks of whole lines out."""

from logrules.model.record import field, mutable_record
from logrules.model.stream import Block
from logrules.sources.copied_text import GrowingForm
from logrules.sources.source import BLOCK_BYTES

# How long a line may stay without its end before it is read as far as it has come: a prompt or a progress bar
# may never end its line.
HOLD_S = 0.5


@mutable_record
class PendingLines:
    """What came of ``log`` and was not taken yet.

    ``offset`` is that of its first byte, ``has_line_end`` says whether there is a whole line, ``is_cut`` that the last
    one will not be finished. ``form`` is how the log was copied, as its first lines tell.
    """

    log: str
    offset: int = 0
    has_line_end: bool = False
    is_cut: bool = False
    form: GrowingForm = field(default_factory=GrowingForm)
    _arrived: float | None = None
    _since: float = 0.0
    _held: bytearray = field(default_factory=bytearray)

    @property
    def length(self) -> int:
        """How much it is."""
        return len(self._held)

    def add(self, data: bytes, arrived: float, now: float) -> None:
        """Take what came; ``arrived`` is when it was written, as far as is known."""
        if not self._held:
            self._since = now
        self._arrived = arrived
        self._held += data
        self.has_line_end = self.has_line_end or b"\n" in data

    def due(self, *, last: bool) -> float | None:
        """From when on there is something to take; ``last`` says that no line will be finished."""
        if not self._held:
            return None
        whole = self.has_line_end or last or self.is_cut or len(self._held) >= BLOCK_BYTES
        return self._since if whole else self._since + HOLD_S

    def take(self) -> Block:
        """The whole lines that came, a block's worth; where there is none, what there is of a line."""
        return self.block_of(self.whole_lines())

    def whole_lines(self) -> bytes:
        """Let go of the whole lines that came, a block's worth; where there is none, of what there is of a line."""
        cut = self._held.rfind(b"\n", 0, BLOCK_BYTES) + 1 or self._held.find(b"\n") + 1 or len(self._held)
        with memoryview(self._held) as held:
            lines = bytes(held[:cut])
        del self._held[:cut]
        self.has_line_end = b"\n" in self._held
        return lines

    def block_of(self, lines: bytes) -> Block:
        """The lines that were let go, as a block of the log."""
        block = Block(self.log, self.offset, self.form.lines(lines), self._arrived)
        self.offset += len(block.data)
        return block

    def drop(self) -> None:
        """Nobody will take anything."""
        self._held.clear()
        self.has_line_end = False
