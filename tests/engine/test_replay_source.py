"""Saved logs on a clock of their own."""

import pytest

from logrules.engine.replay_source import ReplaySource
from logrules.model.errors import SourceError
from logrules.model.stream import Block, End, Tick
from tests.project.test_promises import Cut


def line(clock, text="step"):
    return f"2026-03-01 {clock},000 - INFO - {text}\n".encode()


def everything(replaying, beat_s=None):
    """What it gives until its end, with a beat of its own clock."""
    items, until = [], None
    while not isinstance(item := replaying.read(until), End):
        items.append(item)
        now = item.now if isinstance(item, Tick) else item.arrived
        until = None if beat_s is None else now + beat_s
    return items


def test_lines_of_one_time_come_together_and_those_without_go_with_the_line_before(shipped):
    data = b"untimed\n" + line("10:00:00") + b"  more of it\n" + line("10:00:00", "again") + line("10:00:05")
    blocks = everything(ReplaySource([Cut(data)], shipped, None))
    assert [block.data.count(b"\n") for block in blocks] == [4, 1]
    assert b"".join(block.data for block in blocks) == data
    assert blocks[1].arrived - blocks[0].arrived == 5.0


def test_ticks_pass_between_lines_that_are_far_apart(shipped):
    items = everything(ReplaySource([Cut(line("10:00:00") + line("10:00:10"))], shipped, None), beat_s=4.0)
    assert [type(item) for item in items] == [Block, Tick, Tick, Block]
    assert [item.now - items[0].arrived for item in items[1:3]] == [4.0, 8.0]


def test_silence_after_the_last_line(shipped):
    items = everything(ReplaySource([Cut(line("10:00:00"))], shipped, None, then_quiet_s=10.0), beat_s=4.0)
    assert [type(item) for item in items] == [Block, Tick, Tick]


def test_a_clock_that_runs_backwards_keeps_the_order_of_its_lines(shipped):
    blocks = everything(
        ReplaySource([Cut(line("10:00:09") + line("10:00:01", "early") + line("10:00:10"))], shipped, None)
    )
    assert [block.arrived - blocks[0].arrived for block in blocks] == [0.0, 0.0, 1.0]


def test_several_logs_are_merged_by_their_times(shipped):
    first = Cut(line("10:00:00", "a") + line("10:00:10", "a"))
    second = Cut(line("10:00:05", "b"))
    blocks = everything(ReplaySource([first, second], shipped, None))
    assert [block.data.split()[-1] for block in blocks] == [b"a", b"b", b"a"]


def test_speed_is_that_of_its_clock(shipped):
    slept = []
    replaying = ReplaySource([Cut(line("10:00:00") + line("10:01:00"))], shipped, 60.0)
    replaying._stopped.wait = slept.append
    everything(replaying)
    assert slept == [1.0]


def test_it_ends_at_once_when_it_is_stopped(shipped):
    replaying = ReplaySource([Cut(line("10:00:00") + line("23:00:00"))], shipped, 1.0)
    assert isinstance(replaying.read(None), Block)
    replaying.stop()
    assert isinstance(replaying.read(None), End)


def test_a_log_without_times_is_refused_in_one_sentence(shipped):
    with pytest.raises(SourceError, match=r"^log: its lines have no times"):
        ReplaySource([Cut(b"no\ntimes\n")], shipped, None)
