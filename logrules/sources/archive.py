"""Compressed logs, known by their first bytes, expanded as far as they can be.

Names prove nothing (a rotated log may be called ``.gz`` before it is compressed),
and the log of a dead job is often an archive cut short by a full disk.
So an archive never raises: what could be expanded is passed on, and the fault is noted.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from logrules.model.record import record

if TYPE_CHECKING:
    import zstandard

# A fault costs what the failing call had expanded, so calls are kept short where the
# library cannot give that back.
_STEP_BYTES = 8 << 10
_GZIP_STEP_BYTES = 64 << 10
# zstandard expands all that it is given at once; four bytes can become 128 KiB, so these 8 MiB.
_ZSTD_FEED_BYTES = 1 << 8
# `xz -9` needs 65 MiB, and with ours that stays within 150 MB; a header could ask for gigabytes.
_XZ_MEMORY_BYTES = 72 << 20
# Only `zstd --long` and `--ultra -22` have more than 8 MiB before what they refer back to: 128 MiB, which is refused.
_ZSTD_WINDOW_LOG = 26
_OF_MEMORY = re.compile(r"(?i)memory")

MAGIC_BYTES = 10


class _Decoder(Protocol):
    """One member of an archive being expanded, as the decompressors of the standard library do it."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


@record
class Codec:
    """A compression format: its magic number and how to start a member of it."""

    name: str
    magic: re.Pattern[bytes]
    start: Callable[[], _Decoder]
    step_bytes: int = _STEP_BYTES


class _Gzip:
    """zlib with the common interface; on a fault it returns all that was expanded before it."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._full = False
        self._fault: zlib.error | None = None

    @property
    def eof(self) -> bool:
        return self._stream.eof and self._fault is None

    @property
    def needs_input(self) -> bool:
        return not (self._full or self._stream.unconsumed_tail or self._fault)

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._fault:
            raise self._fault
        data = self._stream.unconsumed_tail + data
        before = self._stream.copy()
        try:
            out = self._stream.decompress(data, max_length)
        except zlib.error as fault:
            self._fault = fault
            return b"".join(_byte_by_byte(before, data))
        self._full = len(out) == max_length
        return out


def _byte_by_byte(stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    for place in range(len(data)):
        try:
            yield stream.decompress(data[place : place + 1])
        except zlib.error:
            return


class _Zstandard:
    """The zstandard package with the common interface."""

    def __init__(self, stream: "zstandard.ZstdDecompressionObj") -> None:
        self._stream = stream
        self._pending = b""

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._pending

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._pending

    def decompress(self, data: bytes, max_length: int) -> bytes:  # noqa: ARG002 (the package has no such limit)
        data = self._pending + data
        self._pending = data[_ZSTD_FEED_BYTES:]
        return self._stream.decompress(data[:_ZSTD_FEED_BYTES])


def _start_bzip2() -> _Decoder:
    from bz2 import BZ2Decompressor

    return BZ2Decompressor()


def _start_xz() -> _Decoder:
    from lzma import FORMAT_XZ, LZMADecompressor

    return LZMADecompressor(FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)


def _start_zstd() -> _Decoder:
    if sys.version_info >= (3, 14):
        from compression.zstd import DecompressionParameter, ZstdDecompressor

        decoder: _Decoder = ZstdDecompressor(options={DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})
        return decoder
    import zstandard

    return _Zstandard(zstandard.ZstdDecompressor(max_window_size=1 << _ZSTD_WINDOW_LOG).decompressobj())


_CODECS = (
    Codec("gzip", re.compile(rb"\x1f\x8b\x08"), _Gzip, _GZIP_STEP_BYTES),
    Codec("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), _start_bzip2),
    Codec("xz", re.compile(rb"\xfd7zXZ\x00"), _start_xz),
    # The second form is a skippable frame, with which pzstd begins.
    Codec("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _start_zstd),
)


def codec_of(head: bytes) -> Codec | None:
    """The compression format whose files begin with ``head`` (`MAGIC_BYTES` or more), if any."""
    return next((codec for codec in _CODECS if codec.magic.match(head)), None)


def expanded(chunks: Iterator[bytes], codec: Codec, faults: list[str]) -> Iterator[bytes]:
    """All that can be expanded, member after member; a fault ends it and is added to ``faults``."""
    try:
        decoder = codec.start()
    except ImportError as fault:  # Python was built without its library
        faults.append(f"the {codec.name} archive cannot be expanded here ({fault}); expand it first")
        return
    while True:
        data = b""
        if decoder.eof:
            data = _after_padding(decoder.unused_data, chunks)
            if not data:
                return
            decoder = codec.start()
        elif decoder.needs_input and not (data := next(chunks, b"")):
            faults.append(f"the {codec.name} archive is cut off")
            return
        try:
            out = decoder.decompress(data, codec.step_bytes)
        except Exception as fault:  # noqa: BLE001 (each library has its own class; the optional ones cannot be named)
            needs_memory = _OF_MEMORY.search(str(fault)) is not None
            what = "needs too much memory; expand it first" if needs_memory else "is damaged"
            faults.append(f"the {codec.name} archive {what} ({fault})")
            return
        if out:
            yield out


def _after_padding(data: bytes, chunks: Iterator[bytes]) -> bytes:
    """The next bytes that are not NUL: archives are padded with NULs, and no member begins with one."""
    bare = (chunk.lstrip(b"\0") for chunk in chain((data,), chunks))
    return next(filter(None, bare), b"")
