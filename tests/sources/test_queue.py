"""Between the job and the analysis: nothing waits, nothing is lost unsaid, lines stay whole."""

from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.stream import CONTINUED, Block, End, Skipped, Tick
from logrules.sources.queue import FELL_BEHIND, GATHER_S, HOLD_S, REST_BYTES, REST_S, EventQueue
from logrules.sources.source import BLOCK_BYTES


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def buffer(**limits):
    clock = Hand()
    return EventQueue(clock=clock, **limits), clock


def drained(one, clock, until=None):
    """Everything that can be taken now."""
    found = []
    while True:
        clock.at += GATHER_S
        item = one.read(clock.at if until is None else until)
        if isinstance(item, Tick | End):
            return found
        found.append(item)


# What marks lines is taken out of what comes (tests/sources/test_log_records.py).
PIECES = st.binary(min_size=1, max_size=30).map(lambda b: b.replace(b"a", b"\n").replace(CONTINUED[:1], b"."))


@given(pieces=st.lists(PIECES, max_size=20))
def test_the_bytes_come_out_as_they_went_in_and_only_the_last_line_is_cut(pieces):
    one, clock = buffer()
    blocks = []
    for piece in (pieces := [b"as UTF-8\n", *pieces]):
        one.put("log", piece, clock.at)
        clock.at += GATHER_S
        item = one.read(clock.at)
        blocks += [item] if isinstance(item, Block) else []
    assert all(block.data.endswith(b"\n") for block in blocks)
    one.end(End())
    blocks += drained(one, clock)
    assert b"".join(block.data for block in blocks) == b"".join(pieces)
    assert [block.offset for block in blocks] == [sum(len(b.data) for b in blocks[:n]) for n in range(len(blocks))]


def test_a_line_without_its_end_is_given_after_a_short_while():
    one, clock = buffer()
    one.put("log", b"Continue? [y/n] ", clock.at)
    assert one.read(clock.at) == Tick(clock.at)
    clock.at += HOLD_S
    assert one.read(None) == Block("log", 0, b"Continue? [y/n] ", 1000.0)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_of_a_line_without_end_a_block_is_given_at_a_time(end):
    one, clock = buffer()
    one.put("log", b"x" * (2 * BLOCK_BYTES + 5) + end, clock.at)
    clock.at += HOLD_S
    assert [len(block.data) for block in drained(one, clock)] == [BLOCK_BYTES, BLOCK_BYTES, 5 + len(end)]


def test_small_writes_are_gathered():
    one, clock = buffer()
    one.put("log", b"one\n", clock.at)
    assert one.read(clock.at).data == b"one\n"
    one.put("log", b"two\n", clock.at)
    one.put("log", b"three\n", clock.at)
    assert one.read(clock.at) == Tick(clock.at)
    clock.at += GATHER_S
    assert one.read(None).data == b"two\nthree\n"


def test_what_was_gathered_before_it_came_is_given_at_once():
    one, clock = buffer(gather_s=0.0)
    for line in (b"one\n", b"two\n"):
        one.put("log", line, clock.at)
        assert one.read(clock.at).data == line


def test_a_tick_comes_when_its_time_has():
    one, clock = buffer()
    assert one.read(clock.at - 5) == Tick(clock.at)


@pytest.mark.parametrize(("woken", "unwatched_s"), [(1004.0, 0.0), (1060.5, 60.0)])
def test_who_wakes_far_later_than_asked_for_says_that_nobody_watched(woken, unwatched_s):
    times = iter([1000.0, woken, woken])
    one = EventQueue(clock=lambda: next(times))
    assert one.read(1000.5) == Tick(woken, unwatched_s)
    assert one.read(woken) == Tick(woken)


def test_what_was_left_out_is_told_between_what_came_before_and_behind_it():
    one, clock = buffer()
    one.put("log", b"one\nhal", clock.at)
    leaving = Thread(target=one.leave_out, args=("log", 88, 8))
    leaving.start()
    for data in (b"one\n", b"hal"):
        clock.at += GATHER_S
        assert one.read(None).data == data
    assert one.read(None) == Skipped("log", 7, 88, FELL_BEHIND, 8)
    leaving.join()
    one.put("log", b"last\n", clock.at)
    clock.at += GATHER_S
    assert one.read(None) == Block("log", 95, b"last\n", clock.at - GATHER_S)


