"""How conditions move: order, windows, absence, counts."""

import pytest

from logrules.inference.conditions import match_of, step
from logrules.inference.observation import Observation
from logrules.model.event import Event, Worker
from logrules.ruleset.condition import Absence, Occurred, Repeated, Sequence
from tests.conftest import event

A, B, C = 0, 1, 2


def seen(order: int, signal: int, at: float | None = None, rank: int | None = None) -> tuple[Observation, int]:
    line: Event = event(order, [signal], at=at, worker=Worker("log", rank=rank))
    return Observation(line, order, at, None), signal


def fired(leaf, items, now=None, *, ended=False) -> bool:
    state = None
    for observation, signal in items:
        state = step(leaf, state, observation, signal)
    return match_of(leaf, state, now, ended=ended) is not None


@pytest.mark.parametrize(
    ("story", "leaf", "items", "expected"),
    [
        ("a signal was seen", Occurred((A,)), [seen(1, A)], True),
        ("b after a is a sequence", Sequence(((A,), (B,))), [seen(1, A), seen(2, B)], True),
        ("a after b is none", Sequence(((A,), (B,))), [seen(1, B), seen(2, A)], False),
        ("order needs no time", Sequence(((A,), (B,))), [seen(1, A, 9.0), seen(2, B)], True),
        # 0    5    10      a then b within 10 s
        ("inside the window", Sequence(((A,), (B,)), 10), [seen(1, A, 0), seen(2, B, 9.9)], True),
        ("the window is half-open", Sequence(((A,), (B,)), 10), [seen(1, A, 0), seen(2, B, 10)], False),
        ("no time, no timed sequence", Sequence(((A,), (B,)), 10), [seen(1, A, 0), seen(2, B)], False),
        ("the last a counts", Sequence(((A,), (B,)), 10), [seen(1, A, 0), seen(2, A, 8), seen(3, B, 12)], True),
        ("three steps in order", Sequence(((A,), (B,), (C,))), [seen(1, A), seen(2, B), seen(3, C)], True),
        ("a step is not skipped", Sequence(((A,), (B,), (C,))), [seen(1, A), seen(2, C), seen(3, B)], False),
        ("a signal is not its own successor", Sequence(((A,), (A,))), [seen(1, A)], False),
        ("one after itself is a sequence", Sequence(((A,), (A,))), [seen(1, A), seen(2, A)], True),
        ("often enough", Repeated((A,), 3), [seen(n, A) for n in range(3)], True),
        ("not often enough", Repeated((A,), 3), [seen(n, A) for n in range(2)], False),
        ("often enough in time", Repeated((A,), 2, 10), [seen(1, A, 0), seen(2, A, 9)], True),
        ("often, but too slowly", Repeated((A,), 2, 10), [seen(1, A, 0), seen(2, A, 10)], False),
    ],
)
def test_leaf(story, leaf, items, expected):
    assert fired(leaf, items) is expected


# 0    5    10      a waits for b for 10 s
@pytest.mark.parametrize(
    ("story", "items", "now", "ended", "expected"),
    [
        ("b in time is no absence", [seen(1, A, 0), seen(2, B, 9)], 20, True, False),
        ("b at the deadline is too late", [seen(1, A, 0), seen(2, B, 10)], 20, False, True),
        ("before the deadline nothing is known", [seen(1, A, 0)], 9.9, False, False),
        ("at the deadline silence has won", [seen(1, A, 0)], 10, False, True),
        ("the end answers the question", [seen(1, A, 0)], 1, True, True),
        ("b alone asks nothing", [seen(1, B, 0)], 20, True, False),
        ("an a without a time asks nothing timed", [seen(1, A)], 20, True, False),
        ("a later line past the deadline settles it", [seen(1, A, 0), seen(2, A, 11), seen(3, B, 12)], 12, False, True),
    ],
)
def test_absence_within(story, items, now, ended, expected):
    assert fired(Absence((A,), (B,), 10.0), items, now, ended=ended) is expected


def test_absence_without_a_window_waits_for_the_end():
    assert not fired(Absence((A,), (B,)), [seen(1, A)], now=1e9)
    assert fired(Absence((A,), (B,)), [seen(1, A)], ended=True)
    assert not fired(Absence((A,), (B,)), [seen(1, A), seen(2, B)], ended=True)


def test_state_stays_bounded_however_often_a_signal_comes():
    leaf, state = Repeated((A,), 3, 60.0), None
    for order in range(10_000):
        observation, signal = seen(order, A, float(order))
        state = step(leaf, state, observation, signal)
    assert len(state.recent) <= 3
    assert len(state.match.first) <= 4
