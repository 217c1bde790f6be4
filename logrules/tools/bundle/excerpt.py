"""The parts of a log that a bug report needs: its last lines, and the evidence with its surroundings."""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from logrules.model.stream import CONTINUED
from logrules.sources.source import Source, blocks_of

TAIL_LINES = 500
CONTEXT_LINES = 20
# One line of a hundred megabytes says no more than its beginning. It is cut for good once its secrets are out:
# what is left of one that was cut in the middle could not be recognised.
MAX_LINE_CHARS = 4_000
_KEPT_LINE_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``tail`` begins with line ``tail_first``; ``shown`` are numbered lines round the evidence."""

    tail: tuple[str, ...]
    tail_first: int
    shown: tuple[tuple[int, str], ...]


def excerpt(source: Source, lines: Sequence[int]) -> Excerpt:
    """Read a saved source once: its last lines, and what stands round the given line numbers."""
    wanted = sorted({near for line in lines for near in range(max(line - CONTEXT_LINES, 1), line + CONTEXT_LINES + 1)})
    last: deque[bytes] = deque()
    held, number = 0, 1
    shown: list[tuple[int, str]] = []
    for block in blocks_of(source):
        data = block.replace(b"\n" + CONTINUED, b"\\n")  # a record is one line of the file
        count = data.count(b"\n")
        if here := wanted[bisect_left(wanted, number) : bisect_left(wanted, number + count + 1)]:
            found = data.split(b"\n")
            shown += [(at, _text(found[at - number])) for at in here if at < number + count or found[-1]]
        number += count
        last.append(data)
        held += count
        while len(last) > 1 and held - last[0].count(b"\n") > TAIL_LINES:
            held -= last.popleft().count(b"\n")
    whole = b"".join(last).split(b"\n")
    tail = (whole if whole[-1] else whole[:-1])[-TAIL_LINES:]
    total = number if last and not last[-1].endswith(b"\n") else number - 1
    return Excerpt(tuple(_text(raw) for raw in tail), max(total - len(tail) + 1, 1), tuple(shown))


def _text(raw: bytes) -> str:
    return raw[:_KEPT_LINE_BYTES].rstrip(b"\r").decode("utf-8", "replace")
