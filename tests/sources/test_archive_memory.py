"""Archives that ask for more memory than a log may take."""

import io
import lzma
import zlib

import pytest

from logrules.model.stream import Skipped
from tests.sources.test_saved_sources import LINES, everything, joined, saved, zstandard


def xz_with_dictionary(code: int) -> bytes:
    """An xz archive whose header asks for a larger dictionary than its lines need."""
    archive = bytearray(lzma.compress(LINES, preset=1))
    end = 12 + (archive[12] + 1) * 4
    archive[16] = code
    archive[end - 4 : end] = zlib.crc32(archive[12 : end - 4]).to_bytes(4, "little")
    return bytes(archive)


def zst_with_window(log: int) -> bytes:
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=log)
    written = io.BytesIO()
    with zstandard.ZstdCompressor(compression_params=parameters).stream_writer(written, closefd=False) as stream:
        stream.write(LINES)
    return written.getvalue()


@pytest.mark.parametrize("archive", [xz_with_dictionary(28), zst_with_window(26)], ids=["xz 64 MiB", "zst 64 MiB"])
def test_what_the_usual_levels_need_is_read(tmp_path, archive):
    blocks, skipped, _ = everything(saved(tmp_path, archive))
    assert joined(blocks) == LINES
    assert skipped == []


@pytest.mark.parametrize("archive", [xz_with_dictionary(29), zst_with_window(27)], ids=["xz 96 MiB", "zst 128 MiB"])
def test_what_needs_more_memory_than_is_promised_is_refused(tmp_path, archive):
    blocks, [skipped], _ = everything(saved(tmp_path, archive))
    assert blocks == []
    assert isinstance(skipped, Skipped)
    assert "archive needs too much memory; expand it first (" in skipped.reason
