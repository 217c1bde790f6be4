"""The Python processes of a job, below one process id. Needs the extra ``inspect``."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from logrules.model.event import as_rank
from logrules.tools.extras import INSPECT, needed

if TYPE_CHECKING:
    import psutil

_Told = TypeVar("_Told")
# What torchrun, Open MPI and Slurm call the rank.
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
# What frameworks call their workers in the list of processes: `ray::Judge.score`, `VLLM::Worker_TP0`.
_TITLE = re.compile(r"\w+::(\S.{0,100})")
# More stacks than these tell nothing new, and each costs the job a pause of milliseconds.
MAX_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the job; ``stopped`` says that a signal suspended it."""

    pid: int
    name: str
    rank: int | None = None
    stopped: bool = False
    environment: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    arguments: Sequence[str] = field(default=(), compare=False, repr=False)

    @property
    def label(self) -> str:
        """How a person calls it: by its rank where it has one, else by what its framework calls it."""
        if self.rank is not None:
            return f"rank {self.rank}"
        titled = _TITLE.match(self.arguments[0]) if self.arguments else None
        return f"process {self.pid}" if titled is None else f"{titled[1].strip()} (pid {self.pid})"


def is_process(pid: int) -> bool:
    """Whether there is a process of this id. Raises LogrulesError where psutil is missing."""
    with needed(INSPECT, "reading stacks"):
        import psutil
    return psutil.pid_exists(pid)


def python_processes(root: int) -> list[Process]:
    """The Python processes at and below a process id, other than this one, oldest first; none where it is gone.

    Raises LogrulesError where psutil is missing.
    """
    with needed(INSPECT, "reading stacks"):
        import psutil
    try:
        top = psutil.Process(root)
        found = [top, *top.children(recursive=True)]
    except psutil.Error:
        return []
    return _python_of(one for one in found if one.pid != os.getpid())


def processes_in(folder: Path) -> list[Process]:
    """The Python processes that work in a folder or have a file of it open, other than this one and its parents.

    Raises LogrulesError where psutil is missing.
    """
    with needed(INSPECT, "reading stacks"):
        import psutil
    top = Path(os.path.realpath(folder))  # of links in a loop Path.resolve makes a RuntimeError
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    return _python_of(one for one in psutil.process_iter() if one.pid not in ours and _works_in(one, top))


def _works_in(process: "psutil.Process", top: Path) -> bool:
    places = _told(lambda: (process.cwd(), *(file.path for file in process.open_files()))) or ()
    return any(Path(place).is_relative_to(top) for place in places)


def _python_of(found: "Iterable[psutil.Process]") -> list[Process]:
    import psutil

    python = []
    for process in found:
        try:
            # Frameworks rename their workers (`ray::Worker`), but not the program that runs them. What is no Python
            # may lie in a folder that is called so, as Ray's own programs do.
            program = f"{process.name()} {Path(process.exe()).name}".lower()
        except psutil.Error:
            continue
        if "python" in program:
            stopped = _told(process.status) in ("stopped", "tracing-stop")
            environment, arguments = _told(process.environ) or {}, tuple(_told(process.cmdline) or ())
            python.append(Process(process.pid, process.name(), rank_of(environment), stopped, environment, arguments))
    return python[:MAX_PROCESSES]


def rank_of(environment: Mapping[str, str]) -> int | None:
    """The rank that its launcher gave a process in its environment."""
    return as_rank(next((environment[name] for name in RANK_VARIABLES if name in environment), None))


def _told(ask: Callable[[], _Told]) -> _Told | None:
    """What a process tells of itself; one that may not be read tells nothing."""
    try:
        return ask()
    except Exception:  # noqa: BLE001 (psutil is optional, so its errors cannot be named)
        return None
