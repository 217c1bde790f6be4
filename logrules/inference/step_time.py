"""Steps that stay away: overdue by a worker's own rhythm, or while its peers go on.

A worker that has said that it waits, or that it does something else than its loop, is not judged
by the loop's rhythm: its wait has a patience of its own.
"""

from collections.abc import Iterable, Iterator, Mapping

from logrules.inference.observation import Match, Observation, begin, extend
from logrules.inference.worker_state import WorkerState, peers
from logrules.model.event import Worker
from logrules.model.worker_status import WorkerNow

# A counter that was printed as often without moving will not move for being printed once more.
REPEATS = 3


def overdue(workers: Mapping[Worker, WorkerState], now: float, heard: Mapping[str, float]) -> Match | None:
    """The last steps of all workers that loop, or bars, where none has moved for as long as its rhythm allows.

    ``heard`` says when each log last grew: a log that grows without steps may be doing what no marker knows,
    unless it repeats the same step.
    """
    moving = [state for state in workers.values() if _moves(state)]
    if not moving or not all(_late(state, now) for state in moving):
        return None
    if not all(_still(state, now, heard) for state in moving):
        return None
    return _match_of_lines(state.beat[0] for state in moving if state.beat is not None)


def lagging(workers: Mapping[Worker, WorkerState], now: float) -> Match | None:
    """The last steps of the workers whose own stay away while those of a peer came since."""
    behind = [
        state.stepped
        for worker, state in workers.items()
        if _moves(state)
        and state.bar is None
        and _late(state, now)
        and any(_went_on(worker, state, *other) for other in workers.items())
    ]
    return _match_of_lines(behind)


def deadlines(workers: Mapping[Worker, WorkerState], heard: Mapping[str, float]) -> Iterator[float]:
    """When the next step of each looping worker is overdue, and when its log has been still for as long."""
    for state in workers.values():
        if state.beat is None or not _moves(state):
            continue
        last, patience = state.beat[0], state.beat[1].patience_s
        if last.heard is None or patience is None:
            continue
        yield last.heard + patience
        yield heard.get(last.event.source, last.heard) + patience


def workers_now(workers: Mapping[Worker, WorkerState], now: float | None) -> tuple[WorkerNow, ...]:
    """Where each worker is that said so, in the order in which they first spoke."""
    found = []
    for worker, state in workers.items():
        waits = [wait for wait in state.waits.values() if wait.since is not None]
        beat, rhythm = state.beat or (None, state.rhythm)
        last = max((wait.moved for wait in waits), key=lambda seen: seen.order, default=beat or state.latest)
        since = last.heard if last is not None else None
        patience = min((wait.wait.patience_s for wait in waits), default=rhythm.patience_s)
        quiet = max(now - since, 0.0) if now is not None and since is not None else None
        found.append(WorkerNow(worker.label, state.phase, state.progress_text, rhythm.step_s, quiet, patience))
    return tuple(found)


def _moves(state: WorkerState) -> bool:
    """Whether the last that was heard of the worker is a step of its loop, or a bar, whose rhythm is known."""
    if state.beat is None or state.waits or state.beat[1].patience_s is None:
        return False
    entered = state.entered
    return entered is None or entered.order <= state.beat[0].order


def _late(state: WorkerState, now: float) -> bool:
    if state.beat is None:
        return False
    since, patience = state.beat[0].heard, state.beat[1].patience_s
    return since is not None and patience is not None and now >= since + patience


def _still(state: WorkerState, now: float, heard: Mapping[str, float]) -> bool:
    if state.beat is None:
        return False
    last, patience = state.beat[0], state.beat[1].patience_s
    grew = heard.get(last.event.source)
    repeats = state.repeats >= REPEATS or (state.repeats > 0 and _said_last(state, grew))
    if state.bar is not None:
        # Lines after a bar may be what comes after it: only the bar itself shows that it stands.
        return repeats or _said_last(state, grew)
    return repeats or grew is None or (patience is not None and now >= grew + patience)


def _said_last(state: WorkerState, grew: float | None) -> bool:
    """Whether nothing came after the last line that said where this worker is."""
    last = state.latest.heard if state.latest is not None else None
    return grew is None or (last is not None and grew <= last)


def _went_on(worker: Worker, state: WorkerState, other: Worker, moving: WorkerState) -> bool:
    if state.stepped is None or moving.stepped is None or not peers(worker, other):
        return False
    since, then, patience = state.stepped.heard, moving.stepped.heard, state.rhythm.patience_s
    if since is None or then is None or patience is None:
        return False
    return then >= since + patience / 2


def _match_of_lines(observations: Iterable[Observation | None]) -> Match | None:
    match: Match | None = None
    for observation in observations:
        if observation is not None:
            match = begin(observation, -1) if match is None else extend(match, observation, -1)
    return match
