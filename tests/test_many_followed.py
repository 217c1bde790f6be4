"""Thousands of logs followed at once: no more files held open than there may be, and no look at all of them a line."""

import resource

import pytest

from logrules.engine.follow import Following
from logrules.model.stream import Block, End
from logrules.sources import descriptors, followed_files
from logrules.sources.descriptors import SPARE, room_for
from logrules.sources.followed_files import FollowedFiles


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
    following = Following(_Coming(blocks), shipped, beat_s=None)
    updates = list(following)
    assert [update.lines for update in updates[:400]] == list(range(1, 401))
    assert updates[-1].lines == following.report().lines == 400
    assert len(asked) < 3 * 400
