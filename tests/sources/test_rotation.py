"""A followed log that is rotated, emptied or replaced, however fast: each line is read once."""

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from logrules.sources.followed_files import FollowedFiles
from logrules.sources.tail import Anew, Grown, Tail
from logrules.sources.watch_paths import WatchedPaths

NUMBERS = count()


def lines(many: int) -> str:
    return "".join(f"it {next(NUMBERS):06d}\n" for _ in range(many))


def write(path: Path, text: str, mode: str = "a") -> str:
    with path.open(mode) as file:
        file.write(text)
    return text


def read(tail: Tail) -> str:
    return b"".join(item.data for item in tail.look() if isinstance(item, Grown)).decode()


@pytest.fixture
def tail(log: Path) -> Iterator[Tail]:
    made = Tail(log)
    yield made
    made.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


def test_rotations_between_two_looks_lose_nothing(log, tail):
    seen, written = "", ""
    for number in range(12):
        written += write(log, lines(3))
        if number % 5 == 0:
            seen += read(tail)
        log.rename(f"{log}.{number}")
        written += write(log, lines(2))
    seen += read(tail)
    assert sorted(seen.splitlines()) == written.splitlines()
    assert read(tail) == ""


def test_each_file_that_had_the_name_begins_anew(log, tail):
    write(log, lines(3))
    read(tail)
    for number in range(3):
        log.rename(f"{log}.{number}")
        write(log, lines(2))
    # Three files came: two have lost the name again.
    assert sum(isinstance(item, Anew) for item in tail.look()) == 3


def test_files_with_other_names_and_older_ones_are_not_taken_for_rotated(log, tail):
    old = log.with_name("train.log.7")
    write(old, lines(4))
    os.utime(old, (1_000, 1_000))
    write(log, lines(1))
    read(tail)
    write(log.with_name("train.log.err"), lines(2))
    write(log.with_name("train.log2"), lines(2))
    log.rename(f"{log}.1")
    new = write(log, lines(2))
    assert read(tail) == new


def test_what_was_renamed_and_is_written_on_is_not_read_twice(log, tail):
    write(log, lines(3))
    read(tail)
    first = log.rename(f"{log}.1")
    write(log, lines(2))
    read(tail)
    write(first, lines(2))
    log.rename(f"{log}.2")
    new = write(log, lines(2))
    assert read(tail) == new


def test_a_file_written_anew_to_the_same_length_is_read(log, tail):
    write(log, lines(20))
    read(tail)
    for later in range(1, 4):
        new = write(log, lines(20), "w")
        os.utime(log, ns=(later, log.stat().st_mtime_ns + later))
        assert read(tail) == new
        assert read(tail) == ""


def test_a_copied_and_emptied_file_goes_on(log, tail):
    write(log, lines(20))
    read(tail)
    shutil.copy(log, f"{log}.1")
    os.truncate(log, 0)
    new = write(log, lines(3))
    assert read(tail) == new


def test_a_rotated_log_of_a_followed_folder_is_not_followed_as_another(log, monkeypatch):
    write(log, lines(3))
    followed = FollowedFiles([str(log.parent)])
    for early in followed.backlog:
        while early.read(None).__class__.__name__ == "Block":
            pass
    log.rename(f"{log}.1")
    write(log, lines(2))
    followed._find()
    assert list(followed._followed) == [str(log)]
    # What comes under such a name of its own is followed.
    write(log.with_name("train.log.2"), lines(2))
    monkeypatch.setattr(WatchedPaths, "files", lambda _self: ([(log.with_name("train.log.2"), "train.log.2")], []))
    followed._find()
    assert len(followed._followed) == 2
    for one in followed._followed.values():
        one.tail.close()
