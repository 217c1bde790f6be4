"""What a run waits for: the waits of its workers that are open, and lines that only say that their writer waits."""

from collections.abc import Collection, Iterable, Iterator

from logrules.inference.observation import Observation
from logrules.inference.progress_line import progress_key
from logrules.inference.worker_state import OpenWait, WorkerState, may_be, peers
from logrules.model.event import Worker
from logrules.model.record import record, replace
from logrules.model.timeline import WaitSpan
from logrules.ruleset.pack import Wait
from logrules.ruleset.pattern import searched

MAX_WAITS = 2_000


class OpenWaits:
    """Keeps who waits for what, and the waits that ended. The waits themselves are in the states of the workers."""

    def __init__(self) -> None:
        # A thousand ranks step and few of them wait: only these are gone through at each step.
        self._waiting: dict[Worker, WorkerState] = {}
        # Those of them who started ranks and have heard of none yet.
        self._starting: set[Worker] = set()
        self._ended: list[WaitSpan] = []

    def open(self, name: str | None = None) -> Iterator[OpenWait]:
        """Every wait that is open now, or all of this name."""
        waits = (wait for state in self._waiting.values() for wait in state.waits.values())
        return waits if name is None else (wait for wait in waits if wait.wait.id == name)

    def spans(self, last: Observation | None) -> tuple[WaitSpan, ...]:
        """Every wait that took more than a line: those that ended, then those still open at the ``last`` line."""
        return (*self._ended, *(one.span(last or one.renewed, ended=False) for one in self.open()))

    def begin(self, state: WorkerState, wait: Wait, observation: Observation) -> None:
        """The writer of a line, whose state this is, waits from there on."""
        worker = observation.worker
        timed = state.timed if observation.heard is None else observation
        state.waits[wait.id] = OpenWait(wait, observation, observation, observation, timed)
        self._waiting[worker] = state
        if wait.starter and worker.rank is None:
            self._starting.add(worker)

    def renew(self, names: Iterable[str], observation: Observation) -> None:
        """A line speaks of these waits once more."""
        for name, holder in self._held(names, observation.worker):
            holder.waits[name].renew(observation)

    def count(self, names: Iterable[str], observation: Observation) -> None:
        """A line counts what these waits are for."""
        for name, holder in self._held(names, observation.worker):
            wait = holder.waits[name]
            wait.counts = not wait.is_repeated_by(observation)
            wait.renew(observation)

    def end_named(self, names: Iterable[str], observation: Observation) -> None:
        """A line says that these waits are over: for its writer, or for all who wait if they come from it together."""
        for name in names:
            joint = any(one.wait.joint for one in self.open(name))
            held = self._held((name,), None if joint else observation.worker)
            for _, holder in held:
                self._end(holder, name, observation)

    def end_of(self, worker: Worker, observation: Observation, keep: Collection[str] = ()) -> None:
        """A worker waits no more, but for what is to be kept."""
        if (state := self._waiting.get(worker)) is not None:
            for name in [name for name in state.waits if name not in keep]:
                self._end(state, name, observation)

    def end_of_all(self, observation: Observation, phases: Collection[str] = ()) -> None:
        """Nobody waits any more, but for what is waited for in these phases."""
        for worker, state in tuple(self._waiting.items()):
            kept = [name for name, one in state.waits.items() if one.wait.phase in phases]
            self.end_of(worker, observation, kept)

    def end_of_others(self, observation: Observation, *, in_step: bool) -> None:
        """A step was made: nobody else waits any more but peers of its writer.

        Once all step together (``in_step``) these are past what is only waited for at first.
        """
        for other, state in tuple(self._waiting.items()):
            if other != observation.worker:
                stays = [name for name, one in state.waits.items() if not (in_step and one.wait.first)]
                self.end_of(other, observation, stays if peers(other, observation.worker) else ())

    def end_of_starters(self, observation: Observation) -> None:
        """A rank says where it is: who started it waits for it no more."""
        if observation.worker.rank is None or not self._starting:
            return
        for one in [one for one in self.open() if one.wait.starter and one.opened.worker in self._starting]:
            self._end(self._waiting[one.opened.worker], one.wait.id, observation)
        self._starting.clear()

    def _held(self, names: Iterable[str], worker: Worker | None) -> Iterator[tuple[str, WorkerState]]:
        """Open waits of these names: the worker's own and those of itself less fully named, else all who have it open.

        A library says its first words bare and puts a header before all that follow.
        """
        own = self._waiting.get(worker) if worker is not None else None
        for name in names:
            of = worker if own is not None and name in own.waits else None
            holders = [(one, state) for one, state in self._waiting.items() if of is None or may_be(one, of)]
            yield from ((name, holder) for _, holder in holders if name in holder.waits)

    def _end(self, state: WorkerState, name: str, observation: Observation) -> None:
        ended = state.waits.pop(name)
        state.passed.add(name)
        if not state.waits:
            self._waiting.pop(ended.opened.worker, None)
        if len(self._ended) < MAX_WAITS and observation.event.line != ended.opened.event.line:
            self._ended.append(ended.span(observation, ended=True))


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
