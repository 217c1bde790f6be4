"""What a followed file already holds when following begins, read as a saved log: whole lines, to where it now ends."""

from collections.abc import Callable
from threading import Event

from logrules.model.stream import Block, End
from logrules.sources.pending_lines import PendingLines
from logrules.sources.tail import Grown, Tail
from logrules.sources.wall_clock import now


class Backlog:
    """The lines that are there. ``offset`` is where they end, once they were read; a line that has no end yet is left.

    What was there before us came when the file was last written, at the latest. ``stopped`` ends it early.
    """

    def __init__(self, name: str, tail: Tail, pass_on: Callable[[bytes], None], stopped: Event) -> None:
        self.name = name
        self.offset = 0
        self._tail = tail
        self._pass_on = pass_on
        self._stopped = stopped
        self._pieces = PendingLines(name)
        self._items = tail.look()
        self._ended = False

    def read(self, until: float | None) -> Block | End:  # noqa: ARG002 (what is there is not waited for)
        """The next whole lines, or the end."""
        while not (self._ended or self._stopped.is_set()):
            if self._pieces.has_line_end:
                lines = self._pieces.whole_lines()
                self._pass_on(lines)
                block = self._pieces.block_of(lines)
                self.offset += len(block.data)
                return block
            item = next(self._items, None)
            if isinstance(item, Grown):
                self._pieces.add(item.data, min(item.written, now()), 0.0)
            elif item is None:
                self._tail.back(self._pieces.length)
                self._ended = True
        return End()
