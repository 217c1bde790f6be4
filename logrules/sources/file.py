"""A saved log: a file, plain or compressed, or a pipe that is read to its end, such as standard input."""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from io import FileIO, TextIOBase
from itertools import chain
from pathlib import Path
from typing import Protocol

from logrules.model.errors import SourceError, reason_of
from logrules.model.stream import MAX_LINE_BYTES, Block, Skipped
from logrules.sources.archive import MAGIC_BYTES, codec_of, expanded
from logrules.sources.chunking import begun, behind_hole, resized, whole_lines
from logrules.sources.copied_text import as_written, form_of
from logrules.sources.decoding import SNIFFED_BYTES, as_utf8, encoding_of, no_text
from logrules.sources.source import BLOCK_BYTES, STDIN_NAME, SavedSource
from logrules.sources.wall_clock import now

_ARCHIVE_READ_BYTES = 64 << 10
_KEPT_BYTES = 16 << 20
# How long to wait for a program to open a named pipe for writing.
PIPE_PATIENCE_S = 10.0


class Readable(Protocol):
    """An open byte stream."""

    def read(self, size: int, /) -> bytes | None:
        """Up to so many bytes; none at the end."""
        ...


class FileSource(SavedSource):
    """A saved log by its path; opened at the first read, closed at the end."""

    def __init__(self, path: str | os.PathLike[str], name: str | None = None, block_bytes: int = BLOCK_BYTES) -> None:
        self.path = Path(path)
        # A file name need not be valid UTF-8, a report must be.
        shown = (name or self.path.name).encode(errors="backslashreplace").decode()
        super().__init__(shown, saved_items(shown, partial(opened, self.path), block_bytes))
        self._block_bytes = block_bytes

    def __reduce__(self) -> tuple[type["FileSource"], tuple[Path, str, int]]:
        """Pickled by absolute path: another process, maybe in another folder, reads it from its beginning."""
        return FileSource, (self.path.absolute(), self.name, self._block_bytes)

    @property
    def modified(self) -> float | None:
        """When the file was last written, in seconds since the epoch: used to date timestamps without a year."""
        try:
            return self.path.stat().st_mtime
        except OSError:
            return None

    def ends(self, size: int) -> Iterator[bytes]:
        """The first lines and, unless it is compressed, the last: up to ``size`` bytes each. Nothing for a pipe.

        The read position is kept.
        """
        if not self.path.is_file():
            return
        with opened(self.path) as file:
            length = os.fstat(file.fileno()).st_size if _is_plain(file) else 0
            head = next(_lines_of(file, size, []), b"")
            form = form_of(head)
            yield b"".join(form.blocks(iter([head])))
            if length > size:
                # What cannot be read is told by whoever reads all of it.
                with contextlib.suppress(OSError):
                    tail = os.pread(file.fileno(), size, length - size).partition(b"\n")[2]
                    yield b"".join(form.blocks(iter([tail])))


def opened(path: Path) -> FileIO:
    """The file for unbuffered reading.

    Raises SourceError if it cannot be opened, or is a named pipe without a writer.
    """
    try:
        return _opened_pipe(path) if path.is_fifo() else FileIO(path)
    except OSError as fault:
        raise SourceError(f"{path}: cannot be read ({reason_of(fault)})") from fault


def _opened_pipe(path: Path) -> FileIO:
    """A named pipe, once a program has it open for writing: the system itself would wait for that forever."""
    from threading import Thread

    found: list[FileIO | OSError] = []

    def open_it() -> None:
        try:
            found.append(FileIO(path))
        except OSError as fault:
            found.append(fault)

    waiting = Thread(target=open_it, daemon=True)
    waiting.start()
    try:
        waiting.join(PIPE_PATIENCE_S)
    finally:
        came = not waiting.is_alive()
        if not came:
            # Opening it for writing ourselves ends the wait of the thread that opens it for reading.
            with contextlib.suppress(OSError):  # a writer came just now, and left
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            waiting.join()
    file = found[0]
    if isinstance(file, OSError):
        raise file
    if not came:
        file.close()
        raise SourceError(f"{path}: is a named pipe that no program opened for writing within {PIPE_PATIENCE_S:.0f} s")
    return file


def saved_items(name: str, open_file: Callable[[], FileIO], block_bytes: int) -> Iterator[Block | Skipped]:
    """Everything that a saved source yields, from the opening of the file to its closing."""
    faults: list[str] = []
    _keep_freed_blocks()
    with open_file() as file:
        yield from _log_items(name, _lines_of(file, min(block_bytes, MAX_LINE_BYTES), faults), faults)


def stream_items(name: str, file: Readable, block_bytes: int) -> Iterator[Block | Skipped]:
    """Everything that an open byte stream yields, plain or compressed, as it comes."""
    faults: list[str] = []
    pieces = text_of(file, min(block_bytes, MAX_LINE_BYTES), faults)
    yield from _log_items(name, whole_lines(pieces, MAX_LINE_BYTES), faults)


def _log_items(name: str, lines: Iterator[bytes], faults: list[str]) -> Iterator[Block | Skipped]:
    """Blocks of whole lines of a log, unless it is not text; at the end the first of the ``faults``, if any."""
    offset = 0
    for data in as_written(_text_only(lines, faults)):
        yield Block(name, offset, data)
        offset += len(data)
    if faults:
        yield Skipped(name, offset, None, faults[0])


