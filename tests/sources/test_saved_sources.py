"""Saved input: every byte once, in whole lines, whatever it is wrapped in."""

import bz2
import gc
import gzip
import lzma
import os
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.errors import SourceError
from logrules.model.stream import CONTINUED, JOINED, MAX_LINE_BYTES, Block, End, Skipped
from logrules.sources.archive import codec_of, expanded
from logrules.sources.chunking import resized, whole_lines
from logrules.sources.copied_text import PLAIN, form_of
from logrules.sources.decoding import SNIFFED_BYTES, encoding_of, no_text
from logrules.sources.discover import discover
from logrules.sources.file import FileSource, StdinSource, saved_items
from logrules.sources.log_names import holds_logs, is_log_name, natural, short_names
from logrules.sources.source import Source

zstandard = pytest.importorskip("zstandard")

LINES = b"".join(b"step %d loss %.4f\n" % (step, 4 / (step + 1)) for step in range(20_000))

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def everything(source: Source) -> tuple[list[Block], list[Skipped], End]:
    """Read to the end; the end must come once, last, and be repeated when asked again."""
    blocks: list[Block] = []
    skipped: list[Skipped] = []
    while not isinstance(item := source.read(until=None), End):
        if isinstance(item, Block):
            assert not skipped
            blocks.append(item)
        else:
            assert isinstance(item, Skipped)
            skipped.append(item)
    assert source.read(until=1.0) == item
    return blocks, skipped, item


def joined(blocks: Sequence[Block]) -> bytes:
    return b"".join(block.data for block in blocks)


def saved(tmp_path: Path, data: bytes, name: str = "rank0.log", block_bytes: int = 1 << 20) -> FileSource:
    path = tmp_path / name
    path.write_bytes(data)
    return FileSource(path, block_bytes=block_bytes)


def check_blocks(blocks: Sequence[Block], expected: bytes) -> None:
    offset = 0
    for place, block in enumerate(blocks):
        assert block.offset == offset
        assert block.data
        assert block.arrived is None
        assert block.data.endswith(b"\n") or place == len(blocks) - 1
        offset += len(block.data)
    assert joined(blocks) == expected


# --- plain bytes -----------------------------------------------------------------------


def ordinary(data: bytes) -> bool:
    """Text in UTF-8 or something like it as its program wrote it, without marks of ours: it is passed on unchanged."""
    head = data[:SNIFFED_BYTES]
    marked = CONTINUED in data or JOINED in data
    is_text = codec_of(data) is None and encoding_of(head) is None and no_text(head) is None
    return is_text and not marked and form_of(data) == PLAIN


liney_bytes = st.one_of(
    st.binary(), st.lists(st.sampled_from([b"\n", b"\r", b"a", b"\0", b"\xff", b"ab\n"])).map(b"".join)
)


