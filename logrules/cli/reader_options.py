"""Who reads the logs of a job: this process, so many others, or a cluster."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logrules.engine.distributed import Readers
    from logrules.sources.discover import Discovered

# Below this, starting processes takes longer than reading.
_WORTH_PROCESSES_BYTES = 64_000_000


def whole_number(least: int) -> Callable[[str], int]:
    """What reads a whole number from ``least`` on; argparse says where it is another."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"expects a whole number from {least} on, not `{text}`")
        return value

    return read


def add_processes_option(parser: argparse.ArgumentParser, about: str = "processes (default: one per core)") -> None:
    """How many processes work at once."""
    parser.add_argument("-j", "--processes", type=whole_number(1), metavar="N", help=about)


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Who reads, and where the logs lie."""
    about = "where logs are read: on this machine, or on an existing Ray cluster (default: local)"
    parser.add_argument("--engine", choices=("local", "ray"), default="local", help=about)
    parser.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        default="auto",
        help="with --engine ray: the cluster's address (default: auto)",
    )
    about = "with --engine ray: the logs are on the nodes' local disks; each node reads its own"
    parser.add_argument("--on-node", action="store_true", help=about)


def is_on_nodes(options: argparse.Namespace) -> bool:
    """Whether the nodes of a cluster read their own disks. Raises LogrulesError where there is no cluster to do it."""
    if options.on_node and options.engine != "ray":
        raise LogrulesError("--on-node is for a cluster: add --engine ray")
    return bool(options.on_node)


def named_logs(options: argparse.Namespace, paths: "Sequence[str]") -> "Discovered":
    """The logs behind the paths, here or on the nodes of a cluster. Raises LogrulesError where there are none."""
    if is_on_nodes(options):
        from logrules.engine.ray_cluster import discovered_on_nodes

        return discovered_on_nodes(paths, options.ray_address, options.block_bytes)
    from logrules.sources.discover import discover

    return discover(paths, options.block_bytes)


def chosen_readers(options: argparse.Namespace, found: "Discovered") -> "Readers | None":
    """Those who read the logs; None where this process does. Raises LogrulesError for a log that cannot travel."""
    from logrules.sources.file import StdinSource

    travels = not any(isinstance(source, StdinSource) for source in found.sources)
    if options.engine == "ray":
        if not travels:
            raise LogrulesError("--engine ray reads files: standard input cannot be handed to a cluster")
        from logrules.engine.ray_cluster import read_on_ray

        return partial(read_on_ray, address=options.ray_address)
    much = found.total_bytes is None or found.total_bytes >= _WORTH_PROCESSES_BYTES
    if not travels or len(found.sources) < 2 or not (much or options.processes):  # noqa: PLR2004
        return None
    from logrules.engine.distributed import read_here
    from logrules.engine.resilient_pool import default_processes

    return partial(read_here, processes=options.processes or default_processes())
