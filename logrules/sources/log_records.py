"""Logs of JSON records, a line each, as the lines that they stand for.

Collectors (Docker, fluentd, journald, the clouds' exports) and structured loggers (python-json-logger, structlog,
loguru, zap, bunyan, Rust's tracing) write a message as a field beside its time and level. Escaped as it is there no
rule would find it, and a traceback is one field of many lines.
"""

import re

from logrules.model.late_pattern import late_pattern
from logrules.model.stream import CONTINUED, JOINED

_BEGUN = late_pattern(rb'\n\{ ?"')
# In place of a mark: without it, what stands round one could make another.
_BLANKS = b" " * len(CONTINUED)
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
