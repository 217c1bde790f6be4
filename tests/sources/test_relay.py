"""The relay between a job and its watcher: nothing waits, nothing is lost or left out unsaid."""

import errno
import os
import socket
import subprocess
import sys
import time
from threading import Thread

import pytest

from logrules.model.stream import Block, End, Skipped
from logrules.sources import relay_process
from logrules.sources.job_output import JobOutput, Output
from logrules.sources.queue import EventQueue
from logrules.sources.relay import Turn
from logrules.sources.relay_feed import FrameKind, RelayFeed, unpacked
from logrules.sources.wall_clock import now

pytestmark = pytest.mark.skipif(os.name != "posix", reason="relays are a matter of POSIX")


def taken(buffer):
    """All that a buffer has, until it ends."""
    while not isinstance(item := buffer.read(None), End):
        yield item


def test_what_there_is_no_room_for_is_counted_and_the_last_piece_is_kept():
    out, into = os.pipe()
    os.set_blocking(into, False)
    feed = RelayFeed(into, limit_bytes=200_000, gap_s=0.0)
    pieces = [b"%d\n" % number * 10_000 for number in range(20)]
    for piece in pieces:
        feed.put(0, piece)
    assert feed.leaves_out(0)
    assert not feed.has_room_again(0)
    with os.fdopen(out, "rb") as stream:
        frames = []
        for frame in unpacked(stream):
            frames.append(frame)
            feed.flush()
            if feed.has_room_again(0):
                feed.resume(0, 30, 3)
                feed.end(0)
            if frame.kind is FrameKind.END:
                feed.close()
    gap = next(frame for frame in frames if frame.kind is FrameKind.LEFT_OUT)
    came = [frame.data for frame in frames if frame.kind is FrameKind.PIECE]
    assert came[-1] == pieces[-1]
    assert came[:-1] == pieces[: len(came) - 1]
    lost = pieces[len(came) - 1 : -1]
    assert (gap.lines, gap.size) == (len(lost) * 10_000 + 3, sum(map(len, lost)) + 30)


def test_what_is_left_out_lasts_a_moment_however_fast_the_rest_is_read():
    out, into = os.pipe()
    os.set_blocking(into, False)
    feed = RelayFeed(into, limit_bytes=20_000, gap_s=1_000.0)
    for _ in range(20):
        feed.put(0, b"the same\n" * 1_000)
    assert feed.leaves_out(0)
    os.read(out, 1 << 20)
    feed.flush()
    assert not feed.has_room_again(0)
    assert 0 < (feed.room_in_s or 0) <= 1_000
    feed.close()
    assert feed.room_in_s is None
    os.close(out)


def is_process(output):
    """Whether a process passes it on: one that fails to start is not missed otherwise."""
    return output._relay is not None and output._relay.process is not None


def no_process(*_words, **_how):
    raise OSError("no process can be started")


def no_pair():
    raise OSError("too many open files")


@pytest.mark.parametrize("fault", ["none", "killed", "no process", "no interpreter", "no descriptors"])
def test_all_is_passed_on_and_analysed(fault, monkeypatch):
    onward_out, onward = os.pipe()
    ours, job = os.pipe()
    buffer = EventQueue()
    with monkeypatch.context() as patched:
        if fault == "no process":
            patched.setattr(subprocess, "Popen", no_process)
        if fault == "no interpreter":
            patched.setattr(sys, "executable", None)
        if fault == "no descriptors":
            patched.setattr(socket, "socketpair", no_pair)
        output = JobOutput([Output(ours, onward, "log")], buffer, Turn(), lambda: buffer.end(End()))
    assert is_process(output) == (fault in {"none", "killed"})
    if fault == "killed":
        output._relay.process.kill()
        output._relay.process.wait()
    for number in range(100):
        os.write(job, b"line %d\n" % number)
    os.close(job)
    blocks = list(taken(buffer))
    assert b"".join(block.data for block in blocks) == b"".join(b"line %d\n" % number for number in range(100))
    assert is_process(output) == (fault == "none")
    output.release()
    os.close(onward)
    with os.fdopen(onward_out, "rb") as passed:
        assert passed.read() == b"".join(block.data for block in blocks)
    os.close(ours)


def test_what_a_full_disk_takes_not_is_told_and_what_comes_once_there_is_room_is_written(monkeypatch):
    def write(descriptor, data):
        if b"lost" in data:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.write(descriptor, data)

    monkeypatch.setattr(relay_process, "write_all", write)
    monkeypatch.setattr(subprocess, "Popen", no_process)
    onward_out, onward = os.pipe()
    ours, job = os.pipe()
    buffer = EventQueue()
    output = JobOutput([Output(ours, onward, "log")], buffer, Turn(), lambda: buffer.end(End()))
    came = []
    for line in (b"lost\n", b"lost again\n", b"kept\n"):
        os.write(job, line)
        while not came or getattr(came[-1], "data", b"") != line:
            came.append(buffer.read(None))
    os.close(job)
    came += taken(buffer)
    assert [item.reason for item in came if isinstance(item, Skipped)] == [
        "a part could not be passed on (no space left on device)"
    ]
    output.release()
    assert os.read(onward_out, 100) == b"kept\n"
    for one in (onward, onward_out, ours):
        os.close(one)


