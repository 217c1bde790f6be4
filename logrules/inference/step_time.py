"""Steps that stay away: overdue by a worker's own rhythm, or while its peers go on.

A worker that has said that it waits, or that it does something else than its loop, is not judged
by the loop's rhythm: its wait has a patience of its own.
"""

from collections.abc import Iterable, Iterator, Mapping

from logrules.inference.observation import Match, Observation, begin, extend
from logrules.inference.workers import WorkerState, peers
from logrules.model.event import Worker
from logrules.model.worker_status import WorkerNow

# A counter that was printed as often without moving will not move for being printed once more.
REPEATS = 3


def overdue(workers: Mapping[Worker, WorkerState], now: float, heard: Mapping[str, float]) -> Match | None:
    """The last steps of all workers that loop, where none has moved for as long as its rhythm allows.

    ``heard`` says when each log last grew: a log that grows without steps may be doing what no marker knows,
    unless it repeats the same step.
    """
    looping = [state for state in workers.values() if _loops(state)]
    if not looping or not all(_late(state, now) for state in looping):
        return None
    still = [state for state in looping if _still(state, now, heard)]
    return _match_of_lines(state.stepped for state in still) if len(still) == len(looping) else None


def lagging(workers: Mapping[Worker, WorkerState], now: float) -> Match | None:
    """The last steps of the workers whose own stay away while those of a peer came since."""
    behind = [
        state.stepped
        for worker, state in workers.items()
        if _loops(state) and _late(state, now) and any(_went_on(worker, state, *other) for other in workers.items())
    ]
    return _match_of_lines(behind)


def deadlines(workers: Mapping[Worker, WorkerState], heard: Mapping[str, float]) -> Iterator[float]:
    """When the next step of each looping worker is overdue, and when its log has been still for as long."""
    for state in workers.values():
        patience = state.rhythm.patience_s
        if state.stepped is None or state.stepped.heard is None or patience is None or not _loops(state):
            continue
        yield state.stepped.heard + patience
        yield heard.get(state.stepped.event.source, state.stepped.heard) + patience


def workers_now(workers: Mapping[Worker, WorkerState], now: float | None) -> tuple[WorkerNow, ...]:
    """Where each worker is that said so, in the order in which they first spoke."""
    found = []
    for worker, state in workers.items():
        waits = [wait for wait in state.waits.values() if wait.since is not None]
        last = max((wait.renewed for wait in waits), key=lambda seen: seen.order, default=state.stepped or state.latest)
        since = last.heard if last is not None else None
        patience = min((wait.wait.patience_s for wait in waits), default=state.rhythm.patience_s)
        quiet = max(now - since, 0.0) if now is not None and since is not None else None
        found.append(WorkerNow(worker.label, state.phase, state.progress_text, state.rhythm.step_s, quiet, patience))
    return tuple(found)


def _loops(state: WorkerState) -> bool:
    """Whether the last that was heard of the worker is a step of its loop, whose rhythm is known."""
    stepped, entered = state.stepped, state.entered
    if stepped is None or state.waits or state.rhythm.patience_s is None:
        return False
    return entered is None or entered.order <= stepped.order


def _since(state: WorkerState) -> float | None:
    return state.stepped.heard if state.stepped is not None else None


def _late(state: WorkerState, now: float) -> bool:
    since, patience = _since(state), state.rhythm.patience_s
    return since is not None and patience is not None and now >= since + patience


def _still(state: WorkerState, now: float, heard: Mapping[str, float]) -> bool:
    patience = state.rhythm.patience_s
    if state.stepped is None or patience is None:
        return False
    grew = heard.get(state.stepped.event.source)
    return state.repeats >= REPEATS or grew is None or now >= grew + patience


def _went_on(worker: Worker, state: WorkerState, other: Worker, moving: WorkerState) -> bool:
    since, then, patience = _since(state), _since(moving), state.rhythm.patience_s
    if since is None or then is None or patience is None or not peers(worker, other):
        return False
    return then >= since + patience / 2


def _match_of_lines(observations: Iterable[Observation | None]) -> Match | None:
    match: Match | None = None
    for observation in observations:
        if observation is not None:
            match = begin(observation, -1) if match is None else extend(match, observation, -1)
    return match
