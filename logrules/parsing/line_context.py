"""The lines around a hit while a log grows: those above came with earlier bytes, those below are not yet written."""

from collections.abc import Mapping

from logrules.parsing.clean import clean
from logrules.parsing.hit_line import CONTEXT_LINES, MAX_CONTEXT_BYTES

# The lines that anybody can lack: two below the last line, or below the unfinished one.
_WANTED_LINES = CONTEXT_LINES + 2


class LineContext:
    """What lies above the next bytes of a window, and who lacks lines below."""

    def __init__(self) -> None:
        self.above = b""
        self._lacking: dict[int, tuple[bytes, ...]] = {}

    def expect(self, number: int, known: tuple[bytes, ...]) -> None:
        """The event of this line is to be shown with what comes below the lines already ``known``."""
        self._lacking[number] = known

    def grown(self, text: bytes, first: int) -> Mapping[int, tuple[str, ...]]:
        """What now lies below the lines that lacked it; ``text`` begins with line ``first``."""
        if not self._lacking:
            return {}
        pieces = text.split(b"\n", _WANTED_LINES)
        whole = len(pieces) - 1
        found: dict[int, tuple[str, ...]] = {}
        for number, known in list(self._lacking.items()):
            at = number + 1 + len(known) - first
            new = pieces[max(at, 0) : max(at + CONTEXT_LINES - len(known), 0)]
            shown = (*known, *(line[:MAX_CONTEXT_BYTES] for line in new))
            if shown and not shown[-1] and at + len(new) > whole:
                shown = shown[:-1]  # nothing of the last line has come yet
            found[number] = tuple(clean(line) for line in shown)
            complete = shown[: len(known) + max(0, min(len(new), whole - at))]
            if len(complete) < CONTEXT_LINES:
                self._lacking[number] = complete
            else:
                del self._lacking[number]
        return found

    def pass_over(self, text: bytes) -> None:
        """Keep the last complete lines of ``text`` as what lies above."""
        end = text.rfind(b"\n") + 1
        start = end
        for _ in range(CONTEXT_LINES):
            start = text.rfind(b"\n", 0, max(start - 1, 0)) + 1 if start else 0
        lines = [*_split(self.above), *_split(text[start:end])][-CONTEXT_LINES:]
        self.above = b"".join(line[:MAX_CONTEXT_BYTES] + b"\n" for line in lines)


def _split(whole_lines: bytes) -> list[bytes]:
    return whole_lines.split(b"\n")[:-1]
