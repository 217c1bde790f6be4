"""The analysis has the priority of any process, and stands back in a flood alone."""

import os
import sys
from threading import Thread
from time import thread_time

import pytest

from logrules.cli.follow_loop import Flood, by_priority
from logrules.model.change import Update

FLOODS = [
    ("silence is none", [(0.001, 1.0)] * 5, False),
    ("fifty thousand lines a second are none", [(0.003, 0.012)] * 100, False),
    ("what comes faster than a core reads it is one", [(0.02, 0.001)] * 20, True),
    ("what comes at once is one", [(0.02, 0.0)] * 20, True),
    ("it is over once less comes", [(0.02, 0.001)] * 20 + [(0.003, 0.012)] * 100, False),
    ("it is over in the silence behind it", [(0.02, 0.001)] * 20 + [(0.001, 1.0)], False),
]


@pytest.mark.parametrize(("story", "pieces", "lasts"), FLOODS, ids=[story for story, _, _ in FLOODS])
def test_a_flood_is_what_takes_much_of_a_core_by_when_it_came(story, pieces, lasts):
    flood, now = Flood(), 1_000.0
    flood.take(0.0, now)
    for taken_s, later_s in pieces:
        now += later_s
        flood.take(taken_s, now)
    assert flood.lasts is lasts, story


def own_nice() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0) if hasattr(os, "getpriority") else 0  # (Windows has none)


def updates(seen):
    """Two that take long and come at once, then two that come in time."""
    for now, work_s in ((1.0, 0.3), (1.0, 0.3), (9.0, 0.0), (17.0, 0.0)):
        until = thread_time() + work_s
        while thread_time() < until:
            pass
        seen.append(own_nice())
        yield Update(now, (), 0, 0, 0, ended=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a thread has a priority of its own on Linux only")
@pytest.mark.parametrize(
    ("has_ended", "niceness"), [(False, [5, 15, 15, 5]), (True, [5, 5, 5, 5])], ids=["beside the job", "after its end"]
)
def test_only_a_flood_is_worked_out_with_a_lower_priority(has_ended, niceness):
    seen: list[int] = []
    came: list[float] = []

    def stand_and_follow():
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        came.extend(update.now for update in by_priority(updates(seen), lambda: has_ended))

    thread = Thread(target=stand_and_follow)
    thread.start()
    thread.join()
    assert came == [1.0, 1.0, 9.0, 17.0]
    assert seen == niceness


def test_a_fault_in_the_analysis_of_a_flood_is_told():
    def broken():
        yield from updates([])
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(by_priority(broken()))