@given(
    data=liney_bytes.filter(ordinary).filter(lambda data: not data or data.strip(b"\0")), block_bytes=st.integers(1, 64)
)
def test_any_bytes_in_any_blocks_are_the_input(
    data: bytes, block_bytes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = saved(tmp_path_factory.mktemp("any"), data, block_bytes=block_bytes)
    blocks, skipped, _ = everything(source)
    check_blocks(blocks, data)
    assert not skipped


def test_a_log_cannot_mark_its_own_lines_as_parts_of_a_record(tmp_path: Path) -> None:
    blocks, _, _ = everything(saved(tmp_path, b"one\n" + CONTINUED + b"two\n"))
    assert b"".join(block.data for block in blocks) == b"one\n  two\n"


@given(lines=st.lists(st.integers(0, 9), max_size=40), block_bytes=st.integers(1, 30))
def test_blocks_are_no_longer_than_a_piece_and_a_line(lines: list[int], block_bytes: int) -> None:
    data = b"".join(b"x" * length + b"\n" for length in lines)
    blocks = list(whole_lines(resized([data], block_bytes), max_line_bytes=1000))
    assert b"".join(blocks) == data
    assert all(len(block) < block_bytes + 10 for block in blocks)


@given(data=liney_bytes, sizes=st.lists(st.integers(1, 9), min_size=1), size=st.integers(1, 12))
def test_resizing_keeps_every_byte(data: bytes, sizes: list[int], size: int) -> None:
    pieces, start = [], 0
    for length in sizes * (len(data) + 1):
        pieces.append(data[start : start + length])
        start += length
    resized_pieces = list(resized(pieces, size))
    assert b"".join(resized_pieces) == data
    assert all(len(piece) == size for piece in resized_pieces[:-1])


def long_line_cuts(data: bytes, piece_bytes: int, max_line_bytes: int) -> set[int]:
    """Where a block ended inside a line."""
    offset, cuts = 0, set()
    for block in whole_lines(resized([data], piece_bytes), max_line_bytes):
        offset += len(block)
        if not block.endswith(b"\n") and offset < len(data):
            cuts.add(offset)
    assert offset == len(data)
    return cuts


@given(
    lengths=st.lists(st.integers(0, 40), max_size=12),
    final_newline=st.booleans(),
    piece_bytes=st.integers(1, 8),
)
def test_a_long_line_is_cut_at_the_same_places_for_any_reads(
    *, lengths: list[int], final_newline: bool, piece_bytes: int
) -> None:
    data = b"\n".join(b"x" * length for length in lengths) + b"\n" * final_newline
    expected, start = set(), 0
    for line in data.splitlines(keepends=True):
        expected |= set(range(start + 8, start + len(line), 8))
        start += len(line)
    assert long_line_cuts(data, piece_bytes, max_line_bytes=8) == expected


def test_a_line_longer_than_the_limit_arrives_in_pieces_of_the_limit(tmp_path: Path) -> None:
    line = b"bar " * (5 << 17)
    blocks, _, _ = everything(saved(tmp_path, b"first\n" + line + b"\nlast\n"))
    assert [len(block.data) for block in blocks if not block.data.endswith(b"\n")] == [MAX_LINE_BYTES] * 2
    assert joined(blocks) == b"first\n" + line + b"\nlast\n"


@pytest.mark.parametrize(
    ("story", "data"),
    [
        ("CR and LF stay as they are", b"one\r\ntwo\n 10%\r 20%\r\n"),
        ("NUL bytes are input like any other", b"\0\0\0step 1\n\0\n"),
        ("broken UTF-8 is not repaired here", b"\xc3\x28 \xe2\x82\n"),
        ("no final newline", b"first\nlast words"),
        ("only newlines", b"\n\n\n"),
        ("a file that is no archive but begins like one", b"BZh9 is the name of our run\n"),
        ("a single byte", b"x"),
    ],
)
def test_plain_bytes_pass_unchanged(story: str, data: bytes, tmp_path: Path) -> None:
    blocks, skipped, _ = everything(saved(tmp_path, data))
    assert joined(blocks) == data, story
    assert not skipped


def test_an_empty_file_ends_at_once(tmp_path: Path) -> None:
    source = saved(tmp_path, b"")
    assert isinstance(source.read(until=None), End)


def test_a_file_knows_when_it_was_written(tmp_path: Path) -> None:
    source = saved(tmp_path, b"step 1\n")
    os.utime(source.path, (1_700_000_000, 1_700_000_000.5))
    assert source.modified == 1_700_000_000.5


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.log: cannot be read \(no such file or directory\)"):
        FileSource(tmp_path / "gone.log").read(until=None)


def test_a_name_that_is_not_unicode_becomes_one(tmp_path: Path) -> None:
    assert FileSource(tmp_path / os.fsdecode(b"rank\xff.log")).name == r"rank\udcff.log"


class StaleBehindTheFirstMegabyte(FileIO):
    def read(self, size: int = -1) -> bytes:
        if self.tell() >= 1 << 20:
            raise OSError(116, "Stale file handle")
        return super().read(size)


def test_a_read_that_fails_ends_the_source_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "rank0.log"
    path.write_bytes(b"0123456\n" * (1 << 18))
    *blocks, skipped = saved_items("rank0.log", lambda: StaleBehindTheFirstMegabyte(path), block_bytes=1 << 20)
    assert blocks == [Block("rank0.log", 0, b"0123456\n" * (1 << 17))]
    assert skipped == Skipped("rank0.log", 1 << 20, None, "reading failed (stale file handle)")


# --- encodings -------------------------------------------------------------------------

WORDS = "步骤 1: loss 0.5 ✓\r\nstep 2 🚀\n"


@pytest.mark.parametrize(
    ("story", "data", "expected"),
    [
        ("PowerShell's UTF-16", WORDS.encode("utf-16"), WORDS.encode()),
        ("big-endian UTF-16", b"\xfe\xff" + WORDS.encode("utf-16-be"), WORDS.encode()),
        ("half a character at the end", WORDS.encode("utf-16")[:-1], WORDS[:-1].encode() + "\ufffd".encode()),
        ("UTF-8 with a mark", b"\xef\xbb\xbf" + WORDS.encode(), WORDS.encode()),
        ("a mark and nothing else", b"\xef\xbb\xbf", b""),
        ("UTF-16 with a lone surrogate", b"\xff\xfe\x00\xd8a\0\n\0", "\ufffda\n".encode()),
        ("a mark further on is text", b"a\xef\xbb\xbf\n", b"a\xef\xbb\xbf\n"),
    ],
)
@pytest.mark.parametrize("block_bytes", [1, 7, 1 << 20])
def test_encodings_become_utf8(story: str, data: bytes, expected: bytes, block_bytes: int, tmp_path: Path) -> None:
    blocks, skipped, _ = everything(saved(tmp_path, data, block_bytes=block_bytes))
    check_blocks(blocks, expected)
    assert not skipped, story


def test_a_compressed_powershell_log_is_both_expanded_and_read(tmp_path: Path) -> None:
    blocks, _, _ = everything(saved(tmp_path, gzip.compress(WORDS.encode("utf-16"))))
    assert joined(blocks) == WORDS.encode()


# --- archives --------------------------------------------------------------------------


@pytest.mark.parametrize("block_bytes", [1000, 1 << 20])
@pytest.mark.parametrize("kind", COMPRESS)
def test_an_archive_is_known_by_its_content(kind: str, block_bytes: int, tmp_path: Path) -> None:
    source = saved(tmp_path, COMPRESS[kind](LINES), name="rank0.log", block_bytes=block_bytes)
    blocks, skipped, _ = everything(source)
    check_blocks(blocks, LINES)
    assert not skipped


@pytest.mark.parametrize("kind", COMPRESS)
def test_an_archive_of_nothing_but_nuls_comes_out_in_small_pieces(kind: str) -> None:
    data = COMPRESS[kind](bytes(32 << 20))
    codec = codec_of(data)
    assert codec is not None
    pieces = [len(piece) for piece in expanded(iter([data]), codec, [])]
    assert sum(pieces) == 32 << 20
    assert max(pieces) <= 8 << 20


@pytest.mark.parametrize("kind", COMPRESS)
def test_members_follow_one_another(kind: str, tmp_path: Path) -> None:
    compress = COMPRESS[kind]
    padding = b"" if kind == "zstd" else bytes(512)
    data = compress(LINES) + compress(b"") + compress(b"no newline, ") + compress(b"then more\n") + padding
    blocks, skipped, _ = everything(saved(tmp_path, data))
    assert joined(blocks) == LINES + b"no newline, then more\n"
    assert not skipped


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_cut_archive_gives_what_it_holds(kind: str, tmp_path: Path) -> None:
    data = COMPRESS[kind](LINES + os.urandom(1 << 20))
    blocks, skipped, _ = everything(saved(tmp_path, data[: len(data) - 1000]))
    whole = joined(blocks)
    assert whole.startswith(LINES) if kind != "bzip2" else LINES.startswith(whole[: len(LINES)])
    assert skipped == [Skipped("rank0.log", len(whole), None, f"the {kind} archive is cut off")]


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_archive_gives_what_comes_before_the_damage(kind: str, tmp_path: Path) -> None:
    member = COMPRESS[kind](LINES)
    data = member + member[: len(member) // 2] + bytes(50) + b"\xff" * 200 + member[len(member) // 2 :]
    blocks, skipped, _ = everything(saved(tmp_path, data))
    assert joined(blocks).startswith(LINES)
    assert [item.reason.startswith(f"the {kind} archive is damaged (") for item in skipped] == [True]
    assert skipped[0].offset == len(joined(blocks))


def test_nothing_before_a_fault_in_gzip_is_lost(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(LINES))
    data[-8] ^= 0xFF  # the checksum: the text itself is whole
    blocks, skipped, _ = everything(saved(tmp_path, bytes(data)))
    assert joined(blocks) == LINES
    assert "incorrect data check" in skipped[0].reason


@pytest.mark.parametrize("kind", COMPRESS)
def test_something_else_after_an_archive_is_told(kind: str, tmp_path: Path) -> None:
    blocks, skipped, _ = everything(
        saved(tmp_path, COMPRESS[kind](LINES) + b"Not part of the archive, but long enough\n")
    )
    assert joined(blocks) == LINES
    assert len(skipped) == 1


@given(cut=st.integers(0, 400), kind=st.sampled_from(sorted(COMPRESS)))
def test_an_archive_cut_anywhere_never_raises(cut: int, kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = bytes(range(32, 256))
    data = COMPRESS[kind](text)[: cut + 10]
    blocks, skipped, _ = everything(saved(tmp_path_factory.mktemp("cut"), data))
    assert text.startswith(joined(blocks))
    assert bool(skipped) == (cut + 10 < len(COMPRESS[kind](text)))


def test_a_plain_file_called_gz_is_plain(tmp_path: Path) -> None:
    blocks, skipped, _ = everything(saved(tmp_path, LINES, name="rank0.log.gz"))
    assert joined(blocks) == LINES
    assert not skipped


@pytest.mark.parametrize("kind", ["bzip2", "xz", "zstd"])
def test_what_this_python_cannot_expand_is_noted(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(tmp_path, COMPRESS[kind](LINES))
    for library in ("bz2", "lzma", "zstandard", "compression.zstd"):
        monkeypatch.setitem(sys.modules, library, None)
    blocks, (note,), _ = everything(source)
    assert not blocks
    assert note.reason.startswith(f"the {kind} archive cannot be expanded here (")


# --- pipes -----------------------------------------------------------------------------


def fed_pipe(data: bytes) -> int:
    """The reading end of a pipe into which another thread writes in uneven pieces."""
    reading, writing = os.pipe()

    def write() -> None:
        with FileIO(writing, "wb") as file:
            file.writelines(data[start : start + 777] for start in range(0, len(data), 777))

    threading.Thread(target=write, daemon=True).start()
    return reading


@pytest.mark.parametrize("wrap", [bytes, gzip.compress, COMPRESS["zstd"]])
def test_standard_input_is_read_to_its_end(wrap: Callable[[bytes], bytes]) -> None:
    descriptor = fed_pipe(wrap(LINES))
    blocks, skipped, end = everything(StdinSource(block_bytes=5000, descriptor=descriptor))
    check_blocks(blocks, LINES)
    assert (skipped, end, blocks[0].source) == ([], End(), "<stdin>")
    os.close(descriptor)


def test_closed_standard_input_is_a_sentence() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    with pytest.raises(SourceError, match="standard input is closed"):
        StdinSource(descriptor=reading).read(until=None)


def test_a_named_pipe_is_read_like_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(LINES,), daemon=True).start()
    (source,) = discover([str(path)]).sources
    blocks, _, end = everything(source)
    assert joined(blocks) == LINES
    assert end == End()


# --- names -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "train.log", "rank0.LOG", "log.txt", "stdout", "stderr", "stdout.log", "nohup.out", "train.log.1",
        "job.log.2.gz", "app.log-20250607", "worker-4f2a-01000000-3119.out", "worker-4f2a.err", "slurm-88123.out",
        "slurm-8_4.out", "raylet.out.3", "job.o12345", "job.e12345-7", "rank0.log.zst", "rank0.out.xz", "node3.txt.bz2",
        "log",
    ],
)  # fmt: skip
def test_is_a_log_by_its_name(name: str) -> None:
    assert is_log_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "model.safetensors", "train.py", "config.json", "catalog", "logs.tar.gz", "train.logit", ".hidden.log", "blog",
        "requirements.txt", "requirements-dev.txt", "vocab.txt", "merges.txt", "layout", "weights.gz", "lib.so.1",
        "log.py",
    ],
)  # fmt: skip
def test_is_no_log_by_its_name(name: str) -> None:
    assert not is_log_name(name)


