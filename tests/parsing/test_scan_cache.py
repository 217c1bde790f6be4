"""The compiled literals on disk: read back where they are whole, compiled again where they are not."""

import os
import zlib
from pathlib import Path

import pytest

from logrules.parsing.literal_matcher import matcher_of

ENTRIES = [(b"out of memory", 0, False), (b"Killed", 1, False), (b"timed out", 7, False)]
TEXT = b"step 1\nCUDA out of memory\nKilled\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("LOGRULES_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def hits(entries=ENTRIES) -> list[tuple[int, int]]:
    return list(matcher_of(entries, cache=True).find(TEXT))


EXPECTED = [(TEXT.index(b"memory") + 6, 0), (TEXT.index(b"Killed") + 6, 1)]


def test_what_was_kept_finds_the_same(folder):
    assert hits() == EXPECTED
    assert len(list(folder.glob("scan-*"))) == 1
    assert hits() == EXPECTED


def test_other_literals_are_another_database(folder):
    hits()
    assert hits([(b"step", 3, False)]) == [(4, 3)]
    assert len(list(folder.glob("scan-*"))) == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-50],
        lambda _raw: b"",
        lambda raw: raw[:200] + bytes(64) + raw[264:],
        lambda _raw: b"not a database",
    ],
    ids=["torn", "empty", "altered", "foreign"],
)
@pytest.mark.parametrize("with_its_checksum", [False, True])
def test_what_is_not_whole_is_compiled_again(folder, spoil, with_its_checksum):
    hits()
    (path,) = folder.glob("scan-*")
    checksum, _, body = path.read_bytes().partition(b"\n")
    spoilt = spoil(body)
    checksum = b"%08x" % zlib.crc32(spoilt) if with_its_checksum else checksum
    path.write_bytes(checksum + b"\n" + spoilt)
    os.utime(path, (1, 1))
    assert hits() == EXPECTED
    assert path.stat().st_mtime > 1


def test_a_folder_that_cannot_be_written_is_no_fault(folder):
    folder.write_text("a file where the folder should be")
    assert hits() == EXPECTED
