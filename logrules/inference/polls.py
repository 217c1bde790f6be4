"""Lines that only say, again and again, that their writer waits: for how long, and when they no longer come."""

from collections.abc import Iterator

from logrules.inference.observation import Observation
from logrules.inference.progress_line import progress_key
from logrules.model.record import record, replace
from logrules.ruleset.pattern import searched

# With fewer lines than these nothing is repeated yet; without times in the log, there must be more.
FEWEST = 4
FEWEST_WITHOUT_TIMES = 12
# More other lines than these between two of them: something else goes on.
_NEAR_LINES = 4
# But of lines that come without end so many are read, then one here and there, then so many again.
_READ_TOGETHER = 64
# So many kinds of them are told apart in a log.
_MAX_KINDS = 64
# One that is late by more than this many of its pauses no longer comes.
_LATE = 2


@record
class Poll:
    """One kind of line that was repeated: the first and the last of them, how many, the longest pause in seconds.

    ``together`` is how many of the last were read without others being left out.
    """

    first: Observation
    last: Observation
    count: int = 1
    apart_s: float = 0.0
    together: int = 1

    @property
    def lasted_s(self) -> float | None:
        """From the first to the last, in seconds; None where the log bears no times."""
        if self.first.heard is None or self.last.heard is None:
            return None
        return self.last.heard - self.first.heard

    def is_sampled(self, lines: int) -> bool:
        """Whether it came so often that of the next so many lines those may be left out that are alike."""
        often = self.count >= _READ_TOGETHER and (self.together == 1 or self.together % _READ_TOGETHER == 0)
        return often and lines <= 2 * (self.last.event.line - self.first.event.line + 1)

    def says(self, words: str) -> bool:
        """Whether its line has these words."""
        return searched(words, self.first.event.message) is not None

    def repeated(self, observation: Observation, *, apart: bool) -> "Poll":
        """With one more of them; ``apart`` are two between which others were left out."""
        if apart:
            return replace(self, last=observation, count=self.count + observation.event.repeat, together=1)
        before, after = self.last.heard, observation.heard
        pause_s = after - before if before is not None and after is not None else 0.0
        count, together = self.count + observation.event.repeat, self.together + observation.event.repeat
        return replace(self, last=observation, count=count, apart_s=max(self.apart_s, pause_s), together=together)

    @property
    def late_at(self) -> float | None:
        """When the next is late; None where the log bears no times."""
        return None if self.last.heard is None else self.last.heard + _LATE * self.apart_s

    def goes_on(self, now: float | None, heard: float | None) -> bool:
        """Whether the next may still come: it is not late, or its log (last ``heard`` then) is silent since."""
        if self.last.heard is None or self.late_at is None or now is None:
            return True
        return now < self.late_at or heard is None or heard <= self.last.heard


class Polls:
    """What each log of a run repeats. A line that says where its writer is, or that says more, begins all anew.

    ``longest_s`` is how long such a wait was that ended.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, Poll]] = {}
        self._last: dict[str, int] = {}
        self.longest_s = 0.0

    def see(self, observation: Observation) -> None:
        """Take a line that says that its writer waits."""
        event = observation.event
        kinds = self._kinds.setdefault(event.source, {})
        key = progress_key(event.message)
        apart = event.line - self._last.get(event.source, event.line) - 1
        self._last[event.source] = event.line
        known = kinds.get(key)
        repeats = any(poll.count > 1 for poll in kinds.values())
        left_out = apart > _NEAR_LINES and known is not None and known.is_sampled(apart)
        if (apart > _NEAR_LINES and not left_out) or (known is None and (repeats or len(kinds) >= _MAX_KINDS)):
            self._end(event.source)
            known = None
        if known is None:
            poll = Poll(observation, observation, count=event.repeat, together=event.repeat)
        else:
            poll = known.repeated(observation, apart=left_out)
        self._kinds.setdefault(event.source, {})[key] = poll

    def move(self) -> None:
        """Something moved: who waited before may wait for something else now."""
        for source in tuple(self._kinds):
            self._end(source)

    def standing(self) -> Iterator[Poll]:
        """Those that were repeated often enough, whatever their log wrote since."""
        for kinds in self._kinds.values():
            for poll in kinds.values():
                if poll.together >= (FEWEST if poll.lasted_s is not None else FEWEST_WITHOUT_TIMES):
                    yield poll

    def ends(self, last: Observation | None) -> bool:
        """Whether the last line of all says that its writer waits, however often it said so."""
        lines = (poll.last for kinds in self._kinds.values() for poll in kinds.values())
        return last is not None and any(line.order == last.order for line in lines)

    def _end(self, source: str) -> None:
        for poll in self._kinds.pop(source, {}).values():
            self.longest_s = max(self.longest_s, poll.lasted_s or 0.0)