def test_what_a_job_left_is_passed_on_whole_where_there_is_no_relay(monkeypatch):
    """Its threads wait for room in the buffer: that is no idleness, however long it takes."""
    onward_out, onward = os.pipe()
    ours, job = os.pipe()
    buffer = EventQueue(limit_bytes=4)
    with monkeypatch.context() as patched:
        patched.setattr(socket, "socketpair", no_pair)
        output = JobOutput([Output(ours, onward, "log")], buffer, Turn(), lambda: buffer.end(End()))
    os.write(job, b"one\n")
    while not isinstance(buffer.read(now()), Block):
        time.sleep(0.01)
    assert not output.wait(now())  # somebody else holds it open
    assert os.read(onward_out, 100) == b"one\n"
    for line in (b"two\n", b"three\n"):
        os.write(job, line)
        assert os.read(onward_out, 100) == line
    os.write(job, b"four\n")
    os.close(job)
    waiting = Thread(target=output.wait, args=(now(),))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    assert b"".join(block.data for block in taken(buffer)) == b"two\nthree\nfour\n"
    waiting.join()
    for one in (onward, onward_out, ours):
        os.close(one)


@pytest.mark.parametrize("how", ["a process", "a thread once it is killed", "threads of ours"])
def test_while_we_speak_nothing_is_passed_on_and_an_open_line_is_told_once(tmp_path, how, monkeypatch):
    ours, job = os.pipe()
    buffer = EventQueue()
    if how == "threads of ours":
        monkeypatch.setattr(socket, "socketpair", no_pair)
    with (tmp_path / "out").open("wb") as out, (tmp_path / "aside").open("wb") as aside:
        output = JobOutput([Output(ours, out.fileno(), "log")], buffer, Turn(), lambda: buffer.end(End()))
        if how == "a thread once it is killed":
            output._relay.process.kill()
        os.write(job, b"busy 10%")
        while (tmp_path / "out").stat().st_size < 8:
            time.sleep(0.01)
        with output.aside(out.fileno()) as in_line:
            assert in_line
            os.write(job, b" 20%")
            time.sleep(0.05)
            assert (tmp_path / "out").read_bytes() == b"busy 10%"
            out.write(b"\nours\n")
            out.flush()
        with output.aside(aside.fileno()) as in_line:
            assert not in_line
        while (tmp_path / "out").stat().st_size < 18:
            time.sleep(0.01)
        with output.aside(out.fileno()) as in_line:
            assert in_line
        os.write(job, b" 30%\n")
        os.close(job)
        output.join()
        assert is_process(output) == (how == "a process")
        output.release()
    os.close(ours)
    assert (tmp_path / "out").read_bytes() == b"busy 10%\nours\n 20% 30%\n"


def test_another_relay_does_not_begin_while_somebody_speaks(tmp_path):
    ours, job = os.pipe()
    buffer = EventQueue()
    with (tmp_path / "out").open("wb") as out:
        output = JobOutput([Output(ours, out.fileno(), "log")], buffer, Turn(), lambda: buffer.end(End()))
        with output.aside(out.fileno()):
            output._relay.process.kill()
            output._relay.process.wait()
            os.write(job, b"busy 10%\n")
            time.sleep(0.2)
            assert not (tmp_path / "out").read_bytes()
        os.close(job)
        output.join()
        output.release()
    os.close(ours)
    assert (tmp_path / "out").read_bytes() == b"busy 10%\n"


def test_a_flood_that_nobody_reads_passes_whole_and_its_lines_are_counted():
    """More than the relay holds, into a buffer that nobody takes from until the job has ended."""
    count, line = 1_200_000, b"the same line of a flood, over and over\n"
    words = f"import os\nfor n in range({count // 1000}): os.write(1, {line!r} * 1000)"
    job = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE)
    reader = subprocess.Popen(["wc", "-l"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    buffer = EventQueue()
    ours, onward = job.stdout.fileno(), reader.stdin.fileno()
    output = JobOutput([Output(ours, onward, "log")], buffer, Turn(), lambda: buffer.end(End()))
    assert job.wait() == 0
    read, left_out = 0, 0
    for item in taken(buffer):
        read += item.data.count(b"\n") if isinstance(item, Block) else 0
        left_out += item.lines if isinstance(item, Skipped) else 0
    assert is_process(output)
    output.release()
    job.stdout.close()
    assert read + left_out == count
    assert left_out > 0
    assert int(reader.communicate()[0]) == count
