"""Log text made harmless: what a log says may name a terminal's controls, but never use them."""

import re

from logrules.model.late_pattern import late_pattern

# C0 and C1 controls, bidirectional overrides and isolates, line and paragraph separators, lone surrogates.
_UNSAFE = late_pattern(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)

_LAST_OF_ONE_BYTE = 0xFF


def safe(text: str) -> str:
    """The text with every control character spelled out, a tab kept as it is."""
    return _UNSAFE.sub(_spelled, text)


def safe_lines(text: str) -> str:
    """The same of a text of several lines, which it keeps."""
    return "\n".join(safe(line) for line in text.split("\n"))


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= _LAST_OF_ONE_BYTE else f"\\u{code:04x}"
