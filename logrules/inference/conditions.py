"""How a condition's state moves: pure steps over frozen states.

``step`` feeds one observation to one leaf about signals, ``match_of`` asks what it shows; ``holds`` asks whether a
condition is true, given the matches of all its leaves. Windows are half-open: at the deadline itself silence has won.
An observation without a time has order only: no timed leaf holds on it.
"""

from collections.abc import Container, Mapping
from typing import TypeAlias

from logrules.inference.observation import Match, Observation, extended, told_together
from logrules.model.record import record, replace
from logrules.ruleset.condition import (
    Absence,
    Condition,
    Every,
    Leaf,
    Not,
    Occurred,
    Repeated,
    Sequence,
    Some,
    Supported,
    leaves,
)


@record
class SequenceState:
    """For each step, the observations of the partial match that began last; ``done`` once the last step came."""

    partial: tuple[tuple[Observation, ...] | None, ...]
    done: Match | None = None


@record
class AbsenceState:
    """``pending`` awaits its answer until ``deadline``, by arrival; ``fired`` is what stayed without one."""

    pending: Match | None = None
    deadline: float | None = None
    fired: Match | None = None


@record
class RepeatedState:
    """The last observations, as many as can matter, and the match once there were enough."""

    recent: tuple[tuple[float | None, int], ...]
    match: Match
    fired: bool = False


LeafState: TypeAlias = Match | SequenceState | AbsenceState | RepeatedState


def step(leaf: Leaf, state: LeafState | None, observation: Observation, signal: int) -> LeafState | None:
    """The leaf's next state after a line that carries ``signal``."""
    match leaf, state:
        case Occurred(), (Match() | None):
            return extended(state, observation, signal)
        case Sequence(), (SequenceState() | None):
            return _step_sequence(leaf, state, observation, signal)
        case Absence(), (AbsenceState() | None):
            return _step_absence(leaf, state or AbsenceState(), observation, signal)
        case Repeated(), (RepeatedState() | None):
            return _step_repeated(leaf, state, observation, signal)
        case _:
            return state


def _step_sequence(leaf: Sequence, state: SequenceState | None, observation: Observation, signal: int) -> SequenceState:
    state = state or SequenceState((None,) * len(leaf.steps))
    partial = list(state.partial)
    for number in reversed(range(len(leaf.steps))):
        if signal not in leaf.steps[number]:
            continue
        if number == 0:
            first = leaf.within_s is not None or not leaf.anywhere or partial[0] is None
            partial[0] = (observation,) if first else partial[0]
        else:
            before = partial[number - 1]
            told = before is not None and (leaf.anywhere or told_together(before[-1], observation))
            if before and told and before[-1] is not observation and _in_time(leaf.within_s, before[0], observation):
                partial[number] = (*before, observation)
    whole = partial[-1]
    if state.done or whole is None:
        return SequenceState(tuple(partial), state.done)
    ranks = frozenset(one.worker.rank for one in whole if one.worker.rank is not None)
    pairs = tuple((one, signals[0]) for one, signals in zip(whole, leaf.steps, strict=True))
    return SequenceState(tuple(partial), Match(pairs, observation, 1, ranks))


def _in_time(within_s: float | None, first: Observation, then: Observation) -> bool:
    if within_s is None:
        return True
    return first.time is not None and then.time is not None and then.time < first.time + within_s


def _step_absence(leaf: Absence, state: AbsenceState, observation: Observation, signal: int) -> AbsenceState:
    timed = observation.time is not None
    if state.pending and timed and not _in_time(leaf.within_s, state.pending.first[0], observation):
        state = AbsenceState(fired=state.fired or state.pending)
    if signal in leaf.missing:
        return replace(state, pending=None, deadline=None)
    if state.pending:
        return replace(state, pending=extended(state.pending, observation, signal))
    if leaf.within_s is not None and not timed:
        return state
    deadline = None if leaf.within_s is None or observation.heard is None else observation.heard + leaf.within_s
    return replace(state, pending=extended(None, observation, signal), deadline=deadline)


def _step_repeated(leaf: Repeated, state: RepeatedState | None, observation: Observation, signal: int) -> RepeatedState:
    match = extended(state.match if state else None, observation, signal)
    recent = (*(state.recent if state else ()), (observation.time, observation.event.repeat))[-leaf.least :]
    if state and state.fired:
        return RepeatedState(recent, match, fired=True)
    if leaf.within_s is not None:
        if observation.time is None:
            return RepeatedState(recent[:-1], match)
        recent = tuple((at, n) for at, n in recent if at is not None and at > observation.time - leaf.within_s)
    return RepeatedState(recent, match, fired=sum(count for _, count in recent) >= leaf.least)


def match_of(leaf: Leaf, state: LeafState | None, now: float | None, *, ended: bool) -> Match | None:
    """The observations on which a leaf about signals holds ``now``, or None; ``ended`` says that nothing more comes."""
    match leaf, state:
        case Occurred(), Match():
            return state
        case Sequence(), SequenceState():
            return state.done
        case Repeated(), RepeatedState():
            return state.match if state.fired else None
        case Absence(), AbsenceState():
            overdue = ended or (state.deadline is not None and now is not None and now >= state.deadline)
            return state.fired or (state.pending if overdue else None)
        case _:
            return None


_TOLD = (Occurred, Sequence, Absence, Repeated)


def told_as_one(condition: Every, found: Mapping[Leaf, Match | None]) -> bool:
    """Whether the latest lines of all its parts were told together."""
    latest = [
        [match.last for leaf in leaves(part) if (match := found[leaf]) is not None]
        for part in condition.parts
        if any(isinstance(leaf, _TOLD) for leaf in leaves(part)) and not isinstance(part, Not)
    ]
    if not all(latest):
        return False
    first, *others = latest or [[]]
    return all(any(told_together(one, other) for one in first for other in each) for each in others)


def holds(condition: Condition, found: Mapping[Leaf, Match | None], together: Container[Every] = frozenset()) -> bool:
    """Whether the condition is true; ``found`` has each leaf's match. Equal leaves share one state.

    ``together`` are the conjunctions whose parts were told together at some moment.
    """
    match condition:
        case Every(parts, anywhere):
            return (anywhere or condition in together) and all(holds(part, found, together) for part in parts)
        case Some(parts):
            return any(holds(part, found, together) for part in parts)
        case Not(part):
            return not holds(part, found, together)
        case Supported(part):
            return holds(part, found, together)
        case _:
            return found[condition] is not None


def shown(condition: Condition, found: Mapping[Leaf, Match | None]) -> tuple[Match, ...]:
    """The matches on which a true condition rests; what only stands under a ``not`` shows nothing."""
    match condition:
        case Every(parts) | Some(parts):
            return tuple(match for part in parts for match in shown(part, found))
        case Not():
            return ()
        case Supported(part, evidence):
            return tuple(match for one in (part, *evidence) for match in shown(one, found))
        case _:
            match = found[condition]
            return () if match is None else (match,)