@cache
def _keep_freed_blocks() -> None:
    """Have the allocator keep blocks of the size of a read.

    glibc returns a freed block to the system and requests a new one for the next read, which made reading five times
    slower. Once something larger was freed, it keeps smaller blocks. Done only once: the next time, these bytes would
    come from what it kept, and be cleared one by one.
    """
    bytes(_KEPT_BYTES)


def _text_only(blocks: Iterator[bytes], faults: list[str]) -> Iterator[bytes]:
    """The same blocks, or none and a fault if the first bytes, however they are cut, are not text."""
    head, blocks = begun(blocks, SNIFFED_BYTES)
    if kind := no_text(head[:SNIFFED_BYTES]):
        faults.append(kind)
        return
    yield from _more_than_nuls(blocks, faults)


def _more_than_nuls(blocks: Iterator[bytes], faults: list[str]) -> Iterator[bytes]:
    """The same blocks, or none and a fault if all bytes are NUL: a hole that a program left, or never filled.

    A log that was truncated under its writer begins with such a hole, of which only the size is kept until text comes.
    """
    sizes: list[int] = []
    for data in blocks:
        if data.strip(b"\0"):
            yield from map(bytes, sizes)
            yield data
            yield from blocks
            return
        sizes.append(len(data))
    if sizes:
        faults.append("contains only NUL bytes")


def _lines_of(file: FileIO, block_bytes: int, faults: list[str]) -> Iterator[bytes]:
    """Blocks of whole lines of an open file, as UTF-8."""
    if _is_plain(file):
        pieces = _past_holes(file, _reads(file, block_bytes, faults))
    else:
        pieces = text_of(file, block_bytes, faults)
    return whole_lines(pieces, MAX_LINE_BYTES)


def _past_holes(file: FileIO, reads: Iterator[bytes]) -> Iterator[bytes]:
    """The same reads of a plain file, but for the holes in it."""
    for data in reads:
        yield data
        at = file.tell()
        if (behind := behind_hole(file.fileno(), at, data)) > at:
            file.seek(behind)


def _is_plain(file: FileIO) -> bool:
    """Whether the bytes of the file are the text of the log and can be read at any position."""
    if not hasattr(os, "pread") or not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or file.tell():
        return False
    try:
        head = os.pread(file.fileno(), SNIFFED_BYTES, 0)
    except OSError:
        return False
    return codec_of(head) is None and encoding_of(head) is None


def text_of(file: Readable, piece_bytes: int, faults: list[str]) -> Iterator[bytes]:
    """The text of an open file as UTF-8, in pieces of ``piece_bytes``; a fault ends it and is added to ``faults``."""
    head, _ = begun(_reads(file, MAGIC_BYTES, faults), MAGIC_BYTES)
    codec = codec_of(head)
    pieces = chain((head,), _reads(file, piece_bytes if codec is None else _ARCHIVE_READ_BYTES, faults))
    return resized(as_utf8(pieces if codec is None else expanded(pieces, codec, faults)), piece_bytes)


def _reads(file: Readable, at_once: int, faults: list[str]) -> Iterator[bytes]:
    """Reads of up to ``at_once`` bytes, to the end of the file."""
    try:
        while data := file.read(at_once):
            yield data
        if data is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    except OSError as fault:
        faults.append(f"reading failed ({reason_of(fault)})")


class StdinSource(SavedSource):
    """The pipe or file on ``descriptor``, plain or compressed; the descriptor stays open."""

    def __init__(self, block_bytes: int = BLOCK_BYTES, descriptor: int = 0) -> None:
        super().__init__(STDIN_NAME, saved_items(STDIN_NAME, lambda: _opened(descriptor), block_bytes))
        self._descriptor = descriptor

    @property
    def modified(self) -> float:
        """When the file behind it was last written; for a pipe, now: used to date timestamps without a year."""
        try:
            status = os.fstat(self._descriptor)
        except OSError:
            return now()
        return status.st_mtime if stat.S_ISREG(status.st_mode) else now()


def open_logs(files: Iterable[Readable]) -> list[SavedSource]:
    """A source for each open file, plain or compressed, numbered from the second on; the files stay open.

    Raises SourceError where one gives no bytes.
    """
    found: list[SavedSource] = []
    for number, file in enumerate(files, 1):
        name = "<log>" if number == 1 else f"<log {number}>"
        if fault := _no_bytes(file):
            raise SourceError(f"{name}: {fault}")
        found.append(SavedSource(name, stream_items(name, file, BLOCK_BYTES)))
    return found


def _no_bytes(file: object) -> str | None:
    """Why what was given as an open file cannot be read as bytes, if so."""
    if not hasattr(file, "read"):
        return f"a {type(file).__name__} is neither a path nor an open file; several logs are given as diagnose(*logs)"
    try:
        # Files of tempfile and codecs are of no class that says so.
        is_text = isinstance(file, TextIOBase) or isinstance(file.read(0), str)
    except (OSError, ValueError):
        return "it is closed, or not open for reading"
    return "it is open for text; open it in binary mode, or give io.BytesIO" if is_text else None


def _opened(descriptor: int) -> FileIO:
    try:
        return FileIO(descriptor, closefd=False)
    except OSError:
        raise SourceError("standard input is closed; name a log file or pipe one in") from None