def test_who_has_much_waits_for_room():
    one, clock = buffer(limit_bytes=10)
    one.put("log", b"line 0..\n", clock.at)
    waiting = Thread(target=one.put, args=("log", b"line 1..\n", clock.at))
    waiting.start()
    assert one.read(None).data == b"line 0..\n"
    waiting.join()
    clock.at += GATHER_S
    assert one.read(None).data == b"line 1..\n"
    one.put("log", b"longer than there is room for\n", clock.at)


def test_of_what_is_still_read_some_time_after_its_writers_end_only_the_end_is():
    one, clock = buffer(limit_bytes=3 * REST_BYTES)
    line = b"x" * 99 + b"\n"
    whole = line * (3 * REST_BYTES // len(line))
    one.put("log", whole, clock.at)
    one.hurry()
    clock.at += 10 * REST_S  # rules are compiled: nobody reads yet
    first = one.read(None)
    waiting = Thread(target=one.put, args=("log", whole, clock.at))
    waiting.start()
    clock.at += REST_S
    skipped = one.read(None)
    waiting.join()
    one.end(End(exit_status=3))
    told = [skipped, *drained(one, clock, until=float("inf"))]
    blocks = [item for item in told if isinstance(item, Block)]
    left_out = [item for item in told if isinstance(item, Skipped)]
    assert first.data.endswith(line)
    assert REST_BYTES >= sum(len(block.data) for block in blocks) > REST_BYTES - 2 * len(line)
    assert all(block.data.startswith(line) for block in blocks)
    assert {(item.reason, item.bytes // len(line) - item.lines) for item in left_out} == {(FELL_BEHIND, 0)}
    sizes = [len(first.data), *(item.bytes for item in left_out), *(len(block.data) for block in blocks)]
    assert sum(sizes) == 2 * len(whole)
    assert blocks[-1].offset + len(blocks[-1].data) == 2 * len(whole)


def late(queue, clock):
    """Its writers have ended, and what waits was read for long enough."""
    queue.hurry()
    queue.read(clock.at)
    clock.at += REST_S


def test_of_a_line_without_an_end_that_is_too_long_to_wait_for_only_the_end_is_read():
    one, clock = buffer()
    late(one, clock)
    for _ in range(20):
        one.put("log", b"x" * REST_BYTES, clock.at)
    one.end(End())
    told = drained(one, clock, until=float("inf"))
    assert sum(len(item.data) for item in told if isinstance(item, Block)) == REST_BYTES
    assert sum(item.bytes for item in told if isinstance(item, Skipped)) == 19 * REST_BYTES


def test_a_line_that_is_left_of_much_is_waited_for_to_its_end():
    one, clock = buffer()
    late(one, clock)
    one.put("log", b"x" * REST_BYTES + b"\nits last", clock.at)
    assert isinstance(one.read(clock.at), Skipped)
    assert one.read(clock.at) == Tick(clock.at)
    one.put("log", b" words\n", clock.at)
    clock.at += GATHER_S
    assert one.read(clock.at) == Block("log", REST_BYTES + 1, b"its last words\n", clock.at - GATHER_S)


def test_nothing_is_kept_once_nobody_takes_it():
    one, clock = buffer()
    one.put("log", b"one\n", clock.at)
    one.give_up()
    one.put("log", b"two\n", clock.at)
    assert drained(one, clock) == []


def test_a_new_file_of_the_same_name_counts_from_its_start():
    one, clock = buffer()
    one.put("log", b"old\n", clock.at)
    assert one.read(None).offset == 0
    one.begin_anew("log", "was replaced")
    one.put("log", b"new\n", clock.at)
    note, block = drained(one, clock)
    assert (note.reason, block.offset, block.data) == ("was replaced", 0, b"new\n")


def test_what_came_is_given_before_the_end():
    one, _ = buffer()
    one.put("log", b"half a li", 1000.0)
    one.end(End(exit_status=3))
    assert one.read(None).data == b"half a li"
    assert one.read(None) == End(exit_status=3)
