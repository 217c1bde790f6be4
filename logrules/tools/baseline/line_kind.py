"""What kind of line a line is: its text without what varies from run to run."""

import re

from logrules.model.template import ANY_VARYING

# Longer lines are told apart by their beginning.
MAX_LINE_BYTES = 512
MAX_KNOWN = 200_000

_CONTROL = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_VARYING = re.compile(ANY_VARYING.encode())
_BAR = re.compile(rb"[#=>\xe2\x96\x80-\x9f\xe2\x96]{3,}")
# A drawn bar, as tqdm and its like print it, up to the end of its figures: `name:  12%|#  | 3/25 [00:01<00:09, 2it/s]`
_PROGRESS = re.compile(
    rb"^[^|\r\n]{0,200}?\d%\|[^|]{0,400}\|\s*[\d.?]+[kMGT]?/[\d.?]+[kMGT]?(?:\s*\[[^\]]{0,300}\]?)?"
    rb"|^[^\[\r\n]{0,200}?\d+(?:\.\d+)?[kMGT]?(?:it|B|ex)? \[[\d:]+(?:<[\d:?]+)?, [^\]]{0,300}\]?"
)
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


class Kinds:
    """Tells the kind of a line. Lines that differ in digits only are looked at once."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def of(self, line: bytes) -> bytes:
        """The kind of a line; empty for a blank one and for a progress bar, whose states tell nothing of a run."""
        # What a progress bar has redrawn is one line: its last state says what it is.
        rough = line.rstrip(b"\r\n ").rpartition(b"\r")[2][:MAX_LINE_BYTES].translate(_DIGITS)
        kind = self._known.get(rough)
        if kind is None:
            kind = _kind(rough)
            if len(self._known) < MAX_KNOWN:
                self._known[rough] = kind
        return kind


def _kind(rough: bytes) -> bytes:
    bare = _PROGRESS.sub(b"", _CONTROL.sub(b"", rough))
    return b" ".join(_BAR.sub(b"=", _VARYING.sub(b"0", bare)).split())
