"""Growing logs in the encodings of shells: read as saved ones are, however their bytes come."""

import os
from threading import Thread

import pytest

from logrules.model.stream import Block, End, Skipped
from logrules.sources.decoding import Utf8Text
from logrules.sources.followed_files import FollowedFiles
from logrules.sources.queue import EventQueue
from logrules.sources.source import BLOCK_BYTES

_TEXT = "step 1 loss 2\r\n训练 🙂 步 2\nRuntimeError: CUDA out of memory\n"
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
_ELF = b"\x7fELF" + bytes(range(256)) * 4


@pytest.mark.parametrize("encoding", _ENCODINGS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_any_pieces_give_the_same_text(encoding, size):
    data, text = _TEXT.encode(encoding), Utf8Text()
    pieces = [text.take(data[at : at + size]) for at in range(0, len(data), size)]
    assert b"".join((*pieces, text.finish())).decode() == _TEXT
    assert text.fault is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_tells_the_encoding_of_the_shortest_log(encoding):
    text = Utf8Text()
    assert text.take("A".encode(encoding)) + text.finish() == b"A"


def test_what_comes_behind_a_gap_begins_with_a_whole_character():
    data, text = _TEXT.encode("utf-16"), Utf8Text()
    assert text.take(data[:21]).decode() == "step 1 lo"
    text.leave_out(6)
    assert text.take(data[27:]).decode() == data[28:].decode("utf-16-le")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-be"])
def test_a_followed_file_is_read_on_where_it_stood_within_a_character(encoding, tmp_path):
    log, data = tmp_path / "train.log", (_TEXT * 2).encode(encoding)
    place = len(_TEXT.encode(encoding)) + 9
    log.write_bytes(data[:place])
    followed = FollowedFiles([os.fspath(log)])
    before = [followed.backlog[0].read(None), followed.backlog[0].read(None)]
    assert isinstance(before[-1], End)
    with log.open("ab") as stream:
        stream.write(data[place:])
    items = [followed.read(None)]
    while sum(len(one.data) for one in items if isinstance(one, Block)) < len(_TEXT.encode()):
        items.append(followed.read(None))
    followed.stop()
    came = b"".join(one.data for one in [*before, *items] if isinstance(one, Block))
    assert came.decode() == _TEXT * 2


def test_what_is_too_short_to_tell_by_is_not_lost():
    queue = EventQueue(gather_s=0.0)
    queue.put("log", b"\xef\xbb", 0.0)
    queue.stop()
    assert queue.read(None) == Block("log", 0, b"\xef\xbb", 0.0)


@pytest.mark.parametrize("gap", [("leave_out", 9, 0), ("begin_anew", "rotated")], ids=lambda gap: gap[0])
def test_what_is_too_short_to_tell_by_stands_in_front_of_a_gap(gap):
    name, *given = gap
    queue = EventQueue(gather_s=0.0)
    queue.put("log", b"Killed", 0.0)
    waiting = Thread(target=getattr(queue, name), args=("log", *given))
    waiting.start()
    assert queue.read(None) == Block("log", 0, b"Killed", 0.0)
    waiting.join()
    queue.put("log", b"step 1\n", 0.0)
    assert isinstance(queue.read(None), Skipped)
    assert queue.read(None).data == b"step 1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_a_followed_file_of_one_line_is_read_at_once(encoding, tmp_path):
    log, bars = tmp_path / "bars.log", "\r 10%|#    | 1/10" * 9
    log.write_bytes(bars.encode(encoding))
    shown: list[bytes] = []
    followed = FollowedFiles([os.fspath(log)], shown.append)
    assert isinstance(followed.backlog[0].read(None), End)
    item = followed.read(0.0)
    followed.stop()
    assert isinstance(item, Block)
    assert item.data.decode() == bars
    assert b"".join(shown) == bars.encode(encoding)


def test_what_was_shown_of_a_followed_file_is_read_though_the_watching_ends(tmp_path):
    log = tmp_path / "train.log"
    log.write_bytes(b"step 1\nstep 2\nTraceback")
    shown: list[bytes] = []
    followed = FollowedFiles([os.fspath(log)], shown.append)
    read = [followed.backlog[0].read(None)]
    followed.stop()
    while not isinstance(read[-1], End):
        read.append(followed.read(None))
    assert b"".join(one.data for one in read if isinstance(one, Block)) == b"".join(shown) == log.read_bytes()


def test_a_followed_file_of_one_line_is_read_a_block_at_a_time(tmp_path):
    log = tmp_path / "bars.log"
    log.write_bytes(b"\r 10%|#    | 1/10" * (3 * BLOCK_BYTES // 16))
    followed = FollowedFiles([os.fspath(log)])
    (backlog,) = followed.backlog
    sizes = []
    while not isinstance(item := backlog.read(None), End):
        sizes.append(len(item.data))
    followed.read(0.0)
    followed.stop()
    assert sizes == [BLOCK_BYTES] * 3


@pytest.mark.parametrize("size", [1, 3, len(_ELF)])
def test_what_is_no_text_is_told_once(size):
    queue = EventQueue(gather_s=0.0)
    for at in range(0, len(_ELF), size):
        queue.put("<stdin>", _ELF[at : at + size], 0.0)
    queue.stop()
    items = []
    while not isinstance(item := queue.read(None), End):
        items.append(item)
    assert [one.reason for one in items if isinstance(one, Skipped)] == ["is a program"]
