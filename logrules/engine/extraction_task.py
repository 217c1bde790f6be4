"""A worker's task and its answer: packed events, kept on disk until they are merged.

Only data that our own workers just packed, in a folder that nobody else can access, is unpacked.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from logrules.engine.extraction import Extraction, Scanners, Tally
from logrules.engine.scan_pool import ScanPool
from logrules.model.errors import SourceError
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source

# A thousand sources are merged at once: each holds one chunk of its events.
CHUNK_EVENTS = 32


@dataclass(frozen=True, slots=True)
class Task:
    """A source to be read in windows of ``window`` bytes; ``number`` is its position in the job."""

    number: int
    source: Source
    window: int


@dataclass(frozen=True, slots=True)
class Read:
    """A source that was read: its lines and bytes, the reader's notes, and its events, packed by `packed`."""

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


def scanners_of(pack: Pack) -> Scanners:
    """What a worker needs to start."""
    return Scanners(pack, cache=True)


def read(scanners: Scanners, task: Task) -> Read | ReadFailed:
    """Read the source of a task to its end; if that fails, the answer is the reason."""
    notes: list[tuple[str, str]] = []
    tally = Tally()
    with ScanPool(1) as pool:
        how = Extraction(scanners, pool, lambda source, text: notes.append((source, text)), tally, task.window)
        try:
            events = packed(how.events(task.source))
        except SourceError as fault:
            return ReadFailed(task.number, str(fault))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)


def packed(items: Iterable[object]) -> bytes:
    """Events, or what has them, in chunks, one behind the other."""
    source = iter(items)
    chunks = iter(lambda: list(islice(source, CHUNK_EVENTS)), [])
    return b"".join(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL) for chunk in chunks)


def unpacked(path: Path) -> Iterator[Any]:
    """What a file was packed with, a chunk at a time. It is open only while one is read: there may be thousands."""
    offset, size = 0, path.stat().st_size
    while offset < size:
        with path.open("rb") as file:
            file.seek(offset)
            chunk = pickle.load(file)  # noqa: S301 (our own file, see above)
            offset = file.tell()
        yield from chunk
