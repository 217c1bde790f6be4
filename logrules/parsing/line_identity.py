"""What of a line tells it from others like it: its words, and who wrote it, without times and numbers that vary."""

import re

# Numbers at the beginning of a line say who wrote it, but for the time; further on they are what varies.
WRITER_BYTES, MAX_TEXT_BYTES = 48, 1_024
_TIME = re.compile(rb"(?:\d{4}[-/])?\d\d[-/]\d\d(?=[ T_])|\d\d:\d\d:\d\d(?:[.,]\d+)?")
_DIGITS = b"0123456789"
# What stands before a message: marks that end in a bracket, a bar or a colon.
_PREFIXES = re.compile(rb"(?:[^\])|:]{0,48}[\])|:]+\s+)+")
# What may be an exception of any name. Source text below a frame begins with a small letter or goes on behind a name.
# Two patterns take a fifth of the time of one with an optional prefix: what the second begins with is searched quickly.
_NAME = rb"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::\s|:?\s*$)"
_NAMED, _NAMED_BEHIND = re.compile(rb"[^A-Za-z]{0,8}" + _NAME), re.compile(rb"[\])|:]\s+" + _NAME)


def _beginning(text: bytes) -> bytes:
    """The beginning of a line, where it may say who wrote it, without a time."""
    return _TIME.sub(b"", text[:WRITER_BYTES])


def line_identity(text: bytes) -> int:
    """What lines share that differ in nothing but numbers behind what may name their writer."""
    return hash(_beginning(text) + text[WRITER_BYTES:MAX_TEXT_BYTES].translate(None, _DIGITS))


def words_identity(text: bytes) -> int:
    """The same without any number but those of its prefixes; where it has none, with those of its beginning."""
    beginning = _beginning(text)
    prefixes = _PREFIXES.match(beginning)
    writer = beginning if prefixes is None else prefixes[0]
    return hash((writer, text[:MAX_TEXT_BYTES].translate(None, _DIGITS)))


def may_name_exception(text: bytes) -> bool:
    """Whether a line below a frame may be an exception of any name, in CapWords as nearly all are."""
    head = text[:MAX_TEXT_BYTES]
    return _NAMED.match(head) is not None or _NAMED_BEHIND.search(head, 1) is not None


def is_doubled(times: int) -> bool:
    """Whether something comes for the first, second, fourth, eighth … time."""
    return times & (times - 1) == 0
