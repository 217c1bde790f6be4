"""What words say in lines that no framework knows: by the rows of wordings.yaml, and of phases by their own words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from logrules.model.event import Event, Stance
from logrules.model.template import template_of
from logrules.parsing.stance import StanceJudge
from logrules.ruleset.pattern import BoundedPattern, bounded, searched
from logrules.ruleset.tables import CASELESS, Phase, Saying, StanceForm, Wording

# What a line says of itself stands at its beginning; what to do comes behind.
_MAX_READ = 160
# What ended a program is among the last things that it says.
_LAST_LINES = 20


class Wordings:
    """The rows of a pack, by what lines say that they fit, and the words of trouble among its forms of ``stances``."""

    def __init__(self, rows: Iterable[Wording], stances: Sequence[StanceForm] = ()) -> None:
        # Few logs end in errors that must be judged by such words.
        self._judge = cache(lambda: StanceJudge(stances))
        self._patterns: dict[Saying, list[str]] = {saying: [] for saying in Saying}
        for row in rows:
            self._patterns[row.says].append(row.pattern)

    def says(self, saying: Saying, text: str) -> bool:
        """Whether any row that says this fits the text; not, where that takes too long to find out."""
        return any(searched(pattern, text) is not None for pattern in self._patterns[saying])

    def tells_trouble(self, message: str) -> bool:
        """Whether a message has words of trouble, whatever is said of it."""
        return self._judge().tells_trouble(message)


def complaints(lines: Sequence[Event], went_on: int, wordings: Wordings) -> Iterator[Event]:
    """Those of the last of these ``lines`` of a log that complain, behind the line where it last ``went_on``.

    What was complained of before its program went on is no end, nor is what the line below says is tried again.
    """
    early, last = lines[:-_LAST_LINES], lines[-_LAST_LINES:]
    before = {template_of(line.message) for line in early if complains(line, wordings)}
    for place, line in enumerate(last):
        if line.line <= went_on or not complains(line, wordings) or template_of(line.message) in before:
            continue
        if not any(wordings.says(Saying.RETRY, said.message[:_MAX_READ]) for said in last[place : place + 2]):
            yield line
    # Whoever asks for help is told more below it: what a log ends in answers a call that was wrong.
    if last and last[-1].line > went_on and last[-1].level is None and wordings.says(Saying.USAGE, last[-1].message):
        yield last[-1]


def complains(line: Event, wordings: Wordings) -> bool:
    """Whether a line states an error in words of its own."""
    if line.level is not None or line.stance is not Stance.FACT:
        return False
    if wordings.says(Saying.HOUSEKEEPING, line.message) or not wordings.says(Saying.COMPLAINT, line.message):
        return False
    return not wordings.says(Saying.HARMLESS, line.message[:_MAX_READ])


# Further back than this, what was said may be over.
_SPOKEN_LINES = 6
_MAX_SPOKEN = 300
_GOES_ON = ("...", "…")


def spoken_phase(phases: Sequence[Phase], lines: Sequence[Event], after: int) -> str | None:
    """The phase that the last of these lines speaks of, of those behind line ``after``; None where none does."""
    words = {phase.id: bounded(CASELESS + phase.words) for phase in phases if phase.words is not None}
    for line in reversed(lines[-_SPOKEN_LINES:]):
        found = _phase_of(line.message[:_MAX_SPOKEN], words) if line.line > after else None
        if found is not None:
            return found
    return None


def is_under_way(phases: Sequence[Phase], lines: Sequence[Event], wordings: Wordings) -> bool:
    """Whether the very last of these lines says in words of its own what is being done: "Loading the data"."""
    message = lines[-1].message[:_MAX_SPOKEN] if lines else ""
    if not wordings.says(Saying.DOING, message) or wordings.says(Saying.DONE, message):
        return False
    return message.rstrip().endswith(_GOES_ON) or spoken_phase(phases, lines[-1:], 0) is not None


def _phase_of(message: str, words: Mapping[str, BoundedPattern]) -> str | None:
    """Of several phases the one whose words come first, then the one whose words are nearest to each other."""
    try:
        found = ((pattern.search(message), phase) for phase, pattern in words.items())
        said = [(match.span(), phase) for match, phase in found if match is not None]
    except TimeoutError:
        return None
    return min(said)[1] if said else None
