"""Events packed on their way between processes, and kept on disk until their time comes.

What is unpacked was packed by our own workers a moment ago and lay in a folder that nobody else can read.
"""

import pickle
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from logrules.model.event import Event

# A thousand sources are merged at once: each holds one chunk of its events.
CHUNK_EVENTS = 32
_LENGTH = struct.Struct("<Q")


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
