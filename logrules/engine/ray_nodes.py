"""Logs on the local disks of a Ray cluster's nodes: each node finds and reads its own."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from logrules.engine.ray_cluster import connected, node_names, pinned
from logrules.model.errors import LogrulesError
from logrules.model.report import SourceNote
from logrules.model.stream import Block, End, Skipped
from logrules.sources.discover import Discovered, discover
from logrules.sources.file import FileSource
from logrules.sources.remote import is_remote
from logrules.sources.source import BLOCK_BYTES, RecordSource, Source, modified_of

Answer = TypeVar("Answer")


class NodeSource:
    """A log on the disk of one node. Tasks read it there; only its ends are sent here, to compare clocks."""

    def __init__(self, node: str, file: FileSource, modified: float | None, address: str) -> None:
        self.node = node
        self.file = file
        self.name = file.name
        self.modified = modified
        self._address = address

    def ends(self, size: int) -> Iterator[bytes]:
        """The first and the last lines, as `FileSource.ends`; nothing where the node is gone."""
        ray = connected(self._address)
        task = ray.remote(num_cpus=0)(_ends_of)
        try:
            yield from ray.get(task.options(**pinned(ray, self.node)).remote(self.file, size))
        except (KeyError, ray.exceptions.RayError):
            return

    def read(self, until: float | None) -> Block | Skipped | End:
        """The next item; called on the node."""
        return self.file.read(until)


def asked_of_nodes(ask: Callable[[], Answer], address: str) -> Iterator[tuple[str, Answer | LogrulesError]]:
    """The answer of each node of the cluster, by its name; an error of this package is an answer too.

    Raises LogrulesError where there is no cluster.
    """
    ray = connected(address)
    task = ray.remote(num_cpus=0)(_told)
    asked = {node: task.options(**pinned(ray, node)).remote(ask) for node in node_names(ray)}
    for node, answer in asked.items():
        try:
            yield node, ray.get(answer)
        except ray.exceptions.RayError as fault:
            yield node, LogrulesError(f"the node is gone ({type(fault).__name__})")


def discovered_on_nodes(paths: Sequence[str], address: str, block_bytes: int = BLOCK_BYTES) -> Discovered:
    """What `discover` finds on each node, named `NODE/log`. A node without logs is ignored.

    Raises LogrulesError where no node has any.
    """
    if "-" in paths or any(map(is_remote, paths)):
        raise LogrulesError("--on-node reads files of the nodes: leave it out for standard input and URLs")
    found: list[Discovered] = []
    faults: list[str] = []
    for node, answer in asked_of_nodes(partial(_found_here, tuple(map(os.path.abspath, paths)), block_bytes), address):
        if isinstance(answer, LogrulesError):
            faults.append(f"{node}: {answer}")
        else:
            found.append(_of_node(node, answer, address, block_bytes))
    if not found:
        raise LogrulesError(faults[0] if faults else "the cluster has no node")
    sizes = [one.total_bytes for one in found]
    return Discovered(
        tuple(source for one in found for source in one.sources),
        tuple(note for one in found for note in one.notes),
        None if None in sizes else sum(size or 0 for size in sizes),
    )


_Found = tuple[Discovered, tuple[float | None, ...]]


def _of_node(node: str, found: _Found, address: str, block_bytes: int) -> Discovered:
    here, modified = found
    sources: list[Source] = []
    for source, when in zip(here.sources, modified, strict=True):
        if isinstance(source, FileSource):
            file = FileSource(source.path, f"{node}/{source.name}", block_bytes)
            sources.append(NodeSource(node, file, when, address))
        elif isinstance(source, RecordSource):
            sources.append(RecordSource(f"{node}/{source.name}", source.records))
    notes = tuple(SourceNote(f"{node}/{note.source}", note.note, note.unread) for note in here.notes)
    return Discovered(tuple(sources), notes, here.total_bytes)


def _found_here(paths: Sequence[str], block_bytes: int) -> _Found:
    found = discover(paths, block_bytes)
    return found, tuple(map(modified_of, found.sources))


def _told(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except LogrulesError as fault:
        return LogrulesError(str(fault))


def _ends_of(file: FileSource, size: int) -> list[bytes]:
    return list(file.ends(size))
