"""How a log was copied: what undoes it, line by line and where lines were cut or set apart; JSON records as lines.

Collectors (Docker, fluentd, journald, the clouds' exports) and structured loggers (python-json-logger, structlog,
loguru, zap, bunyan, Rust's tracing) write a message as a field beside its time and level. Escaped as it is there no
rule would find it, and a traceback is one field of many lines.
"""

import re
from collections.abc import Callable, Iterator

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.model.stream import CONTINUED, JOINED

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


_BEGUN = late_pattern(rb'\n\{ ?"')
# Marks of joined lines stay where they are.
_OBJECT = late_pattern(rb"^\{[^\n]*\}[ \r]*(?=(?:" + re.escape(JOINED) + rb")*$)", re.MULTILINE)


def records_as_lines(data: bytes, *, joined: bool = False) -> bytes:
    """The same whole lines, those that are records of a log as text: time, level, message and figures.

    What a record holds on several lines stands on several, all but the first marked as `CONTINUED`. JSON that is no
    record of a log (samples, metrics, requests) stays as it is. ``joined`` says that marks of `JOINED` are ours.
    """
    # One byte is looked for as fast as memory is read, two a hundred times slower.
    if CONTINUED[:1] in data:  # only we mark lines
        data = data.replace(CONTINUED, _BLANKS)
        data = data if joined else data.replace(JOINED, _BLANKS)
    if not data.startswith(b"{") and not _BEGUN.search(data):
        return data
    from logrules.sources.log_record import lines_of_record

    def as_lines(found: "re.Match[bytes]") -> bytes:
        lines = lines_of_record(found[0])
        if lines is None:
            return found[0]
        text = "\n".join(lines).encode(errors="replace").replace(CONTINUED, _BLANKS).replace(JOINED, _BLANKS)
        return text.replace(b"\n", b"\n" + CONTINUED)

    return _OBJECT.sub(as_lines, data)
