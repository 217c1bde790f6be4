"""Whether a log breaks off in the middle of a line: it was cut there, and its writers went on."""

from collections import Counter
from collections.abc import Sequence

from logrules.model.event import Event
from logrules.model.late_pattern import late_pattern

_FIGURES = late_pattern(r"\d+")
# Something follows these.
_GOES_ON = (",", "(", "[", "{")
# What tqdm draws between the percentage and the counters, as long as it has come.
_DRAWN = late_pattern(r"[\u2588-\u258f ]+")
# So many lines of one kind show how lines of it end; of a single one a word must be broken.
_KNOWN = 2
# The lines above that are compared, and so much of each.
_COMPARED, _MAX_CHARS = 400, 400


def is_cut_short(lines: Sequence[Event]) -> bool:
    """Whether the last of these lines ends where no statement does, or as the beginning of such as stand above it."""
    if not lines or not lines[-1].message.strip():
        return False
    if lines[-1].text.rstrip().endswith(_GOES_ON):
        return True
    last = _kind(lines[-1])
    kinds = Counter(map(_kind, lines[-_COMPARED:-1]))
    return last not in kinds and any(
        kind.startswith(last) and (count >= _KNOWN or _is_broken(kind, len(last))) for kind, count in kinds.items()
    )


def _kind(line: Event) -> str:
    return _FIGURES.sub("#", _DRAWN.sub(" ", line.text[:_MAX_CHARS])).strip()


def _is_broken(kind: str, place: int) -> bool:
    """Whether a line that ends at this place ends within a word."""
    return kind[place - 1].isalnum() and (kind[place].isalnum() or kind[place] == "_")
