"""`logrules diagnose --engine ray`: a cluster reads the logs, from where its nodes have them."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from logrules.cli.extension import Addition
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.engine.distributed import Readers
    from logrules.sources.discover import Discovered

SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Who reads, and where the logs lie."""
    about = "where logs are read: on this machine, or on an existing Ray cluster (default: local)"
    parser.add_argument("--engine", choices=("local", "ray"), default="local", help=about)
    about = "with --engine ray: the cluster's address (default: auto)"
    parser.add_argument("--ray-address", metavar="ADDRESS", default="auto", help=about)
    about = "with --engine ray: the logs are on the nodes' local disks; each node reads its own"
    parser.add_argument("--on-node", action="store_true", help=about)


def is_on_nodes(options: argparse.Namespace) -> bool:
    """Whether the nodes of a cluster read their own disks. Raises LogrulesError where there is no cluster to do it."""
    if options.on_node and options.engine != "ray":
        raise LogrulesError("--on-node is for a cluster: add --engine ray")
    return bool(options.on_node)


def addition(options: argparse.Namespace) -> Addition | None:
    """The cluster, where one is to read."""
    on_nodes = is_on_nodes(options)
    return _Cluster(options.ray_address, options.block_bytes, on_nodes=on_nodes) if options.engine == "ray" else None


class _Cluster(Addition):
    def __init__(self, address: str, block_bytes: int, *, on_nodes: bool) -> None:
        self._address = address
        self._block_bytes = block_bytes
        self._on_nodes = on_nodes

    def found(self, paths: Sequence[str]) -> "Discovered | None":
        if not self._on_nodes:
            return None
        from logrules.tools.cluster.ray_cluster import discovered_on_nodes

        return discovered_on_nodes(paths, self._address, self._block_bytes)

    def readers(self, found: "Discovered") -> "Readers":
        from logrules.sources.file import StdinSource
        from logrules.tools.cluster.ray_cluster import read_on_ray

        if any(isinstance(source, StdinSource) for source in found.sources):
            raise LogrulesError("--engine ray reads files: standard input cannot be handed to a cluster")
        return partial(read_on_ray, address=self._address)
