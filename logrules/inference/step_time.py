"""Steps that stay away: overdue by a worker's own rhythm, or while its peers go on.

A worker that has said that it waits, or that it does something else than its loop, is not judged
by the loop's rhythm: its wait has a patience of its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import TypeAlias

from logrules.inference.cadence import outlasts
from logrules.inference.observation import Match, Observation, match_of_lines
from logrules.inference.worker_state import WorkerState, peers
from logrules.model.event import Worker
from logrules.model.timeline import WorkerNow

# A counter that was printed as often without moving will not move for being printed once more.
REPEATS = 3
# Whether who made this step was passed since a moment by those who count the same.
Passed: TypeAlias = Callable[[Observation, float], bool]


def overdue(workers: Mapping[Worker, WorkerState], now: float, heard: Mapping[str, float]) -> Match | None:
    """The last steps of all workers that loop, or bars, where none has moved for as long as its rhythm allows.

    ``heard`` says when each log last grew: a log that grows without steps may be doing what no marker knows,
    unless it repeats the same step.
    """
    moving = [(state, *beat) for state in workers.values() if (beat := _moving(state)) is not None]
    for state, last, patience_s in moving:
        if not outlasts(last.heard, patience_s, now) or not _still(state, last, patience_s, now, heard):
            return None
    return match_of_lines(last for _, last, _ in moving)


def lagging(workers: Mapping[Worker, WorkerState], now: float, passed: Passed) -> Match | None:
    """The last steps of the workers whose own stay away while those of a peer came since."""
    moving = ((worker, state, _moving(state)) for worker, state in workers.items() if state.bar is None)
    late = [(worker, state) for worker, state, beat in moving if beat and outlasts(beat[0].heard, beat[1], now)]
    steps = _latest_steps(workers) if late else {}
    return match_of_lines(state.stepped for worker, state in late if _stays_behind(worker, state, steps, passed))


class StepDeadlines:
    """When the next step of a worker is overdue, or a moment before that.

    What is heard from now on is not due before the shortest patience of any rhythm has passed: the workers are gone
    through anew only then, or at the first deadline of what was known, however many lines come meanwhile.
    """

    def __init__(self, shortest_s: float) -> None:
        self._shortest_s = shortest_s
        self._next = float("-inf")

    def hear(self, at: float) -> None:
        """Something came."""
        self._next = min(self._next, at + self._shortest_s)

    def after(self, now: float, workers: Mapping[Worker, WorkerState], heard: Mapping[str, float]) -> float:
        """The next of them; infinite where none is. ``heard`` says when each log last grew."""
        if self._next <= now:
            moments = (at for state in workers.values() for at in _deadlines(state, heard))
            self._next = min((at for at in moments if at > now), default=float("inf"))
        return self._next


def workers_now(workers: Mapping[Worker, WorkerState], now: float | None, end: str | None) -> tuple[WorkerNow, ...]:
    """Where each worker is that said so, in the order in which they first spoke; ``end`` is the phase of leaving."""
    found = []
    for worker, state in workers.items():
        waits = [wait for wait in state.waits.values() if wait.since is not None]
        beat, rhythm = state.beat or (None, state.rhythm)
        last = max((wait.moved for wait in waits), key=lambda seen: seen.order, default=beat or state.latest)
        since = last.heard if last is not None else None
        patience = min((wait.wait.patience_s for wait in waits), default=rhythm.patience_s)
        quiet = max(now - since, 0.0) if now is not None and since is not None else None
        told = worker.label, state.phase, state.progress_text, rhythm.step_s, quiet, patience
        found.append(WorkerNow(*told, leaving=state.phase == end))
    return tuple(found)


def _deadlines(state: WorkerState, heard: Mapping[str, float]) -> Iterator[float]:
    """When its next step is overdue, and when its log has been still for as long.

    Of a bar and of a step, whichever it is judged by, and also while it waits: what ends a wait, or clears a bar away,
    brings back a deadline that is older than itself.
    """
    for last, rhythm in ((state.stepped, state.rhythm), (state.bar, state.bar_rhythm)):
        if last is not None and last.heard is not None and rhythm.patience_s is not None:
            yield last.heard + rhythm.patience_s
            yield heard.get(last.event.source, last.heard) + rhythm.patience_s


def _moving(state: WorkerState) -> tuple[Observation, float] | None:
    """The step of its loop, or the bar, that is the last that was heard of the worker; with how long it may take.

    None where it is at something else, or its rhythm is not known.
    """
    last, rhythm = state.beat or (None, None)
    if last is None or rhythm is None or rhythm.patience_s is None or state.waits:
        return None
    return (last, rhythm.patience_s) if state.entered is None or state.entered.order <= last.order else None


def _still(state: WorkerState, last: Observation, patience_s: float, now: float, heard: Mapping[str, float]) -> bool:
    grew = heard.get(last.event.source)
    repeats = state.repeats >= REPEATS or (state.repeats > 0 and _said_last(state, grew))
    if state.bar is not None:
        # Lines after a bar may be what comes after it: only the bar itself shows that it stands.
        return repeats or _said_last(state, grew)
    return repeats or grew is None or outlasts(grew, patience_s, now)


def _said_last(state: WorkerState, grew: float | None) -> bool:
    """Whether nothing came after the last line that said where this worker is."""
    last = state.latest.heard if state.latest is not None else None
    return grew is None or (last is not None and grew <= last)


def _latest_steps(workers: Mapping[Worker, WorkerState]) -> dict[str | None, list[tuple[float, Worker]]]:
    """When the workers of each role stepped last, the latest first: where all hang, nobody need be compared to all."""
    steps: dict[str | None, list[tuple[float, Worker]]] = {}
    for worker, state in workers.items():
        if state.stepped is not None and state.stepped.heard is not None:
            steps.setdefault(worker.role, []).append((state.stepped.heard, worker))
    for of_role in steps.values():
        of_role.sort(key=itemgetter(0), reverse=True)
    return steps


def _stays_behind(
    worker: Worker, state: WorkerState, steps: Mapping[str | None, Sequence[tuple[float, Worker]]], passed: Passed
) -> bool:
    """Whether a peer has stepped since, and well after the worker's own next step was to come."""
    if state.stepped is None or state.stepped.heard is None or state.rhythm.patience_s is None:
        return False
    long_after = state.stepped.heard + state.rhythm.patience_s / 2
    later = takewhile(lambda step: step[0] >= long_after, steps.get(worker.role, ()))
    return any(peers(worker, other) for _, other in later) and passed(state.stepped, long_after)
