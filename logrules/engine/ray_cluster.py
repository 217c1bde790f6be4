"""Tasks on a Ray cluster, by the extra `ray`. Its nodes must be able to read the logs: a shared folder, or URLs."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from logrules.engine.extraction import Scanners
from logrules.engine.extraction_task import Read, ReadFailed, Task, read
from logrules.model.errors import LogrulesError
from logrules.model.extras import RAY, needed
from logrules.ruleset.pack import Pack

# More tasks than workers at once, so that none waits; not all, since their answers take memory.
AHEAD = 2
RETRIES = 3


def read_on_ray(tasks: Sequence[Task], pack: Pack, address: str = "auto") -> Iterator[Read | ReadFailed]:
    """The answers as they come, in any order; a task whose worker dies is tried again elsewhere.

    Raises LogrulesError where there is no cluster.
    """
    ray = _connected(address)
    shared = ray.put(pack)
    remote = ray.remote(max_retries=RETRIES, num_cpus=1)(_read)
    waiting = list(reversed(tasks))
    running: dict[Any, Task] = {}
    room = max(1, int(ray.cluster_resources().get("CPU", 1))) * AHEAD
    while waiting or running:
        while waiting and len(running) < room:
            task = waiting.pop()
            running[remote.remote(task, shared)] = task
        done, _ = ray.wait(list(running), num_returns=1)
        for one in done:
            task = running.pop(one)
            try:
                yield ray.get(one)
            except ray.exceptions.RayError as fault:
                yield ReadFailed(task.number, f"its reader died {RETRIES + 1} times ({type(fault).__name__})")


def _connected(address: str) -> Any:
    with needed(RAY, "--engine ray"):
        import ray
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as fault:
        raise LogrulesError(f"no Ray cluster at `{address}`: {str(fault).splitlines()[0]}") from None
    return ray


def _read(task: Task, pack: Pack) -> Read | ReadFailed:
    return read(task, _scanners(pack.digest, _Known(pack)))


class _Known:
    """A pack that is equal to any other of its digest: what is compiled for one serves the next."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and other.pack.digest == self.pack.digest

    def __hash__(self) -> int:
        return hash(self.pack.digest)


@lru_cache(maxsize=1)
def _scanners(digest: str, known: _Known) -> Scanners:  # noqa: ARG001 (the digest is what it is kept under)
    return Scanners(known.pack, cache=True)
