"""The machine's clock is set while a job is watched, by an hour: nothing of that is a silence, or hides one."""

import io
import os
import time

import pytest

from logrules.model.stream import Tick
from logrules.sources import wall_clock
from logrules.sources.queue import EventQueue
from logrules.sources.relay_feed import RelayFeed, unpacked

HOUR_S = 3_600.0
steps = pytest.mark.parametrize("set_by_s", [HOUR_S, -HOUR_S])


@steps
def test_time_passes_evenly_while_the_clock_is_set(monkeypatch, set_by_s):
    waiting, began = EventQueue(), wall_clock.now()
    waiting.put("log", b"step 1 loss 0.5\n", began)
    system_time = time.time
    monkeypatch.setattr(time, "time", lambda: system_time() + set_by_s)
    assert waiting.read(None).arrived == began
    tick = waiting.read(began)
    assert isinstance(tick, Tick)
    assert tick.unwatched_s == 0.0
    assert began <= tick.now <= wall_clock.now() < began + HOUR_S


@steps
def test_a_relay_that_began_when_the_clock_was_set_tells_when_its_pieces_came(monkeypatch, set_by_s):
    """It takes the time since the epoch from the system when it begins, as its watcher did."""
    ours, theirs = os.pipe()
    before = wall_clock.now()
    with monkeypatch.context() as in_relay:
        in_relay.setattr(wall_clock, "_STARTED", wall_clock._STARTED + set_by_s)
        feed = RelayFeed(theirs)
        feed.put(0, b"step 1 loss 0.5\n")
        feed.close()
    with os.fdopen(ours, "rb") as frames:
        (frame,) = unpacked(io.BytesIO(frames.read()))
    assert before <= frame.arrived <= wall_clock.now()
