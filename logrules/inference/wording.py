"""What words say in lines that no framework knows: by the rows of wordings.yaml, and of phases by their own words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from logrules.model.event import Event, Level, Stance, Worker
from logrules.model.late_pattern import late_pattern
from logrules.model.record import replace
from logrules.model.template import template_of
from logrules.parsing.stance import StanceJudge
from logrules.ruleset.bounds import CASELESS
from logrules.ruleset.name_tables import Saying, Wording
from logrules.ruleset.pattern import BoundedPattern, bounded, searched
from logrules.ruleset.tables import Phase, StanceForm

# What a line says of itself stands at its beginning; what to do comes behind.
_MAX_READ = 160
_MAX_RESULT = 300
# What ended a program is among the last things that it says.
_LAST_LINES = 20
# What a line says that goes on with nothing above it.
_OF_THEIR_OWN = (Saying.TRACEBACK, Saying.OPENING)
# Of fewer lines nobody can say that they are all that the program wrote.
_WHOLE_STREAM_LINES = 8


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

    def values(self, saying: Saying, text: str) -> Iterator[str]:
        """What rows that say this capture in the text (``value``), wherever they fit."""
        for pattern in self._patterns[saying]:
            end = 0
            while (found := searched(pattern, text, end)) is not None and found.end() > end:
                end = found.end()
                if value := found.groupdict().get("value"):
                    yield value

    def tells_trouble(self, message: str) -> bool:
        """Whether a message has words of trouble, whatever is said of it."""
        return self._judge().tells_trouble(message)

    def states_error(self, line: Event) -> bool:
        """Whether its logger says that something went wrong."""
        is_error = line.level is not None and line.level >= Level.ERROR and line.stance is Stance.FACT
        return is_error and not self.says(Saying.ANNOUNCEMENT, line.message)

    def complains(self, line: Event) -> bool:
        """Whether a line states an error in words of its own."""
        if line.level is not None or line.stance is not Stance.FACT:
            return False
        if self.says(Saying.HOUSEKEEPING, line.message) or not self.says(Saying.COMPLAINT, line.message):
            return False
        return not self.says(Saying.HARMLESS, line.message[:_MAX_READ])

    def complaints(self, lines: Sequence[Event], went_on: int) -> Iterator[Event]:
        """Those of the last of these ``lines`` of a log that complain, behind the line where it last ``went_on``.

        What was complained of before its program went on is no end, nor is what the line below says is tried again.
        """
        early, last = lines[:-_LAST_LINES], lines[-_LAST_LINES:]
        before = {template_of(line.message) for line in early if self.complains(line)}
        for place, line in enumerate(last):
            if line.line <= went_on or not self.complains(line) or template_of(line.message) in before:
                continue
            if not any(self.says(Saying.RETRY, said.message[:_MAX_READ]) for said in last[place : place + 2]):
                yield line
        # Whoever asks for help is told more below it: what a log ends in answers a call that was wrong.
        if last and last[-1].line > went_on and last[-1].level is None and self.says(Saying.USAGE, last[-1].message):
            yield last[-1]

    def answers(self, lines: Iterable[Event]) -> int:
        """How many of these lines say that a request was answered well, to what the server itself has to work on.

        A status below 200 or above 299 says nothing: redirections and refusals are told by what stands in front too.
        """
        return sum('" 2' in line.message and self.says(Saying.ANSWER, line.message) for line in lines)

    def refuses(self, line: Event) -> bool:
        """Whether the line says that a request was answered with a failure, its own or the server's."""
        return '" ' in line.message and self.says(Saying.REFUSAL, line.message)

    def has_results(self, lines: Iterable[Event], worker: Worker) -> bool:
        """Whether its logger notes in one of these lines that what it worked for is saved: whose is goes on."""
        noted = (line for line in lines if line.worker == worker and line.level is Level.INFO)
        return any(self.says(Saying.RESULT, line.message[:_MAX_RESULT]) for line in noted)

    def without_stream_level(self, lines: Sequence[Event], head: Sequence[Event]) -> Sequence[Event]:
        """The lines without a level that a collector gave to all of a stream, such as standard error; else as they are.

        It did where every line bears a level and one of the ``head`` is an error that tells of no trouble: what the
        program logged itself may name another. Google's agents and Vertex AI do so.
        """
        leveled = len(lines) >= _WHOLE_STREAM_LINES and all(line.level is not None for line in (*lines, *head))
        if not leveled or not any(line.level is Level.ERROR and not self.tells_trouble(line.message) for line in head):
            return lines
        return [line if self.tells_trouble(line.message) else replace(line, level=None) for line in lines]

    def lines_below(self, line: Event, below: Iterable[Event]) -> Iterator[str]:
        """The messages right below a line that go on with it: they bear no header, and say nothing of their own.

        ``below`` are lines of its log in their order, of which blank ones are left out: one may stand between two.
        """
        last = line.line
        for after in below:
            apart = after.level is not None or after.stamp is not None or after.worker != line.worker
            if apart or after.line > last + 2 or any(self.says(one, after.message) for one in _OF_THEIR_OWN):
                return
            yield after.message
            last = after.line


_ENDS = (".", "!", "?", ":", ";")
_ITEM = late_pattern(r"\s*(?:[-*•]|\(?\d{1,2}[.)]) ")


def sentences(lines: Iterable[str]) -> Iterator[str]:
    """The texts that were broken into these lines: each ends where a sentence does, or an item of a list begins."""
    held: list[str] = []
    for line in lines:
        if held and (held[-1].endswith(_ENDS) or _ITEM.match(line) is not None):
            yield " ".join(held)
            held = []
        held.append(line.strip())
    yield " ".join(held)


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
    message = lines[-1].message[:_MAX_SPOKEN].strip() if lines else ""
    signs = (wordings.says(Saying.DOING, message), message.endswith(_GOES_ON))
    if not any(signs) or wordings.says(Saying.DONE, message):
        return False
    # Of its verb, of what is to follow and of a phase two say it: many other texts have one of them.
    return all(signs) or spoken_phase(phases, lines[-1:], 0) is not None


def _phase_of(message: str, words: Mapping[str, BoundedPattern]) -> str | None:
    """Of several phases the one whose words come first, then the one whose words are nearest to each other."""
    try:
        found = ((pattern.search(message), phase) for phase, pattern in words.items())
        said = [(match.span(), phase) for match, phase in found if match is not None]
    except TimeoutError:
        return None
    return min(said)[1] if said else None
