"""What the engine asks of anything that a log comes from."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Protocol

from logrules.model.collective import GroupRecord
from logrules.model.record import replace
from logrules.model.stream import CONTINUED, JOINED, Block, End, Skipped, Tick

STDIN_NAME = "<stdin>"
# Large enough that the cost of a read and of a scan call vanish, small enough that a
# few blocks in flight cost no memory worth counting.
BLOCK_BYTES = 1 << 20


class Source(Protocol):
    """One log. ``name`` is what the report calls it."""

    @property
    def name(self) -> str:
        """The short name that evidence carries."""
        ...

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """The next item, or a `Tick` where ``until`` (seconds since the epoch) passes first or we stood still.

        A block holds whole lines. Two may lack the final newline: the last block of the
        source, and a piece of a line longer than `MAX_LINE_BYTES`. Offsets count the
        bytes handed on so far: after decompression and after a change to UTF-8.

        Saved input never waits, so it ignores ``until`` and yields no `Tick`. After
        `End` every further read gives `End` again.
        """
        ...


class StoppableSource(Source, Protocol):
    """One that may be left before its end."""

    def stop(self) -> None:
        """Read no further."""


class SavedSource:
    """A log that is read to its end and never waits; ``items`` are what it yields."""

    def __init__(self, name: str, items: Iterator[Block | Skipped]) -> None:
        self.name = name
        self._items = items

    def read(self, until: float | None) -> Block | Skipped | End:  # noqa: ARG002 (saved input never waits)
        """The next block, what had to be left out, or the end."""
        return next(self._items, End())


class RecordSource(SavedSource):
    """What a rank's flight recorder held, by process group: no text, and of as many lines as there are calls."""

    def __init__(self, name: str, records: Sequence[GroupRecord]) -> None:
        super().__init__(name, iter(()))
        self.records = tuple(replace(record, source=name) for record in records)
        self.lines = sum(len(record.calls) for record in records)


def blocks_of(source: Source) -> Iterator[bytes]:
    """The bytes of a saved log, whole lines at a time."""
    while not isinstance(item := source.read(None), End):
        if isinstance(item, Block):
            yield item.data


def lines_of(source: Source) -> Iterator[bytes]:
    """The lines of a saved log as they were written, each with its newline; perhaps the last has none.

    Newlines alone end them: a carriage return redraws a line, and Python knows more line ends than logs do. A line of
    more than `MAX_LINE_BYTES` counts as several. Those that begin with `CONTINUED` are no lines of the file.
    """
    for data in blocks_of(source):
        yield from BytesIO(data)


def numbered_lines_of(source: Source) -> Iterator[tuple[int, bytes]]:
    """The same without their newlines, each with its number in the file, from 1 on."""
    number = 0
    for line in lines_of(source):
        number += not line.startswith(CONTINUED)
        joined = line.count(JOINED)
        yield number, line.removeprefix(CONTINUED).removesuffix(b"\n").removesuffix(JOINED * joined)
        number += joined


def modified_of(source: Source) -> float | None:
    """When a source was last written, where it knows."""
    found: float | None = getattr(source, "modified", None)
    return found
