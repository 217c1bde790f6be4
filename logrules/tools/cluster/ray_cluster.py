"""Work on a Ray cluster, with the extra `ray`: tasks anywhere, or on the nodes whose disks have the logs."""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from logrules.engine.distributed import Read, Task, read, scanners_of, unread
from logrules.model.errors import LogrulesError
from logrules.model.record import record
from logrules.model.report import SourceNote
from logrules.model.stream import Block, End, Skipped
from logrules.ruleset.pack import Pack
from logrules.sources.discover import Discovered, discover
from logrules.sources.file import FileSource
from logrules.sources.remote import is_remote
from logrules.sources.source import BLOCK_BYTES, RecordSource, Source, modified_of
from logrules.tools.extras import RAY, needed

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# More tasks than workers at once, so that none waits; not all, since their answers take memory.
AHEAD = 2
RETRIES = 3
ANYWHERE = ""


@record
class Lost:
    """An item for which the cluster gave no answer, and why."""

    reason: str


@record
class RayWorkerPool(Generic[Item, Answer]):
    """Work on a cluster that survives lost workers and nodes: their items are tried again elsewhere.

    ``begin`` makes what ``work`` needs from a pack, once in each worker; both must be module-level functions.
    """

    address: str
    work: Callable[[Any, Item], Answer]
    begin: Callable[[Pack], Any]

    def answers(
        self, items: Mapping[int, Item], pack: Pack, node_of: Callable[[Item], str] = lambda _: ANYWHERE
    ) -> Iterator[tuple[int, Answer | Lost]]:
        """Each item's number and answer as it comes. ``node_of`` names the node that alone can do an item, if any.

        Raises LogrulesError where there is no cluster.
        """
        ray = connected(self.address)
        # In a list, so that a worker fetches the pack once, not with every task.
        shared = [ray.put(pack)]
        task: Any = ray.remote(max_retries=RETRIES, num_cpus=1)(_at_work)
        queues: dict[str, deque[int]] = {}
        for number, item in items.items():
            queues.setdefault(node_of(item), deque()).append(number)
        capacities = {node: _capacity(ray, node) for node in queues}
        tasks = {node: task.options(**pinned(ray, node)) for node, capacity in capacities.items() if capacity}
        running: dict[Any, tuple[str, int]] = {}
        busy: Counter[str] = Counter()
        while running or any(queues.values()):
            for node, queue in queues.items():
                if queue and not capacities[node]:
                    yield queue.popleft(), Lost(f"its node {node} is not in the cluster")
                while queue and busy[node] < capacities[node]:
                    number = queue.popleft()
                    asked = tasks[node].remote(self.work, self.begin, items[number], pack.digest, shared)
                    running[asked] = node, number
                    busy[node] += 1
            for one in ray.wait(list(running), num_returns=1)[0] if running else ():
                node, number = running.pop(one)
                busy[node] -= 1
                yield number, _answer(ray, one)


def read_on_ray(tasks: Sequence[Task], pack: Pack, address: str = "auto") -> Iterator[Read]:
    """The answers as they come, in any order; a task whose worker dies is tried again elsewhere.

    Raises LogrulesError where there is no cluster.
    """
    pool = RayWorkerPool(address, read, scanners_of)
    numbered = {task.number: task for task in tasks}
    for number, answer in pool.answers(numbered, pack, lambda task: getattr(task.source, "node", ANYWHERE)):
        yield unread(numbered[number], answer.reason) if isinstance(answer, Lost) else answer


def connected(address: str) -> Any:
    """The module `ray`, connected to a cluster. Raises LogrulesError if there is none."""
    with needed(RAY, "--engine ray"):
        import ray
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as fault:
        raise LogrulesError(f"no Ray cluster at `{address}`: {str(fault).splitlines()[0]}") from None
    return ray


def node_names(ray: Any) -> dict[str, Mapping[str, Any]]:
    """Ray's data on the nodes that are up, by name; nodes of the same name get a part of their id appended."""
    alive = [node for node in ray.nodes() if node["Alive"]]
    shared = Counter(_name(node) for node in alive)
    named = {_name(node) + (f"-{node['NodeID'][:6]}" if shared[_name(node)] > 1 else ""): node for node in alive}
    return dict(sorted(named.items()))


def pinned(ray: Any, node: str) -> dict[str, Any]:
    """The options of a task that runs on that node and no other. Raises KeyError for a node that is not up."""
    if node == ANYWHERE:
        return {}
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node_names(ray)[node]["NodeID"], soft=False)}


def _name(node: Mapping[str, Any]) -> str:
    return str(node.get("NodeName") or node["NodeManagerAddress"])


def _capacity(ray: Any, node: str) -> int:
    """How many tasks may be under way on a node, or on all of them; none if the node is gone."""
    if node == ANYWHERE:
        return max(1, int(ray.cluster_resources().get("CPU", 1))) * AHEAD
    there = node_names(ray).get(node)
    return 0 if there is None else max(1, int(there["Resources"].get("CPU", 1))) * AHEAD


def _answer(ray: Any, asked: Any) -> Any:
    try:
        return ray.get(asked)
    except ray.exceptions.RayError as fault:
        return Lost(f"its reader died {RETRIES + 1} times ({type(fault).__name__})")


class _Here:
    """What this worker has prepared, and for which pack."""

    of: tuple[str, str] = ("", "")
    ready: Any = None


def _at_work(
    work: Callable[[Any, Item], Answer], begin: Callable[[Pack], Any], item: Item, digest: str, shared: Sequence[Any]
) -> Answer:
    if _Here.of != (digest, begin.__qualname__):
        import ray

        _Here.ready, _Here.of = begin(ray.get(shared[0])), (digest, begin.__qualname__)
    return work(_Here.ready, item)


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


def answered_by_nodes(ask: Callable[[], Answer], address: str) -> list[tuple[str, Answer]]:
    """The answers of the nodes that have one. Raises LogrulesError where none has."""
    found = list(asked_of_nodes(ask, address))
    answers = [(node, answer) for node, answer in found if not isinstance(answer, LogrulesError)]
    if not answers:
        raise LogrulesError(": ".join(map(str, found[0])) if found else "the cluster has no node")
    return answers


def discovered_on_nodes(paths: Sequence[str], address: str, block_bytes: int = BLOCK_BYTES) -> Discovered:
    """What `discover` finds on each node, named `NODE/log`. A node without logs is ignored.

    Raises LogrulesError where no node has any.
    """
    if "-" in paths or any(map(is_remote, paths)):
        raise LogrulesError("--on-node reads files of the nodes: leave it out for standard input and URLs")
    look = partial(_found_here, tuple(map(os.path.abspath, paths)), block_bytes)
    found = [_of_node(node, there, address, block_bytes) for node, there in answered_by_nodes(look, address)]
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
