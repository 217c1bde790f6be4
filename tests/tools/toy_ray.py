"""A stand-in for the module `ray`: nodes are names, a task runs in this process when its answer is asked for."""

import pickle
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any


class RayError(Exception):
    """What the real one raises where a worker or a node is gone."""


@dataclass
class ToyRay:
    """A cluster; ``at`` is the node whose task runs, ``ran`` says where each ran, ``gone`` are nodes that died."""

    nodes_up: list[tuple[str, str]]
    at: str = ""
    ran: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    exceptions: Any = field(default_factory=lambda: SimpleNamespace(RayError=RayError))

    def init(self, **options: Any) -> None:
        pass

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {
                "NodeID": id_,
                "NodeName": name,
                "NodeManagerAddress": "10.0.0.1",
                "Alive": id_ not in self.gone,
                "Resources": {"CPU": 1.0},
            }
            for id_, name in self.nodes_up
        ]

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(len(self.nodes_up))}

    def put(self, value: Any) -> bytes:
        return pickle.dumps(value)

    def remote(self, **options: Any) -> Callable[[Callable[..., Any]], "_Task"]:
        return lambda function: _Task(self, function, "")

    def wait(self, asked: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return asked[-num_returns:], asked[:-num_returns]

    def get(self, asked: Any) -> Any:
        if isinstance(asked, bytes):
            return pickle.loads(asked)  # noqa: S301 (our own)
        if asked.node in self.gone:
            raise RayError
        self.at = asked.node
        self.ran.append(asked.node)
        try:
            with chdir("/"):  # a worker has a folder of its own
                return pickle.loads(pickle.dumps(asked.function(*pickle.loads(asked.words))))  # noqa: S301 (our own)
        finally:
            self.at = ""


@dataclass(frozen=True)
class _Task:
    ray: ToyRay
    function: Callable[..., Any]
    node: str

    def options(self, *, scheduling_strategy: Any = None) -> "_Task":
        return _Task(self.ray, self.function, scheduling_strategy.node_id if scheduling_strategy else "")

    def remote(self, *words: Any) -> "_Asked":
        return _Asked(self.function, pickle.dumps(words), self.node)


@dataclass(frozen=True)
class _Asked:
    function: Callable[..., Any]
    words: bytes
    node: str


class _Strategy:
    def __init__(self, node_id: str, *, soft: bool) -> None:
        assert not soft
        self.node_id = node_id


def installed(ray: ToyRay, set_module: Callable[[str, Any], None]) -> ToyRay:
    """The toy under the names that the real one is imported by."""
    module: Any = ModuleType("ray")
    for name in ("init", "nodes", "cluster_resources", "put", "remote", "wait", "get", "exceptions"):
        setattr(module, name, getattr(ray, name))
    strategies: Any = ModuleType("ray.util.scheduling_strategies")
    strategies.NodeAffinitySchedulingStrategy = _Strategy
    set_module("ray", module)
    set_module("ray.util", ModuleType("ray.util"))
    set_module("ray.util.scheduling_strategies", strategies)
    return ray
