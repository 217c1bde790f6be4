"""Events as bytes, from one process to another or to disk and back.

Only what our own processes just packed, in a folder that nobody else can access, is unpacked.
"""

import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

# A thousand files are merged at once: each holds one chunk of its events.
CHUNK_EVENTS = 32


def packed(items: Iterable[object]) -> bytes:
    """Events, or what has them, in chunks, one behind the other."""
    source = iter(items)
    chunks = iter(lambda: list(islice(source, CHUNK_EVENTS)), [])
    return b"".join(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL) for chunk in chunks)


def unpacked(path: Path, start: int = 0, end: int | None = None) -> Iterator[Any]:
    """What a file, or a part of it, was packed with, a chunk at a time.

    It is open only while one is read: there may be thousands.
    """
    offset, end = start, path.stat().st_size if end is None else end
    while offset < end:
        with path.open("rb") as file:
            file.seek(offset)
            chunk = pickle.load(file)  # noqa: S301 (our own file, see above)
            offset = file.tell()
        yield from chunk