@pytest.mark.parametrize(
    ("folder", "searched"),
    [("attempt_0", True), ("rank12", True), ("checkpoints", True), ("system-info", True), (".git", False),
     ("checkpoint-500", False), ("global_step_40", False), ("iter_0000100", False), ("torch-2.7.dist-info", False)],
)  # fmt: skip
def test_folders_that_are_searched(folder: str, *, searched: bool) -> None:
    assert holds_logs(folder) is searched


def test_rank2_comes_before_rank10() -> None:
    names = ["rank10.log", "rank2.log", "Rank1.log", "2.log", "node1-rank10.log", "node1-rank9.log"]
    assert sorted(names, key=natural) == [
        "2.log", "node1-rank9.log", "node1-rank10.log", "Rank1.log", "rank2.log", "rank10.log",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([("/runs/a/rank0.log", 1)], ["rank0.log"]),
        ([("/runs/a/rank0.log", 1), ("/runs/b/rank0.log", 1)], ["a/rank0.log", "b/rank0.log"]),
        ([("/runs/a/rank0.log", 1), ("/runs/b/rank1.log", 1)], ["rank0.log", "rank1.log"]),
        ([("/x/a/0/stdout", 2), ("/y/a/0/stdout", 2)], ["x/a/0/stdout", "y/a/0/stdout"]),
        ([("/log", 1), ("/a/log", 1), ("/b/a/log", 1)], ["/log", "/a/log", "b/a/log"]),
    ],
)
def test_names_are_short_and_distinct(paths: list[tuple[str, int]], names: list[str]) -> None:
    assert short_names([(Path(path), at_least) for path, at_least in paths]) == names


