"""A line as people see it: text without colours, controls and overwritten redraws."""

import re
from collections.abc import Iterator

from logrules.model.late_pattern import late_pattern

# How loggers and pasted pages spell ESC: syslog's octal, caret notation, the arrow that code
# page 437 draws for it, and Unicode's picture of it.
_SPELT_ESCAPE = late_pattern(r"(?:#033|\^\[|\u2190|\u241b)(?=\[[\d;:<=>?]*[ -/]*[@-~])|(?:\^\[|\u241b)(?=\])")
_SPELT_STARTS = ("#033[", "^[[", "^[]", "\u2190[", "\u241b[", "\u241b]")
_SEQUENCE = late_pattern(
    r"""
    \x1b (?: \[ [0-?]* [ -/]* [@-~]                    # CSI: colours, cursor, erase
           | [\]PX^_] [^\x1b\x07\x9c]* (?: \x07 | \x1b\\ | \x9c | \Z)   # OSC, DCS, SOS, PM, APC
           | [ -/]+ [0-~]                               # character sets
           | [0-OQ-WYZ\\`-~]                            # one-letter escapes
         )
    | \x9b [0-?]* [ -/]* [@-~]                          # CSI as one character
    """,
    re.VERBOSE,
)
# A colour whose ESC a viewer dropped. Only codes that terminals define, and no durations: `[5m]`, `[2m 5s]`.
_BARE_COLOUR = late_pattern(
    r"\[(?:0?[0-57-9]|2[1-9]|[34]\d|9[0-7]|10[0-7])(?:;\d{1,3}){0,5}m(?!\]| ?\d+ ?s\b|in\b|s\b)"
)
_BLANK_CONTROL = late_pattern(r"[\n\x0b\x0c\r\x1c-\x1e\x85]+")
# NULs, other C0 and C1 controls, DEL and byte order marks; the tab stays, ESC and one-character CSI wait.
_CONTROL = late_pattern(r"[\x00-\x06\x08\x0e-\x1a\x1f\x7f\x80-\x84\x86-\x9a\x9d-\x9f\ufeff]+")
_LEFT_OVER = late_pattern(r"[\x07\x1b\x9b\x9c]+")
# A bar leaves its line open, and who writes next does not look at what stands there: programs that complain as
# `name: error: …`, other ranks, whose lines begin with `[rank3]:` and the like, and Python's logging, of an error.
_COMPLAINT = b": error: "
_OPEN_BARS = (b"/s][", b"s/it][", b"/s]E", b"s/it]E", b"/s]2", b"s/it]2")
_CUT = late_pattern(
    rb"\r|\^M(?![a-z_])|(?<=\])(?=[a-z][\w.-]{1,80}: error: )|(?:(?<=/s\])|(?<=s/it\]))"
    rb"(?=\[[a-z]{1,12}\d{1,6}\]:|ERROR[: ]|2\d{3}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\r]{0,40}?\bERROR\b)"
)
_MAX_PASSES = 4
# Where the characters of GB 2312 stand in GBK and GB 18030: two bytes, both high. Chinese text in UTF-8 has bytes
# below 0xA1 in nearly every word, and text in Latin alphabets single high bytes.
_HIGH = late_pattern(rb"[\x80-\xff]+")
_HAN = late_pattern(rb"(?:[\xa1-\xa9\xb0-\xf7][\xa1-\xfe])+")


def clean(raw: bytes) -> str:
    """The text of a line: decoded, without terminal sequences, controls (but tabs) and trailing blanks.

    The caller bounds the length. Cleaning what is clean already changes nothing.
    """
    text = _decoded(raw)
    # Nearly all lines are of this kind, and leave it as they are but for blanks at their end.
    bare = text.rstrip(" \r\n")
    if bare.replace("\t", "").isprintable() and not _spelt(bare):
        return bare
    for _ in range(_MAX_PASSES):
        bare = _without_sequences(text)
        if bare == text:
            return text
        text = bare
    # Sequences inside sequences: nobody's log. Without brackets no new one can arise.
    return _without_sequences(text.replace("[", "").replace("]", ""))


def _decoded(raw: bytes) -> str:
    """The text of UTF-8 or, line by line, of what Chinese Windows writes; of other bytes what can be read."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        is_chinese = all(_HAN.fullmatch(run) for run in _HIGH.findall(raw))
        return raw.decode("gb18030" if is_chinese else "utf-8", "replace")


def _spelt(text: str) -> bool:
    """Whether printable text spells a terminal sequence: each has a bracket."""
    if "[" not in text and "]" not in text:
        return False
    if any(start in text for start in _SPELT_STARTS) and _SPELT_ESCAPE.search(text):
        return True
    return "[" in text and _BARE_COLOUR.search(text) is not None


def _without_sequences(text: str) -> str:
    text = _CONTROL.sub("", text)
    text = _SPELT_ESCAPE.sub("\x1b", text)
    text = _SEQUENCE.sub("", text)
    text = _LEFT_OVER.sub("", text)
    text = _BARE_COLOUR.sub("", text)
    return _BLANK_CONTROL.sub(" ", text.rstrip(" \r\n")).rstrip(" ")


def may_be_redrawn(raw: bytes) -> bool:
    """Whether a physical line may be of several stretches; most are not, and need not be cut."""
    return b"\r" in raw or b"^M" in raw or _COMPLAINT in raw or any(bar in raw for bar in _OPEN_BARS)


def redraws(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The stretches of a physical line that overwrote each other, each with its offset, empty ones left out.

    Split at each carriage return, also where a pasted log spells it ``^M``, and where a program complains, another
    rank speaks or an error is logged, right behind an open bar.
    """
    begin = 0
    for mark in _CUT.finditer(raw):
        if mark.start() > begin:
            yield begin, raw[begin : mark.start()]
        begin = mark.end()
    if begin < len(raw):
        yield begin, raw[begin:]
