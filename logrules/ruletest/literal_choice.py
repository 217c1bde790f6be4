"""The text of a line by which it is best found: printed unchanged, and rare in ordinary logs."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from logrules.ruletest.case import log_bytes
from logrules.ruletest.variable_parts import Fixed, MessagePart

SHORTEST = 6
# A longer text finds no fewer lines, and is more likely to be worded anew in the next version.
LONGEST = 60


def best_literal(parts: Sequence[MessagePart], written: bytes, logs: Iterable[Path], own: Iterable[str]) -> str | None:
    """The fixed text that is on fewest lines of the logs, then of the line's own log; of equals the longest.

    It stands in the line as it was ``written``, unbroken by colours. None where the line has no text of at least
    ``SHORTEST`` letters.
    """
    texts = [text for part in parts if isinstance(part, Fixed) and (text := _trimmed(part.text))]
    candidates = [text for text in dict.fromkeys(texts) if text.encode() in written]
    if not candidates:
        return None
    elsewhere = [log_bytes(log).decode("utf-8", "replace") for log in logs]
    own_lines = list(own)

    def common(text: str) -> tuple[int, int, int]:
        here = sum(text in line for line in own_lines)
        return sum(whole.count(text) for whole in elsewhere), here, -len(text)

    return min(candidates, key=common)


def _trimmed(text: str) -> str | None:
    """The text without punctuation at its ends, cut at a word; None where it is too short."""
    bare = text.strip().strip("'\"()[]{}<>,;=").strip()
    if len(bare) > LONGEST:
        bare = bare[:LONGEST].rsplit(" ", 1)[0]
    return bare if sum(letter.isalpha() for letter in bare) >= SHORTEST else None
