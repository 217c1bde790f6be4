"""Logs as people hand them on, quoted, numbered, escaped or wrapped, as the lines that their program wrote.

Whoever copies a log out of a mail, an issue, a page or an editor often copies more than the log: a mark or a number in
front of each line, `&gt;` for `>`, line ends where a window was too narrow. How a log was copied is told once, from its
first lines, so one that was not costs nothing further. What is told of a line keeps its number in the file.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from logrules.model.late_pattern import late_pattern
from logrules.sources.chunking import begun
from logrules.sources.copied_form import PLAIN, CopiedForm, records_as_lines

# What is looked at to tell how a log was copied: some hundreds of lines.
HEAD_BYTES = 64 << 10
# Of a log that grows, so many lines are waited for. Those before them are read as they came.
_LIVE_LINES = 16
_FEWEST_LINES = 3
_ESCAPED = late_pattern(rb"&(?:lt|gt|amp|quot|#39);")
_TYPESET = (b"\xc2\xa0", b"\xe2\x80")
_MARKS = frozenset((b">", b"-", b"*", b"#", b"/", b"+", b"`", b"\xe2"))
_NUMBERED = late_pattern(rb"[ \t]*(?:[^\s:]{0,200}\.\w{1,10}[:-])?L?(\d{1,7})(?!\d)")
_LABELLED = late_pattern(rb"(?:\d{1,5}: |\[\d{1,5},\d{1,5}\]<[^\n]{1,8}: ?)[\d\[]")
_TABLE = late_pattern(rb'[^\n]{0,2000}?(?i:message|msg|line|content|payload|body|log|_raw)"?[,;\t\r\n]')
# Lines as wide as the widest, none of which is wider: of a log that nobody wrapped there are one or two.
_FEWEST_WIDEST, _NARROWEST = 3, 60


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
    if not _may_be_copied(head):
        return PLAIN
    from logrules.sources.copied_lines import steps_of
    from logrules.sources.joined_lines import join_of
    from logrules.sources.log_table import table_of

    table = table_of(head) if saved else None
    if table is not None:
        return CopiedForm((), table)
    steps, bare = steps_of(head)
    return CopiedForm(steps, join_of(bare) if saved else None)


def _may_be_copied(head: bytes) -> bool:
    """Whether it is worth a closer look. Told without one for logs as they were written, which nearly all are."""
    if (
        (b"&" in head and _ESCAPED.search(head) is not None)
        or (not head.isascii() and any(one in head for one in _TYPESET))
        or _TABLE.match(head) is not None
    ):
        return True
    lines = [line for line in head.split(b"\n") if line and not line.isspace()]
    return (
        len(lines) >= _FEWEST_LINES
        and (
            _is_marked(lines)
            or _is_numbered(lines)
            or 5 * head.count(b"\n") > 8 * len(lines)  # hardly more lines with text than blank ones
            or _is_of_one_width(head)
            or any(map(_LABELLED.match, lines[:40]))
        )
    )


def _is_marked(lines: Sequence[bytes]) -> bool:
    firsts = Counter([line.lstrip()[:1] for line in lines])
    first, count = firsts.most_common(1)[0]
    return (first in _MARKS and 2 * count >= len(lines)) or not any(line[:1] not in b" \t" for line in lines)


def _is_numbered(lines: Sequence[bytes]) -> bool:
    """Whether numbers rise where most of the first lines begin."""
    found = [_NUMBERED.match(line) for line in lines[:40]]
    numbers = [int(one[1]) for one in found if one is not None]
    rising = sum(before < after for before, after in pairwise(numbers))
    return 5 * (rising + 1) >= 2 * len(found)


def _is_of_one_width(head: bytes) -> bool:
    """Whether many lines are as wide as the widest."""
    lines = head.split(b"\n") if head.isascii() else head.decode(errors="replace").split("\n")
    widths = [len(line) for line in lines]
    widest = max(widths)
    return widest >= _NARROWEST and (widths.count(widest) >= _FEWEST_WIDEST)
