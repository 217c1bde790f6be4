"""What a worker is asked to read, and what it answers."""

from dataclasses import dataclass

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
