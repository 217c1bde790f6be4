"""Logs whose reading fails half way, and logs that change while they are read: what came is read, the rest is told."""

import errno
import json
import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from threading import current_thread

import pytest

from logrules.cli.main import main
from logrules.sources import file, followed_files, tail
from logrules.sources.followed_files import FollowedFiles
from logrules.sources.wall_clock import now

_OOM = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
_WORDS = "".join(f"some word {number} of many\n" for number in range(200_000))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def _before_reads(monkeypatch, happens: Callable[[int, int], object]) -> None:
    """Have this happen before each read of a file, of so many bytes from a place on."""

    class Watched(FileIO):
        def read(self, size: int = -1) -> bytes:
            happens(size, self.tell())
            return super().read(size)

    monkeypatch.setattr(file, "FileIO", Watched)


def _fails_behind(monkeypatch, place: int) -> None:
    def fail(size: int, at: int) -> None:
        if at + size > place:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    _before_reads(monkeypatch, fail)


def _report(capsys, *words: str) -> dict[str, object]:
    assert main(["diagnose", "--format", "json", *words]) == 1
    return json.loads(capsys.readouterr().out)


def test_what_was_read_before_an_error_is_diagnosed_and_the_error_told(monkeypatch, capsys):
    Path("a.log").write_text(_OOM + _WORDS)
    _fails_behind(monkeypatch, 2_200_000)
    found = _report(capsys, "a.log")
    assert found["diagnoses"][0]["cause"] == "cuda-oom"
    assert [note["note"] for note in found["notes"]] == ["reading failed (input/output error)"]
    assert 10_000 < found["lines"] < 200_000


def test_one_log_that_cannot_be_read_to_its_end_keeps_no_other_from_it(monkeypatch, capsys):
    Path("rank0.log").write_text(_WORDS + _OOM)
    _fails_behind(monkeypatch, 2_200_000)
    Path("ok.log").write_text(_OOM)
    found = _report(capsys, "rank0.log", "ok.log")
    assert found["diagnoses"][0]["cause"] == "cuda-oom"
    assert "reading failed (input/output error)" in [note["note"] for note in found["notes"]]


@pytest.mark.parametrize("left", [0, 1_100_000])
def test_a_log_that_is_truncated_while_it_is_read_is_read_as_far_as_it_is(monkeypatch, capsys, left):
    Path("a.log").write_text(_OOM + _WORDS)

    def truncate(_size: int, at: int) -> None:
        if at > (1 << 20):
            os.truncate("a.log", left)

    _before_reads(monkeypatch, truncate)
    assert _report(capsys, "a.log")["diagnoses"][0]["cause"] == "cuda-oom"


def test_a_log_that_grows_while_it_is_read_is_read_to_an_end(monkeypatch, capsys):
    Path("a.log").write_text(_OOM + _WORDS)
    grown = []

    def grow(_size: int, at: int) -> None:
        if at > (1 << 20) and len(grown) < 50:
            with Path("a.log").open("a") as log:
                grown.append(log.write("further words\n"))

    _before_reads(monkeypatch, grow)
    assert _report(capsys, "a.log")["diagnoses"][0]["cause"] == "cuda-oom"


def test_a_log_that_is_deleted_while_it_is_read_is_read_to_its_end(monkeypatch, capsys):
    Path("a.log").write_text(_OOM + _WORDS)

    def delete(_size: int, at: int) -> None:
        if at > (1 << 20):
            Path("a.log").unlink(missing_ok=True)

    _before_reads(monkeypatch, delete)
    assert _report(capsys, "a.log")["lines"] == 200_001


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no such file")
@pytest.mark.parametrize(
    "words",
    [
        ("diagnose", "/proc/self/mem"),
        ("try", "cuda/out-of-memory", "/proc/self/mem"),
        ("diagnose", "a.log", "--baseline", "/proc/self/mem"),
        ("check", "/proc/self/mem"),
    ],
)
def test_what_can_be_opened_and_not_read_is_a_sentence(words, capsys):
    Path("a.log").write_text(_OOM)
    assert main(list(words)) == 2
    assert "input/output error" in capsys.readouterr().err.lower()


