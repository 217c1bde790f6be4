"""Where a job that no marker knows is, by the words of its own last lines: what it says that it does, and to what."""

from collections.abc import Mapping, Sequence

from logrules.inference.wording import Wordings
from logrules.model.event import Event
from logrules.ruleset.pattern import BoundedPattern, bounded
from logrules.ruleset.tables import CASELESS, Phase, Saying

# Further back than this, what was said may be over.
_LAST_LINES = 6
_MAX_READ = 300
_GOES_ON = ("...", "…")


def spoken_phase(phases: Sequence[Phase], lines: Sequence[Event], after: int) -> str | None:
    """The phase that the last of these lines speaks of, of those behind line ``after``; None where none does."""
    words = {phase.id: bounded(CASELESS + phase.words) for phase in phases if phase.words is not None}
    for line in reversed(lines[-_LAST_LINES:]):
        found = _phase_of(line.message[:_MAX_READ], words) if line.line > after else None
        if found is not None:
            return found
    return None


def is_under_way(phases: Sequence[Phase], lines: Sequence[Event], wordings: Wordings) -> bool:
    """Whether the very last of these lines says in words of its own what is being done: "Loading the data"."""
    message = lines[-1].message[:_MAX_READ] if lines else ""
    if not wordings.says(Saying.DOING, message) or wordings.says(Saying.DONE, message):
        return False
    return message.rstrip().endswith(_GOES_ON) or spoken_phase(phases, lines[-1:], 0) is not None


def _phase_of(message: str, words: Mapping[str, BoundedPattern]) -> str | None:
    """Of several phases the one whose words come first, then the one whose words are nearest to each other."""
    said = []
    try:
        for phase, pattern in words.items():
            if (found := pattern.search(message)) is not None:
                said.append((found.span(), phase))
    except TimeoutError:
        return None
    return min(said)[1] if said else None
