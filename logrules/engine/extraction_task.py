"""What a worker is asked to read, and what it answers: events packed, and kept on disk until their time comes.

What is unpacked was packed by our own workers a moment ago and lay in a folder that nobody else can read.
"""

import pickle
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from logrules.engine.extraction import Extraction, Scanners, Tally
from logrules.engine.scan_pool import ScanPool
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.sources.source import Source

# A thousand sources are merged at once: each holds one chunk of its events.
CHUNK_EVENTS = 32
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Task:
    """A source to be read in windows of ``window`` bytes; ``number`` is its place in the job."""

    number: int
    source: Source
    window: int


@dataclass(frozen=True, slots=True)
class Read:
    """What a source came to: its lines and bytes, what its reader had to say, and its events, packed by `packed`."""

    number: int
    lines: int
    size: int
    notes: tuple[tuple[str, str], ...]
    events: bytes


@dataclass(frozen=True, slots=True)
class ReadFailed:
    """A source that could not be read, and why."""

    number: int
    reason: str


def read(task: Task, scanners: Scanners) -> Read | ReadFailed:
    """Read the source of a task to its end; one that cannot be read is lost, with the reason."""
    notes: list[tuple[str, str]] = []
    tally = Tally()
    with ScanPool(1) as pool:
        how = Extraction(scanners, pool, lambda source, text: notes.append((source, text)), tally, task.window)
        try:
            events = packed(how.events(task.source))
        except SourceError as fault:
            return ReadFailed(task.number, str(fault))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)


def packed(events: Iterable[Event]) -> bytes:
    """The events in chunks, each behind its length."""
    source = iter(events)
    chunks = []
    while chunk := list(islice(source, CHUNK_EVENTS)):
        body = pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL)
        chunks += [_LENGTH.pack(len(body)), body]
    return b"".join(chunks)


def unpacked(path: Path) -> Iterator[Event]:
    """The events in a file, a chunk at a time. The file is open only while a chunk is read: there may be thousands."""
    offset = 0
    while chunk := _chunk(path, offset):
        offset += _LENGTH.size + len(chunk)
        yield from pickle.loads(chunk)  # noqa: S301 (our own file, see above)


def _chunk(path: Path, offset: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        head = file.read(_LENGTH.size)
        return file.read(_LENGTH.unpack(head)[0]) if head else b""