def test_a_followed_log_that_cannot_be_read_is_told_of_and_may_become_readable(monkeypatch):
    Path("a.log").write_text(_OOM)
    real, broken = tail._read_at, [True]

    def read(log: FileIO, size: int, at: int) -> bytes:
        if broken[0]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(log, size, at)

    monkeypatch.setattr(tail, "_read_at", read)
    followed = tail.Tail(Path("a.log"))
    assert list(followed.look()) == []
    assert followed.fault == "reading failed (input/output error)"
    broken[0] = False
    assert [item.data for item in followed.look() if isinstance(item, tail.Grown)] == [_OOM.encode()]
    assert followed.fault is None
    followed.close()


@pytest.mark.parametrize("fault", [errno.EACCES, errno.ESTALE, errno.EIO])
@pytest.mark.parametrize("followed", ["train.log", ".", "*.log"])
def test_what_cannot_be_looked_at_for_a_while_is_followed_on(monkeypatch, fault, followed):
    """As a folder on NFS, whose server is started anew, or to which a ticket has expired."""
    faults: list[str] | None = None

    def failing(name, real):
        def look(*given, **how):
            if faults is not None and current_thread().name == "following files":
                faults.append(name)
                raise OSError(fault, os.strerror(fault))
            return real(*given, **how)

        return look

    for name in ("stat", "fstat", "scandir"):
        monkeypatch.setattr(os, name, failing(name, getattr(os, name)))
    monkeypatch.setattr(followed_files, "POLL_S", 0.001)
    Path("train.log").write_bytes(b"one\n")
    source = FollowedFiles([followed])
    assert [early.read(None).data for early in source.backlog] == [b"one\n"]
    until, faults = now() + 20.0, []
    while len(faults) <= 5 and now() < until:
        source.read(now() + 0.1)
    faults, lines = None, b""
    with Path("train.log").open("ab") as log:
        log.write(b"two\n")
    while not lines and now() < until:
        lines = getattr(source.read(until), "data", b"")
    source.stop()
    assert lines == b"two\n"


def test_a_log_whose_file_another_machine_has_replaced_is_followed_on(monkeypatch):
    Path("a.log").write_bytes(b"one\n")
    followed, real, stale = tail.Tail(Path("a.log")), os.fstat, set[int]()

    def fstat(descriptor: int) -> os.stat_result:
        if real(descriptor).st_ino in stale:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return real(descriptor)

    monkeypatch.setattr(os, "fstat", fstat)
    assert [item.data for item in followed.look()] == [b"one\n"]
    stale.add(Path("a.log").stat().st_ino)
    Path("b.log").write_bytes(b"two\n")
    Path("b.log").replace("a.log")
    came = list(followed.look())
    assert [getattr(item, "data", b"") for item in came] == [b"", b"two\n"]
    assert followed.fault is None
    followed.close()


_HOLES = pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="the system does not tell of holes")


@_HOLES
def test_a_hole_is_passed_over_and_changes_nothing(capsys):
    Path("dense.log").write_bytes(_OOM.encode() + bytes(3 << 20) + b"\n" + _OOM.encode())
    with Path("sparse.log").open("wb") as log:
        log.write(_OOM.encode())
        log.truncate(len(_OOM) + (40 << 30))
        log.seek(0, os.SEEK_END)
        log.write(b"\n" + _OOM.encode())
    told = [_report(capsys, name) for name in ("dense.log", "sparse.log")]
    for one in told:
        one.pop("sources")
    assert [d["cause"] for d in told[0]["diagnoses"]] == [d["cause"] for d in told[1]["diagnoses"]] == ["cuda-oom"]
    assert told[0]["lines"] == told[1]["lines"]


@_HOLES
def test_a_followed_hole_is_passed_over():
    with Path("a.log").open("wb") as log:
        log.truncate(40 << 30)
        log.seek(0, os.SEEK_END)
        log.write(_OOM.encode())
    followed = tail.Tail(Path("a.log"))
    items = [item for item in followed.look() if isinstance(item, tail.Grown)]
    followed.close()
    assert sum(len(item.data) for item in items) < (4 << 20)
    assert items[-1].data.endswith(_OOM.encode())
