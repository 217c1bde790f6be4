"""A source that can be read once, kept on the way so that it can be read again."""

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from weakref import finalize

from logrules.model.record import replace
from logrules.model.stream import MAX_LINE_BYTES, Block, End, Skipped, Tick
from logrules.sources.chunking import whole_lines
from logrules.sources.discover import Discovered
from logrules.sources.file import FileSource
from logrules.sources.source import BLOCK_BYTES, SavedSource, Source, modified_of

_IN_MEMORY_BYTES = 16 << 20
# What a pipe brings has no bound; a disk has.
_MAX_BYTES = 1 << 30


class RecordedSource:
    """Hands on what another source yields, and keeps up to a gigabyte of it, on disk where it is much."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._source = source
        self._kept = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 (read again when this one has ended)
        self._bytes = 0
        finalize(self, self._kept.close)

    @property
    def modified(self) -> float | None:
        """When the log was last written, where the source knows."""
        return modified_of(self._source)

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """The next item of the other source."""
        item = self._source.read(until)
        if isinstance(item, Block) and self._bytes + len(item.data) <= _MAX_BYTES:
            self._kept.write(item.data)
            self._bytes += len(item.data)
        return item

    def again(self) -> "RepeatedSource":
        """The same bytes from their beginning; to be asked for at the end, and read while this one lives."""
        self._kept.seek(0)
        return RepeatedSource(self.name, self.modified, self._blocks())

    def _blocks(self) -> Iterator[Block]:
        offset = 0
        for data in whole_lines(iter(lambda: self._kept.read(BLOCK_BYTES), b""), MAX_LINE_BYTES):
            yield Block(self.name, offset, data)
            offset += len(data)


class RepeatedSource(SavedSource):
    """What was recorded, from its beginning."""

    def __init__(self, name: str, modified: float | None, blocks: Iterator[Block]) -> None:
        super().__init__(name, blocks)
        self.modified = modified


def recorded(found: Discovered) -> Discovered:
    """The same sources; those that can be read only once are recorded, so that they can be read again."""
    return replace(found, sources=tuple(one if is_saved(one) else RecordedSource(one) for one in found.sources))


def read_again(sources: Iterable[Source]) -> list[Source]:
    """The sources that `recorded` returned, from their beginning."""
    return [
        one.again() if isinstance(one, RecordedSource) else FileSource(one.path, one.name)
        for one in sources
        if isinstance(one, RecordedSource | FileSource)
    ]


def is_saved(source: Source) -> bool:
    """Whether it is a file that can be read any number of times."""
    return isinstance(source, FileSource) and source.path.is_file()
