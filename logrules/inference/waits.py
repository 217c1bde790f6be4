"""The waits of a run's workers: which are open, what ends them, and how long those took that ended."""

from collections.abc import Collection, Iterable, Iterator

from logrules.inference.observation import Observation
from logrules.inference.worker_state import OpenWait, WorkerState, may_be, peers
from logrules.model.event import Worker
from logrules.model.timeline import WaitSpan
from logrules.ruleset.pack import Wait

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
