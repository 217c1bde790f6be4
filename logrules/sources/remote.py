"""Logs behind URLs, by whatever protocol fsspec knows (`s3://`, `gs://`, `hdfs://`, `ssh://`): the extra `remote`."""

import os
from collections.abc import Iterator
from typing import Any

from logrules.model.errors import SourceError
from logrules.model.stream import MAX_LINE_BYTES, Block, Skipped
from logrules.sources.file import stream_items
from logrules.sources.log_names import is_log_name
from logrules.sources.source import BLOCK_BYTES, SavedSource
from logrules.sources.wall_clock import now

_MAGIC = "*?["
# The extra brings what these take.
_OF_THE_WEB = ("http://", "https://")
_CONNECT_S, _SILENCE_S = 10.0, 30.0
# aiohttp holds twice what is asked for, and loses it where the transfer breaks off.
_WAITING_BYTES = 64 << 10
# What a web server calls its list of a folder; all else it has is a log.
_A_PAGE = "text/html"
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
        if any(letter in _plain(pattern) for letter in _MAGIC):
            paths = sorted(map(str, files.glob(address)))
        elif _is_folder(files, address):
            paths = sorted(path for path in map(str, files.find(address)) if is_log_name(path.rsplit("/", 1)[-1]))
        else:
            paths = [address] if files.exists(address) else []
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        raise SourceError(f"{_plain(pattern)}: cannot be listed ({_said(fault)})") from None
    if not paths:
        raise SourceError(f"{_plain(pattern)}: no log there")
    depth = _common(list(map(_plain, paths)))
    return [RemoteSource(files.unstrip_protocol(path), _plain(path)[depth:], block_bytes) for path in paths]


def _plain(url: str) -> str:
    """The URL without the query that signs it on the web: that is no pattern, and nothing for a report."""
    return url.partition("?")[0] if url.startswith(_OF_THE_WEB) else url


def _is_folder(files: Any, address: str) -> bool:
    if not address.startswith(_OF_THE_WEB):
        return bool(files.isdir(address))
    # Asked whether it is a folder, fsspec would read all of a log into memory, to look for links in it.
    return address.endswith("/") or files.info(address).get("mimetype") == _A_PAGE


def _common(paths: list[str]) -> int:
    """How much of the paths is the folder that all are in."""
    shared = os.path.commonprefix([path.split("/")[:-1] for path in paths])  # noqa: RUF071 (of lists, part by part)
    return len("/".join(shared)) + 1 if shared else 0


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise SourceError(f"{_plain(url)}: remote logs need fsspec: {_EXTRA}") from None
    try:
        found: tuple[Any, str] = url_to_fs(url, **(_web_options() if url.startswith(_OF_THE_WEB) else {}))
    except ImportError as fault:
        if url.startswith(_OF_THE_WEB):
            raise SourceError(f"{_plain(url)}: remote logs need aiohttp, requests: {_EXTRA}") from None
        # Every other store takes a package of its own, which fsspec names.
        raise SourceError(f"{_plain(url)}: {_said(fault)}") from None
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        raise SourceError(f"{_plain(url)}: {_said(fault)}") from None
    return found


def _web_options() -> dict[str, Any]:
    """How the web is read: without an end to how long a log may take, but to how long a server may say nothing.

    What a server packs is expanded here, piece by piece, as any packed log is.
    """
    from aiohttp import ClientTimeout

    patience = ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_SILENCE_S)
    as_it_is = {"Accept-Encoding": "identity"}
    return {"client_kwargs": {"timeout": patience, "auto_decompress": False, "headers": as_it_is}}


class _Remote:
    """An open remote file whose faults are those of a file, so that what came before one is read."""

    def __init__(self, file: Any, at_once: int) -> None:
        self._file = file
        self._at_once = at_once

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes; none at the end."""
        try:
            return bytes(self._file.read(min(size, self._at_once)))
        except Exception as fault:  # each protocol raises its own
            raise OSError(_said(fault)) from fault


def _items(url: str, name: str, block_bytes: int) -> Iterator[Block | Skipped]:
    files, address = _file_system(url)
    of_the_web = url.startswith(_OF_THE_WEB)
    # A stream: some servers cannot give a part of a log, of which only the first would then be read.
    how = {"block_size": 0} if of_the_web else {}
    at_once = _WAITING_BYTES if of_the_web else MAX_LINE_BYTES
    try:
        opened = files.open(address, "rb", **how)
    except Exception as fault:  # noqa: BLE001 (each protocol raises its own)
        raise SourceError(f"{name}: cannot be read ({_said(fault)})") from None
    with opened as file:
        yield from stream_items(name, _Remote(file, at_once), block_bytes)


def _said(fault: Exception) -> str:
    reason = fault.__cause__ if isinstance(fault, FileNotFoundError) and fault.__cause__ is not None else fault
    if status := getattr(reason, "status", 0):  # what a web server answers
        return f"{status} {getattr(reason, 'message', '')}".strip()
    text = str(reason).strip().splitlines()
    return text[0] if text else type(reason).__name__
