"""Logs as people hand them on, quoted, numbered, escaped or wrapped, as the lines that their program wrote.

Whoever copies a log out of a mail, an issue, a page or an editor often copies more than the log: a mark or a number in
front of each line, `&gt;` for `>`, line ends where a window was too narrow. How a log was copied is told once, from its
first lines, so one that was not costs nothing further. What is told of a line keeps its number in the file.

Collectors (Docker, fluentd, journald, the clouds' exports) and structured loggers (python-json-logger, structlog,
loguru, zap, bunyan, Rust's tracing) write a message as a field beside its time and level. Escaped as it is there no
rule would find it, and a traceback is one field of many lines.
"""

import re
from collections.abc import Iterator

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.model.stream import CONTINUED, JOINED
from logrules.sources.chunking import begun
from logrules.sources.copied_lines import Rewrite, steps_of
from logrules.sources.joined_lines import Join, join_of

# What is looked at to tell how a log was copied: some hundreds of lines.
HEAD_BYTES = 64 << 10
# Of a log that grows, so many lines are waited for. Those before them are read as they came.
_LIVE_LINES = 16
_TABLE = late_pattern(rb'[^\n]{0,2000}?(?i:message|msg|line|content|payload|body|log|_raw)"?[,;\t\r\n]')
# In place of a mark that is not ours: without it, what stands round one could make another.
_BLANKS = b" " * len(JOINED)
_BEGUN = late_pattern(rb'\n\{ ?"')
# Marks of joined lines stay where they are.
_OBJECT = late_pattern(rb"^\{[^\n]*\}[ \r]*(?=(?:" + re.escape(JOINED) + rb")*$)", re.MULTILINE)


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


def as_written(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a saved log as its program wrote them; how its bytes are cut does not matter."""
    head, blocks = begun(blocks, HEAD_BYTES)
    return form_of(head).blocks(blocks)


class GrowingForm:
    """How a log that grows was copied, told as soon as there are lines enough. Its lines are not put together."""

    def __init__(self) -> None:
        self._head: bytes | None = b""
        self._form = PLAIN
        self._open = False

    def lines(self, data: bytes) -> bytes:
        """What came, as its program wrote it: whole lines, or a piece of one that has no end yet."""
        if self._head is not None:
            self._head += data
            if self._head.count(b"\n") >= _LIVE_LINES or len(self._head) >= HEAD_BYTES:
                self._form, self._head = form_of(self._head, saved=False), None
        # The rest of a line that was begun has no beginning of its own.
        rest = (data.find(b"\n") + 1 or len(data)) if self._open else 0
        self._open = not data.endswith(b"\n")
        return records_as_lines(data[:rest]) + self._form.lines(data[rest:]) if rest else self._form.lines(data)


def form_of(head: bytes, *, saved: bool = True) -> CopiedForm:
    """How a log that begins with these lines was copied; `PLAIN` for nearly all. ``saved`` ones can be put together."""
    head = head[: head.rfind(b"\n", 0, HEAD_BYTES) + 1] or head[:HEAD_BYTES]
    if saved and _TABLE.match(head):
        from logrules.sources.log_table import table_of

        if (table := table_of(head)) is not None:
            return CopiedForm((), table)
    steps, bare = steps_of(head)
    join = join_of(bare) if saved else None
    return CopiedForm(steps, join) if steps or join else PLAIN


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
