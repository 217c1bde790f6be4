"""Logs behind URLs, by whatever protocol fsspec knows (`s3://`, `gs://`, `hdfs://`, `ssh://`): the extra `remote`."""

from collections.abc import Iterator
from typing import Any

from logrules.model.errors import SourceError
from logrules.model.stream import MAX_LINE_BYTES, Block, Skipped
from logrules.sources.chunking import whole_lines
from logrules.sources.file import log_items, text_of
from logrules.sources.log_names import is_log_name
from logrules.sources.source import BLOCK_BYTES, SavedSource
from logrules.sources.wall_clock import now

_MAGIC = "*?["
# The extra brings what these take.
_OF_THE_WEB = ("http://", "https://")
_EXTRA = "pip install 'logrules[remote]'"


def is_remote(path: str) -> bool:
    """Whether a path names its protocol."""
    protocol, found, _ = path.partition("://")
    return bool(found) and protocol.isascii() and protocol.replace("+", "").isalnum()


class RemoteSource(SavedSource):
    """A saved log by its URL; opened at the first read, closed at the end."""

    def __init__(self, url: str, name: str, block_bytes: int = BLOCK_BYTES) -> None:
        super().__init__(name, _items(url, name, block_bytes))
        self.url = url
        self._block_bytes = block_bytes

    def __reduce__(self) -> tuple[type["RemoteSource"], tuple[str, str, int]]:
        """Another process reads it from its beginning."""
        return RemoteSource, (self.url, self.name, self._block_bytes)

    @property
    def modified(self) -> float:
        """When the log was last written, else now: by it, times without a year are read."""
        files, address = _file_system(self.url)
        try:
            return float(files.modified(address).timestamp())
        except Exception:  # noqa: BLE001 (each protocol raises its own, and many do not know)
            return now()


def remote_sources(pattern: str, block_bytes: int = BLOCK_BYTES) -> list[RemoteSource]:
    """The logs that a URL names: a file, a pattern, or a folder with log-like names in it. Raises SourceError."""
    files, address = _file_system(pattern)
    try:
        if any(letter in pattern for letter in _MAGIC):
            paths = sorted(map(str, files.glob(address)))
        elif files.isdir(address):
            paths = sorted(path for path in map(str, files.find(address)) if is_log_name(path.rsplit("/", 1)[-1]))
        else:
            paths = [address] if files.exists(address) else []
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        raise SourceError(f"{pattern}: cannot be listed ({_said(fault)})") from None
    if not paths:
        raise SourceError(f"{pattern}: no log there")
    depth = _common(paths)
    return [RemoteSource(files.unstrip_protocol(path), path[depth:], block_bytes) for path in paths]


def _common(paths: list[str]) -> int:
    """How much of the paths is the folder that all are in."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = 0
    while all(len(folder) > shared for folder in folders) and len({folder[shared] for folder in folders}) == 1:
        shared += 1
    return len("/".join(folders[0][:shared])) + 1 if shared else 0


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise SourceError(f"{url}: remote logs need fsspec: {_EXTRA}") from None
    try:
        found: tuple[Any, str] = url_to_fs(url)
    except ImportError as fault:
        if url.startswith(_OF_THE_WEB):
            raise SourceError(f"{url}: remote logs need aiohttp, requests: {_EXTRA}") from None
        # Every other store takes a package of its own, which fsspec names.
        raise SourceError(f"{url}: {_said(fault)}") from None
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        raise SourceError(f"{url}: {_said(fault)}") from None
    return found


def _items(url: str, name: str, block_bytes: int) -> Iterator[Block | Skipped]:
    files, address = _file_system(url)
    faults: list[str] = []
    came = 0
    try:
        with files.open(address, "rb") as file:
            pieces = text_of(file, min(block_bytes, MAX_LINE_BYTES), faults)
            for item in log_items(name, whole_lines(pieces, MAX_LINE_BYTES), faults):
                yield item
                came = item.offset + len(item.data) if isinstance(item, Block) else came
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        # A log that breaks off is read as far as it came.
        if not came:
            raise SourceError(f"{name}: cannot be read ({_said(fault)})") from None
        yield Skipped(name, came, None, f"reading failed ({_said(fault)})")


def _said(fault: Exception) -> str:
    text = str(fault).strip().splitlines()
    return text[0] if text else type(fault).__name__
