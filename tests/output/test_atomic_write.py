"""Writing: files are replaced as a whole, everything else is written to, and a fault leaves what was there."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from logrules.cli.main import main
from logrules.output.atomic_write import UnwritableError, write_file

NEW = b"new\n"

posix = pytest.mark.skipif(sys.platform == "win32", reason="devices and modes of POSIX")


def test_a_new_file_is_written(tmp_path):
    write_file(tmp_path / "a", NEW)
    assert (tmp_path / "a").read_bytes() == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@posix
def test_a_new_file_follows_the_users_mask_and_may_be_private(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "open", NEW)
        write_file(tmp_path / "private", NEW, new_mode=0o600)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600


@posix
def test_the_mode_of_an_old_file_stays(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o604)
    write_file(path, NEW, new_mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert path.read_bytes() == NEW


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path, exists):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "target"
    if exists:
        target.write_bytes(b"old")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(target)
    write_file(tmp_path / "one", NEW)
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").is_symlink()
    assert target.read_bytes() == NEW


@posix
def test_a_named_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard = []
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    content = b"x" * 300_000
    drain = threading.Thread(target=lambda: heard.append(_all(reader)))
    writer = threading.Thread(target=write_file, args=(pipe, content))
    writer.start()
    drain.start()
    writer.join()
    drain.join()
    assert heard == [content]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def _all(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        pieces = []
        while sum(map(len, pieces)) < 300_000:
            pieces.append(stream.read(65_536) or b"")
        return b"".join(pieces)


@posix
def test_a_named_pipe_without_a_reader_is_a_fault_and_no_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnwritableError, match="cannot be written"):
        write_file(tmp_path / "pipe", NEW)


@posix
def test_devices_are_written_to_and_stay_devices(tmp_path):
    (tmp_path / "null").symlink_to("/dev/null")
    for path in (Path("/dev/null"), tmp_path / "null"):
        write_file(path, NEW)
        assert stat.S_ISCHR(path.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_device_is_one_sentence():
    with pytest.raises(UnwritableError, match=r"^/dev/full: cannot be written \(no space left on device\)$"):
        write_file(Path("/dev/full"), NEW)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="named descriptors of POSIX")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_named_descriptor_is_appended_to_where_the_shell_stands(tmp_path, name):
    if not Path(name).exists():
        pytest.skip("no such name here")
    program = f"from pathlib import Path; from logrules.output.atomic_write import write_file; write_file(Path({name!r}), b'new\\n')"
    log = tmp_path / "log"
    log.write_bytes(b"old\n")
    with log.open("ab") as stream:
        subprocess.run([sys.executable, "-c", program], stdout=stream, check=True)
    assert log.read_bytes() == b"old\nnew\n"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert said.stdout == NEW


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    import resource
    import signal

    path = tmp_path / "a"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        with pytest.raises(UnwritableError, match="cannot be written"):
            write_file(path, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("place", ["missing/a", ".", "a/b"])
def test_what_cannot_be_written_is_one_sentence_and_leaves_nothing(tmp_path, place):
    (tmp_path / "a").write_bytes(b"file")
    with pytest.raises(UnwritableError, match="cannot be written"):
        write_file(tmp_path / place, NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@posix
def test_links_that_go_round_are_one_sentence(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UnwritableError, match="cannot be written"):
        write_file(tmp_path / "a", NEW)


def test_a_long_name_is_no_fault(tmp_path):
    path = tmp_path / ("n" * 250)
    write_file(path, NEW)
    assert path.read_bytes() == NEW


LOG = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize(
    "words",
    [
        ["diagnose", "x.log", "-o", "null"],
        ["bundle", "x.log", "-o", "null"],
        ["watch", "-q", "--report", "null", "--", sys.executable, "-c", "pass"],
    ],
    ids=["diagnose", "bundle", "watch"],
)
def test_no_verb_replaces_a_device(tmp_path, words):
    (tmp_path / "x.log").write_text(LOG)
    (tmp_path / "null").symlink_to("/dev/null")
    done = subprocess.run([sys.executable, "-m", "logrules", *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert (tmp_path / "null").is_symlink()
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("verb", [["diagnose"], ["bundle"]])
def test_a_report_on_a_full_device_is_one_sentence_and_status_2(tmp_path, monkeypatch, capsys, verb):
    monkeypatch.chdir(tmp_path)
    Path("x.log").write_text(LOG)
    assert main([*verb, "x.log", "-o", "/dev/full"]) == 2
    assert "/dev/full: cannot be written" in capsys.readouterr().err
