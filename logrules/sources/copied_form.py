"""How a log was copied: what undoes it, line by line and where lines were cut or set apart."""

from collections.abc import Callable, Iterator

from logrules.model.record import record
from logrules.model.stream import JOINED
from logrules.sources.log_records import records_as_lines

# In place of a mark that is not ours: without it, what stands round one could make another.
_BLANKS = b" " * len(JOINED)

# Whole lines in, as many lines out.
Rewrite = Callable[[bytes], bytes]
# Blocks of whole lines in, blocks of whole lines out. A line may stand for several of the file.
Join = Callable[[Iterator[bytes]], Iterator[bytes]]


@record
class CopiedForm:
    """How a log was copied: what undoes it line by line, one step after the other, and what puts lines together."""

    steps: tuple[Rewrite, ...] = ()
    join: Join | None = None

    def lines(self, data: bytes) -> bytes:
        """Whole lines without what was put round each, as many as before; JSON records as what they stand for."""
        return records_as_lines(self._bare(data))

    def blocks(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The same for a whole saved log, whose lines are put together too."""
        if self.join is None:
            return map(self.lines, blocks)
        bare = (self._bare(block.replace(JOINED, _BLANKS)) for block in blocks)
        return (records_as_lines(block, joined=True) for block in self.join(bare))

    def _bare(self, data: bytes) -> bytes:
        for step in self.steps:
            data = step(data)
        return data


PLAIN = CopiedForm()
