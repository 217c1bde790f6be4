"""Thousands of logs followed at once: no more files held open than there may be, and no look at all of them a line."""

import os
import resource
import tracemalloc
from functools import partial
from threading import Thread

import pytest

from logrules.engine.follow import Following
from logrules.model.stream import Block, End, Skipped
from logrules.sources import descriptors, followed_files
from logrules.sources.descriptors import SPARE, room_for
from logrules.sources.followed_files import DELETED_S, FollowedFiles
from logrules.sources.tail import ROTATED


@pytest.fixture
def limit():
    """Sets how many files may be held open; as it was afterwards."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield lambda soft: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_limit_is_raised_as_far_as_it_takes(limit):
    limit(200)
    assert room_for(10) == 10
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 200
    assert room_for(300) == 300
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 300 + SPARE


def test_where_it_cannot_be_raised_some_are_spared(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (256, 256))
    assert descriptors.room_for(10_000) == 256 - SPARE


def test_logs_for_which_there_is_no_room_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(followed_files, "room_for", lambda count: min(count, 3))
    for number in range(5):
        (tmp_path / f"rank{number}.log").write_text(f"step {number}\n")
    followed = FollowedFiles([str(tmp_path)])
    followed._find()
    assert [one.name for one in followed.backlog] == ["rank0.log", "rank1.log", "rank2.log"]
    followed.stop()
    notes = []
    while not isinstance(item := followed.read(None), End):
        notes.append(item)
    assert [note.source for note in notes] == ["rank3.log", "rank4.log"]
    assert all("ulimit -n" in note.reason for note in notes)


class Reading(Thread):
    """Takes what a source has into a list, to its end."""

    def __init__(self, source: FollowedFiles, said: list[Block | Skipped]) -> None:
        super().__init__(daemon=True)
        self.source, self.said = source, said
        self.start()

    def run(self) -> None:
        """To its end."""
        self.said += iter(partial(self.source._buffer.read, None), End())


class _Coming:
    """A source of blocks."""

    name = "coming"

    def __init__(self, blocks: list[Block]) -> None:
        self._items = iter([*blocks, End()])

    def read(self, _until: float | None) -> Block | End:
        """The next block."""
        return next(self._items)


def test_lines_are_counted_in_the_logs_that_grew_alone(shipped, monkeypatch):
    asked: list[str] = []
    from logrules.engine.live_log import LiveLog

    count = LiveLog.lines.fget
    monkeypatch.setattr(LiveLog, "lines", property(lambda log: asked.append("x") or count(log)))
    logs = 40
    blocks = [
        Block(f"rank{number % logs}.log", 7 * (number // logs), b"step 1\n", 1.0 + number / 100)
        for number in range(400)
    ]
    following = Following(_Coming(blocks), lambda: shipped, beat_s=None)
    updates = list(following)
    assert [update.lines for update in updates[:400]] == list(range(1, 401))
    assert updates[-1].lines == following.report().lines == 400
    assert len(asked) < 3 * 400


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """What the clock of the files shows."""
    at = [1_000.0]
    monkeypatch.setattr(followed_files, "now", lambda: at[0])
    return at


def taken(followed: FollowedFiles) -> list[Block | Skipped]:
    """All that is there now."""
    return [item for early in followed.backlog for item in iter(partial(early.read, None), End())]


def looked(followed: FollowedFiles, clock: list[float], after_s: float = 0.0) -> None:
    """A look at all files that long after the last one, as its thread takes it."""
    clock[0] += after_s
    followed._look_at_all()
    followed._find()


def test_logs_that_came_and_went_hold_no_room(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(followed_files, "room_for", lambda count: min(count, 3))
    followed = FollowedFiles([str(tmp_path)])
    for number in range(9):
        log = tmp_path / f"pod{number}.log"
        log.write_text(f"step {number}\n")
        looked(followed, clock)
        looked(followed, clock)
        log.unlink()
        looked(followed, clock, DELETED_S)
    followed.stop()
    said = list(iter(partial(followed.read, None), End()))
    assert [item.data for item in said if isinstance(item, Block)] == [b"step %d\n" % number for number in range(9)]
    assert not any(isinstance(item, Skipped) for item in said)


def test_what_a_server_of_files_keeps_only_for_us_is_let_go(tmp_path, clock):
    """NFS gives what is deleted while somebody has it open another name, under which it takes room until then."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("train.log", "away.log"):
        (logs / name).write_text("step 1\n")
    followed = FollowedFiles([str(logs)])
    taken(followed)
    (logs / "train.log").rename(logs / ".nfs00000000deadbeef00000001")
    (logs / "away.log").rename(tmp_path / "away.log")
    looked(followed, clock, DELETED_S)
    (left,) = followed._followed.values()
    assert left.name == "away.log"
    left.tail.close()


