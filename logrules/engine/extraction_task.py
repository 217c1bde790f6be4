"""What a worker is asked to read, and what it answers."""

from dataclasses import dataclass

from logrules.engine.extraction import Extraction, Scanners, Tally
from logrules.engine.scan_pool import ScanPool
from logrules.engine.spool import packed
from logrules.model.errors import SourceError
from logrules.sources.source import Source


@dataclass(frozen=True, slots=True)
class Task:
    """A source to be read in windows of ``window`` bytes; ``number`` is its place in the job."""

    number: int
    source: Source
    window: int


@dataclass(frozen=True, slots=True)
class Read:
    """What a source came to: its lines and bytes, what its reader had to say, and its events, packed by `spill`."""

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
