"""Several logs as one, by time: up to so many are read side by side, more of them one after the other.

A log that is open costs its reader and what it has read so far; an array job may have 20,000 logs of a line each.
Events of many logs are therefore sorted and put on disk in runs, as they come, and the few runs are merged. Only what
our own processes just packed, in a folder that nobody else can access, is unpacked.
"""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from logrules.model.event import Event

# So many logs are read side by side where each is read from its file.
OPEN_LOGS = 256
# What a run holds in memory while it is sorted: some 3 MB.
RUN_EVENTS, RUN_CHARS = 2_048, 1 << 20

# When an event took place, the number of its log, and the event.
_Dated: TypeAlias = tuple[float, int, Event]
_ORDER = itemgetter(0, 1)


def merged(logs: Iterable[Iterator[Event]], count: int, most_open: int | None = None) -> Iterator[Event]:
    """The events of ``count`` logs by time; a line without a time goes with the line before it.

    More logs than ``most_open`` are read one after the other, to the end of all before the first event is given.
    """
    if count == 1:
        return next(iter(logs))
    timed = (_timed(log, number) for number, log in enumerate(logs))
    in_order = heapq.merge(*timed, key=_ORDER) if most_open is None or count <= most_open else _by_runs(timed)
    return (event for _, _, event in in_order)


def _timed(log: Iterable[Event], number: int) -> Iterator[_Dated]:
    latest = float("-inf")
    for event in log:
        if event.stamp is not None:
            latest = max(latest, event.stamp.seconds)
        yield latest, number, event


def _by_runs(logs: Iterable[Iterator[_Dated]]) -> Iterator[_Dated]:
    """The same order by way of sorted runs, each in a file."""
    with ExitStack() as until_read:
        runs: list[Iterator[_Dated]] = []
        for run in _runs(logs):
            # What stands in two runs at one time is of one log, and stays in its order: earlier runs come first.
            run.sort(key=_ORDER)
            runs.append(_put_aside(run, until_read))
        yield from heapq.merge(*runs, key=_ORDER)


def _runs(logs: Iterable[Iterator[_Dated]]) -> Iterator[list[_Dated]]:
    run: list[_Dated] = []
    chars = 0
    for log in logs:
        for one in log:
            run.append(one)
            chars += len(one[2].text)
            if len(run) >= RUN_EVENTS or chars >= RUN_CHARS:
                yield run
                run, chars = [], 0
    yield run


def _put_aside(run: list[_Dated], until_read: ExitStack) -> Iterator[_Dated]:
    """The run from a file of its own; from memory where no file can be written."""
    # Few jobs have so many logs: the start of all others need not pay for it.
    from tempfile import TemporaryDirectory

    try:
        folder = until_read.enter_context(TemporaryDirectory(prefix="logrules-"))
        path = Path(folder) / "run.events"
        path.write_bytes(packed(run))
    except OSError:
        return iter(run)
    return unpacked(path)


# A thousand files are merged at once: each holds one chunk of its events.
CHUNK_EVENTS = 32


def packed(items: Iterable[object]) -> bytes:
    """Events, or what has them, in chunks, one behind the other."""
    import pickle

    source = iter(items)
    chunks = iter(lambda: list(islice(source, CHUNK_EVENTS)), [])
    return b"".join(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL) for chunk in chunks)


def unpacked(path: Path, start: int = 0, end: int | None = None) -> Iterator[Any]:
    """What a file, or a part of it, was packed with, a chunk at a time.

    It is open only while one is read: there may be thousands.
    """
    import pickle

    offset, end = start, path.stat().st_size if end is None else end
    while offset < end:
        with path.open("rb") as file:
            file.seek(offset)
            chunk = pickle.load(file)  # noqa: S301 (our own file, see above)
            offset = file.tell()
        yield from chunk
