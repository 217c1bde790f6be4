"""A log as a table with a column of messages, as CloudWatch, Grafana, Datadog, Kibana and Google's console export it.

Each row becomes the lines of its message, the time in front of the first. The first row says which column is which.
"""

import csv
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record
from logrules.model.stream import JOINED
from logrules.sources.joined_lines import Join
from logrules.sources.log_record import time_of

_DELIMITERS = ",;\t"
_FEWEST_COLUMNS, _MOST_COLUMNS, _MOST_NAME_CHARS = 2, 64, 80
# By the names that the exports have, without an `@` in front and in small letters; the first that a table has counts.
_MESSAGES = (
    "message", "msg", "line", "log", "content", "body", "textpayload", "jsonpayload.message", "_raw", "log.message",
    "event.original",
)  # fmt: skip
_TIMES = ("timestamp", "time", "date", "datetime", "_time", "ts", "tsns", "timestamp (utc)", "receivetimestamp")
# A row is no longer: a quotation mark that is never closed would make one of the rest of the log.
_MOST_BYTES = 256 << 10
_REDRAW = "\x1e"
_NAME = late_pattern(r"[@\w][\w .@/()\-\[\]]*")
_ISO = late_pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}")


def table_of(head: bytes) -> Join | None:
    """What makes lines of the rows of a table that begins so; None where it is no table of a log."""
    first, _, rows = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    text = first.decode(errors="replace").rstrip("\r")
    found = ((delimiter, _cells(text, delimiter)) for delimiter in _DELIMITERS)
    delimiter, names = max(found, key=lambda one: len(one[1]))
    if not _FEWEST_COLUMNS <= len(names) <= _MOST_COLUMNS or not all(map(_is_name, names)):
        return None
    known = [name.lower().lstrip("@") for name in names]
    message, time = (next((known.index(name) for name in of if name in known), None) for of in (_MESSAGES, _TIMES))
    if message is None or time is None or not rows.strip():
        return None
    return _Table(delimiter, len(names), message, time).lines


def _is_name(cell: str) -> bool:
    return len(cell) <= _MOST_NAME_CHARS and _NAME.fullmatch(cell) is not None


def _cells(row: str, delimiter: str) -> Sequence[str]:
    """The cells of a row, which may be of several lines; none where it is no row, or more than one."""
    try:
        rows = list(csv.reader(StringIO(row, newline=""), delimiter=delimiter))
    except csv.Error:
        return []
    return rows[0] if len(rows) == 1 else []


@record
class _Table:
    """What parts the cells of a row, how many these are, and which of them say what and when."""

    delimiter: str
    columns: int
    message: int
    time: int

    def lines(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The rows as lines, as many as each takes in the file."""
        held: list[bytes] = []
        size = marks = 0
        for block in blocks:
            done: list[bytes] = []
            for line in BytesIO(block):
                held.append(line)
                size += len(line)
                marks += line.count(b'"')
                if marks % 2 and size < _MOST_BYTES:
                    continue
                row = b"".join(held)
                done.append(self._line(row) or row)
                held, size, marks = [], 0, 0
            yield b"".join(done)
        yield b"".join(held)

    def _line(self, row: bytes) -> bytes | None:
        """The message of a row and when it came; None where it is no row of the table."""
        # A bar is redrawn behind a carriage return, which would end the row.
        text = row.decode(errors="surrogateescape").replace("\r\n", "\n").replace("\r", _REDRAW)
        cells = _cells(text, self.delimiter)
        if len(cells) != self.columns:
            return None
        said = cells[self.message].replace(_REDRAW, "\r").rstrip("\r\n")
        told = time_of(cells[self.time])
        # A record tells its own time.
        if not (said.startswith("{") and said.endswith("}")):
            said = f"{told} [log] {said}" if _ISO.fullmatch(told) else f"{told}\t{said}"
        data = said.encode(errors="surrogateescape").replace(JOINED, b"")
        end = b"\n" if row.endswith(b"\n") else b""
        return data + JOINED * (row.count(b"\n") - data.count(b"\n") - len(end)) + end