# --- discovery -------------------------------------------------------------------------


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job folder as it is found: logs of ranks among everything else."""
    files = {
        "job/rank10.log": b"step 1\n",
        "job/rank2.log": b"",
        "job/attempt_0/1/stderr.log.gz": gzip.compress(b"step 1\n"),
        "job/windows.txt": "step 1\n".encode("utf-16"),
        "job/weights.out": b"\x80\x02}q\0\0",
        "job/packed.log": gzip.compress(bytes(100)),
        "job/config.json": b"{}",
        "job/.cache/pip.log": b"hidden\n",
        "job/checkpoint-10/trainer.log": b"saved\n",
    }
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "job"


def names_in(paths: Sequence[Path | str]) -> list[str]:
    return [source.name for source in discover([str(path) for path in paths]).sources]


JOB_LOGS = ["attempt_0/1/stderr.log.gz", "rank2.log", "rank10.log", "windows.txt"]


def test_a_folder_gives_its_logs_in_natural_order(job: Path) -> None:
    found = discover([str(job)])
    assert [source.name for source in found.sources] == JOB_LOGS
    assert sorted((Path(note.source).name, note.note) for note in found.notes) == [
        ("packed.log", "is not text and was skipped"),
        ("weights.out", "is not text and was skipped"),
    ]


def test_a_named_file_is_read_whatever_it_is(job: Path) -> None:
    assert names_in([job / "config.json", job / "weights.out"]) == ["config.json", "weights.out"]


def test_what_is_not_read_for_its_name_is_told(tmp_path: Path) -> None:
    for name, data in {
        "a.log": b"x\n", "zeta_stderr": b"CUDA out of memory\n", "worker3": b"CUDA out of memory\n", "weights": b"\0\1\2",
        "Makefile": b"all:\n", "empty": b"", "config.json": b"{}", ".hidden": b"x\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
    found = discover([str(tmp_path)])
    assert [source.name for source in found.sources] == ["a.log", "zeta_stderr"]
    (note,) = found.notes
    assert (note.note, note.unread) == (
        "not read, as the names are not those of logs: worker3; name them to read them",
        False,
    )
    for number in range(200):
        (tmp_path / f"job{number}").write_bytes(b"x\n")
    assert "job0, job1, job2, job3, job4 and 9" in discover([str(tmp_path)]).notes[0].note


def test_each_file_is_read_once(job: Path) -> None:
    (job / "again.log").symlink_to("rank10.log")
    (job / "hard.log").hardlink_to(job / "rank2.log")
    names = names_in([job / "rank10.log", job, job / "attempt_0", job / "rank10.log", "-", "-"])
    assert names == ["rank10.log", "attempt_0/1/stderr.log.gz", "hard.log", "windows.txt", "<stdin>"]


def test_a_folder_inside_one_that_was_read_is_no_mistake(job: Path) -> None:
    assert names_in([job / "attempt_0", job / "attempt_0" / "1"]) == ["1/stderr.log.gz"]


def test_links_in_a_circle_end(job: Path) -> None:
    (job / "attempt_0" / "up").symlink_to(job, target_is_directory=True)
    (job / "latest").symlink_to("attempt_0", target_is_directory=True)
    assert names_in([job]) == JOB_LOGS


def test_a_log_that_cannot_be_read_is_a_note(job: Path) -> None:
    (job / "rank3.log").symlink_to("gone")
    (job / "rank4.log").symlink_to("rank4.log")
    notes = {Path(note.source).name: note.note for note in discover([str(job)]).notes}
    assert notes["rank3.log"] == "no such file or directory"
    assert "symbolic links" in notes["rank4.log"]


def test_a_log_without_permission_is_a_note(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Guarded(FileIO):
        def __init__(self, path: Path) -> None:
            if path.name == "rank2.log":
                raise PermissionError(13, "Permission denied")
            super().__init__(path)

    monkeypatch.setattr("logrules.sources.file.FileIO", Guarded)
    found = discover([str(job)])
    assert "rank2.log" not in [source.name for source in found.sources]
    assert ("rank2.log", "cannot be read (permission denied)") in [(Path(n.source).name, n.note) for n in found.notes]
    with pytest.raises(SourceError, match=r"rank2\.log: cannot be read \(permission denied\)"):
        discover([str(job / "rank2.log")])


@pytest.mark.parametrize(
    ("names", "total_bytes"),
    [
        (["rank10.log"], 7),
        (["rank10.log", "rank2.log", "config.json"], 9),
        (["rank2.log"], 0),
        (["rank10.log", "attempt_0"], None),
        (["rank10.log", "-"], None),
    ],
)
def test_the_size_is_told_where_it_is_known(names: list[str], total_bytes: int | None, job: Path) -> None:
    paths = [name if name == "-" else str(job / name) for name in names]
    assert discover(paths).total_bytes == total_bytes


def test_a_pattern_that_no_shell_expanded(job: Path) -> None:
    assert names_in([str(job / "rank*.log")]) == ["rank2.log", "rank10.log"]


def test_a_pipe_inside_a_folder_is_left_alone(job: Path) -> None:
    os.mkfifo(job / "pipe.log")
    assert stat.S_ISFIFO((job / "pipe.log").stat().st_mode)
    assert names_in([job]) == JOB_LOGS


@pytest.mark.parametrize(
    ("story", "make", "message"),
    [
        ("missing", lambda _: None, r"given: no such file or directory$"),
        ("a pattern that matches nothing", lambda path: path.mkdir(), r"given/\*\.log: no such file or directory$"),
        ("an empty folder", lambda path: path.mkdir(), r"given: no log in this folder \(looked for names such as"),
        ("a device", lambda path: path.symlink_to(os.devnull), r"given: is a device, not a log$"),
        ("a folder of other things", lambda path: (path.mkdir(), (path / "a.py").touch()), r"given: no log in this"),
        (
            "a folder with nothing but binary files",
            lambda path: (path.mkdir(), (path / "a.log").write_bytes(b"\0")),
            r"given: no log in this folder \(.*a\.log is not text and was skipped\)$",
        ),
    ],
)
def test_unusable_input_is_a_sentence(story: str, make: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    given_path = tmp_path / "given"
    make(given_path)
    with pytest.raises(SourceError, match=message) as caught:
        discover([str(given_path / "*.log" if story.startswith("a pattern") else given_path)])
    assert "\n" not in str(caught.value)


def test_no_path_at_all_is_a_sentence() -> None:
    with pytest.raises(SourceError, match="no log given"):
        discover([])


def test_standard_input_is_dated_as_the_file_that_it_is_read_from(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("Jan  5 10:00:05 node1 trainer: step 1\n")
    os.utime(path, (0, 1_772_323_200))
    with path.open("rb") as file:
        assert StdinSource(descriptor=file.fileno()).modified == FileSource(path).modified == 1_772_323_200


def test_of_a_pipe_times_without_a_year_are_of_now() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb"):
        assert StdinSource(descriptor=reading).modified > 1_700_000_000


def test_a_file_of_nothing_but_nuls_is_no_log(tmp_path: Path) -> None:
    blocks, skipped, _ = everything(saved(tmp_path, bytes(3_000_000)))
    assert blocks == []
    assert [one.reason for one in skipped] == ["contains only NUL bytes"]


def test_a_log_that_begins_with_a_hole_keeps_its_offsets(tmp_path: Path) -> None:
    data = bytes(3_000_000) + b"step 1\n" + bytes(100) + b"step 2\n"
    blocks, skipped, _ = everything(saved(tmp_path, data))
    assert joined(blocks) == data
    assert skipped == []


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
@pytest.mark.parametrize("name", ["output", "other.log"])
def test_a_file_that_opens_and_cannot_be_read_spoils_no_other(name, tmp_path):
    (tmp_path / "a.log").write_text("step 1\n")
    (tmp_path / name).symlink_to("/proc/self/mem")
    found = discover([str(tmp_path)])
    assert "a.log" in [source.name for source in found.sources]
    (named,) = discover([str(tmp_path / name)]).sources
    assert isinstance(named.read(None), Skipped)


def test_a_source_that_was_read_leaves_nothing_for_the_garbage_collector(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"a line\n" * 100)
    gc.collect()
    gc.disable()
    try:
        source = FileSource(path)
        while not isinstance(source.read(None), End):
            pass
        gone = weakref.ref(source)
        del source
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_patterns_find_what_the_standard_library_finds_and_end_where_links_lead_back(tmp_path, monkeypatch):
    import glob

    from logrules.sources.file_patterns import matches

    for name in ("a.log", "rank2.log", "rank10.log", ".hidden.log", "x/b.log", "x/y/c.log", "x/.z/d.log", "w/b.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    for pattern in (
        "*.log",
        "rank*.log",
        "**/*.log",
        "x/**",
        "**/c.log",
        "*/b.log",
        ".*.log",
        "[ax]*",
        "none*",
        "x/../a*",
    ):
        found = {os.path.normpath(path) for path in glob.glob(pattern, recursive=True)}  # noqa: PTH207
        assert {os.path.normpath(path) for path in matches(pattern)} == found, pattern
    assert matches("rank*.log") == ["rank2.log", "rank10.log"]
    for name in ("one", "two", "three", "x/four"):
        (tmp_path / name).symlink_to(tmp_path)
    assert len(matches("**/*.log")) < 20
    assert len(matches("/".join("*" * 30))) < 200
