"""Work on a Ray cluster, with the extra `ray`: tasks anywhere, or each on the node whose disk has its log."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from logrules.engine.extraction_task import Read, ReadFailed, Task, read, scanners_of
from logrules.model.errors import LogrulesError
from logrules.model.extras import RAY, needed
from logrules.ruleset.pack import Pack

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# More tasks than workers at once, so that none waits; not all, since their answers take memory.
AHEAD = 2
RETRIES = 3
ANYWHERE = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """An item for which the cluster gave no answer, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
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


def read_on_ray(tasks: Sequence[Task], pack: Pack, address: str = "auto") -> Iterator[Read | ReadFailed]:
    """The answers as they come, in any order; a task whose worker dies is tried again elsewhere.

    Raises LogrulesError where there is no cluster.
    """
    pool = RayWorkerPool(address, read, scanners_of)
    numbered = {task.number: task for task in tasks}
    for number, answer in pool.answers(numbered, pack, lambda task: getattr(task.source, "node", ANYWHERE)):
        yield ReadFailed(number, answer.reason) if isinstance(answer, Lost) else answer


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
