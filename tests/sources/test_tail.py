"""Files followed by name: growth, rotation, truncation, late arrival, folders."""

import os
from pathlib import Path

import pytest

from logrules.model.stream import End
from logrules.sources import followed_files
from logrules.sources.followed_files import POLL_S, FollowedFiles, next_pause
from logrules.sources.tail import ROTATED, TRUNCATED, Anew, Tail
from logrules.sources.watch_paths import WatchedPaths


def seen(tail):
    """What a look gives: bytes, and the reasons to begin anew."""
    return [item.reason if isinstance(item, Anew) else item.data for item in tail.look()]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


@pytest.fixture
def tail(log):
    one = Tail(log)
    yield one
    one.close()


def append(path, text):
    with path.open("ab") as file:
        file.write(text)


def test_what_is_there_and_what_is_appended(log, tail):
    append(log, b"one\n")
    assert seen(tail) == [b"one\n"]
    assert seen(tail) == []
    append(log, b"two\n")
    assert seen(tail) == [b"two\n"]


def test_a_file_that_does_not_exist_yet(log, tail):
    assert seen(tail) == []
    assert tail.fault == "no such file or directory"
    append(log, b"late\n")
    assert seen(tail) == [b"late\n"]
    assert tail.fault is None


def test_rotation_by_rename_loses_nothing_of_either_file(log, tail):
    append(log, b"one\n")
    seen(tail)
    log.rename(log.with_suffix(".log.1"))
    append(log.with_suffix(".log.1"), b"last of the old\n")
    assert seen(tail) == [b"last of the old\n"]
    append(log, b"first of the new\n")
    assert seen(tail) == [ROTATED, b"first of the new\n"]


def test_a_renamed_file_is_followed_until_another_has_its_name(log, tail):
    append(log, b"one\n")
    seen(tail)
    log.rename(log.with_suffix(".log.1"))
    seen(tail)
    append(log.with_suffix(".log.1"), b"still written\n")
    assert seen(tail) == [b"still written\n"]


def test_rotation_by_copy_and_truncate(log, tail):
    append(log, b"one line that is longer\n")
    seen(tail)
    os.truncate(log, 0)
    append(log, b"short\n")
    assert seen(tail) == [TRUNCATED, b"short\n"]


def test_a_file_written_anew_beyond_its_old_size(log, tail):
    append(log, b"one\n")
    seen(tail)
    log.write_bytes(b"other words altogether\n")
    assert seen(tail) == [TRUNCATED, b"other words altogether\n"]


def test_replacement_by_another_file(log, tail):
    append(log, b"one\n")
    seen(tail)
    new = log.with_name("new")
    new.write_bytes(b"one\ntwo\n")
    new.replace(log)
    assert seen(tail) == [ROTATED, b"one\ntwo\n"]


def test_an_archive_is_not_followed(log, tail):
    log.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0\0\0")
    assert seen(tail) == []
    assert "does not grow" in tail.fault


def names(roots):
    return [name for _, name in roots.files()[0]]


def test_a_folder_with_ranks_and_one_that_comes_later(tmp_path):
    """The tree that torchrun --log-dir writes."""
    attempt = tmp_path / "none_abc" / "attempt_0"
    for rank in (0, 10, 2):
        (attempt / str(rank)).mkdir(parents=True)
        (attempt / str(rank) / "stderr.log").touch()
    roots = WatchedPaths([str(tmp_path)])
    assert names(roots) == [f"none_abc/attempt_0/{rank}/stderr.log" for rank in (0, 2, 10)]
    (attempt / "3").mkdir()
    (attempt / "3" / "stdout.log").touch()
    assert "none_abc/attempt_0/3/stdout.log" in names(roots)


def test_a_session_folder_behind_a_link(tmp_path):
    """Ray's session_latest: what it points to changes with each start."""
    for session in ("session_1", "session_2"):
        (tmp_path / session / "logs").mkdir(parents=True)
        (tmp_path / session / "logs" / f"worker-{session}-01000000-77.out").touch()
    link = tmp_path / "session_latest"
    link.symlink_to(tmp_path / "session_1")
    roots = WatchedPaths([str(link)])
    assert names(roots) == ["logs/worker-session_1-01000000-77.out"]
    link.unlink()
    link.symlink_to(tmp_path / "session_2")
    assert names(roots) == ["logs/worker-session_2-01000000-77.out"]


def test_a_pattern_takes_what_comes_to_fit_it(tmp_path):
    roots = WatchedPaths([str(tmp_path / "rank*.log")])
    assert names(roots) == []
    (tmp_path / "rank1.log").touch()
    (tmp_path / "other.log").touch()
    assert names(roots) == ["rank1.log"]


def test_two_logs_of_the_same_name_are_told_apart_and_keep_their_names(tmp_path):
    paths = [tmp_path / run / "train.log" for run in ("a", "b")]
    roots = WatchedPaths([str(path) for path in paths])
    first = names(roots)
    assert first == ["train.log", "b/train.log"]
    assert names(roots) == first


def test_what_in_a_folder_is_no_log_is_left_alone(tmp_path):
    for name in ("train.log", "requirements.txt", "model.safetensors", ".hidden.log"):
        (tmp_path / name).touch()
    (tmp_path / "checkpoint-100").mkdir()
    (tmp_path / "checkpoint-100" / "merges.log").touch()
    assert names(WatchedPaths([str(tmp_path)])) == ["train.log"]


@pytest.mark.parametrize(
    ("cost_s", "still_s", "pause_s"),
    [
        (0.0001, 0.0, 0.01),  # one file that grows: a hundred looks a second
        (0.0001, 0.1, 0.01),  # also where a look comes between two of its lines
        (0.002, 0.0, 0.04),  # a thousand files: a twentieth of a core
        (0.00005, 1.0, 0.03),
        (0.001, 1.0, 0.2),
        (0.00005, 9.0, 0.03),
        (0.00005, 11.0, 0.1),
        (0.00005, float("inf"), 0.1),  # a log in which nothing happens
        (3.0, 0.0, POLL_S),
        (3.0, 1.0, POLL_S),
    ],
)
def test_how_soon_files_are_looked_at_again(cost_s, still_s, pause_s):
    assert next_pause(cost_s, cost_s, still_s) == pytest.approx(pause_s)


@pytest.mark.parametrize("costs", [(0.006, 0.0001), (0.0001, 0.006)])
def test_what_one_look_had_to_read_puts_off_no_other(costs):
    assert next_pause(*costs, 0.0) == pytest.approx(0.01)


def test_a_log_that_is_there_is_looked_at_as_one_that_has_just_grown(log, monkeypatch):
    log.write_bytes(b"one\n")
    source, still = FollowedFiles([str(log)]), []

    def first_pause(_cost_s, _before_s, still_s):
        still.append(still_s)
        source.stop()
        return 0.0

    monkeypatch.setattr(followed_files, "next_pause", first_pause)
    while not isinstance(source.read(None), End):
        pass
    assert still[0] < float("inf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_a_named_pipe_is_not_followed_and_waited_for(log, tail):
    os.mkfifo(log)
    assert seen(tail) == []
    assert str(tail.fault).startswith("is a named pipe")