def test_what_was_refused_is_followed_where_another_is_gone(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(followed_files, "room_for", lambda count: min(count, 1))
    first, second = tmp_path / "a.log", tmp_path / "b.log"
    first.write_text("step 1\n")
    second.write_text("step 2\n")
    followed = FollowedFiles([str(tmp_path)])
    taken(followed)
    first.unlink()
    looked(followed, clock, DELETED_S)
    assert [one.name for one in followed._followed.values()] == ["b.log"]
    followed.give_up()


def test_what_has_a_name_is_not_let_go_where_a_file_system_counts_none(tmp_path, clock, monkeypatch):
    """Some that are made of a program of their own give no number of names."""
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    status = os.fstat
    monkeypatch.setattr(os, "fstat", lambda file: os.stat_result((*status(file)[:3], 0, *status(file)[4:])))
    followed = FollowedFiles([str(tmp_path)])
    taken(followed)
    looked(followed, clock, DELETED_S)
    assert not followed._buffer._told
    for one in followed._followed.values():
        one.tail.close()


def test_what_is_deleted_is_read_while_it_grows_and_a_new_one_of_its_name_begins_anew(tmp_path, clock):
    log = tmp_path / "train.log"
    with log.open("w", buffering=1) as writer:
        writer.write("step 1\n")
        followed = FollowedFiles([str(tmp_path)])
        taken(followed)
        for early in followed.backlog:
            followed._buffer.resume(early.rest)
        log.unlink()
        looked(followed, clock, DELETED_S / 2)
        writer.write("step 2\n")
        looked(followed, clock, DELETED_S / 2)
        looked(followed, clock, DELETED_S / 2)
        writer.write("step 3\n")
        looked(followed, clock)
    looked(followed, clock, DELETED_S)
    assert followed._followed == {}
    assert followed.path_of("train.log") == log
    log.write_text("step 1 of another\n")
    said: list[Block | Skipped] = []
    reading = Reading(followed, said)
    looked(followed, clock)
    looked(followed, clock)
    followed.stop()
    reading.join()
    blocks = b"".join(item.data for item in said if isinstance(item, Block))
    assert blocks == b"step 2\nstep 3\nstep 1 of another\n"
    assert [item.reason for item in said if isinstance(item, Skipped)] == [ROTATED]
    assert said[-1].offset == 0
    for one in followed._followed.values():
        one.tail.close()


def test_a_rotated_log_whose_first_name_is_gone_is_not_read_again(tmp_path, clock):
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    followed = FollowedFiles([str(tmp_path)])
    taken(followed)
    log.rename(tmp_path / "train.log.1")
    log.write_text("step 2\n")
    looked(followed, clock)
    log.unlink()
    looked(followed, clock, DELETED_S)
    looked(followed, clock, DELETED_S)
    assert followed._followed == {}
    followed.give_up()


def test_a_log_more_takes_little_memory(tmp_path, shipped):
    """Tables of the rules are there once, however many logs there are."""
    text = "".join(f"2025-01-01 00:00:{second:02d} INFO step {second} loss 0.5\n" for second in range(20))

    def read(logs: int) -> int:
        blocks = [Block(f"rank{number}.log", 0, text.encode(), 1.0 + number / 100) for number in range(logs)]
        following = Following(_Coming(blocks), lambda: shipped, beat_s=None)
        tracemalloc.start()
        try:
            list(following)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    read(2)
    few, many = read(2), read(42)
    assert (many - few) / 40 < 80_000
