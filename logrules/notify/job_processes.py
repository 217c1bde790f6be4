"""The Python processes of a job, below one process id. Needs the extra ``inspect``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    import psutil

# What torchrun, Open MPI and Slurm call the rank.
_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
_MAX_DIGITS = 9
# More stacks than these tell nothing new, and each costs the job a pause of milliseconds.
MAX_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the job."""

    pid: int
    name: str
    rank: int | None = None

    @property
    def label(self) -> str:
        """How a person calls it: by its rank where it has one."""
        return f"process {self.pid}" if self.rank is None else f"rank {self.rank}"


def python_processes(root: int) -> list[Process]:
    """The Python processes at and below a process id, oldest first; none where it is gone.

    Raises LogrulesError where psutil is missing.
    """
    try:
        import psutil
    except ModuleNotFoundError:
        raise LogrulesError("--inspect needs psutil and py-spy: pip install 'logrules[inspect]'") from None
    try:
        top = psutil.Process(root)
        found = [top, *top.children(recursive=True)]
    except psutil.Error:
        return []
    python = []
    for process in found:
        try:
            # Frameworks rename their workers (`ray::Worker`), but not the program that runs them.
            program = f"{process.name()} {process.exe()}".lower()
        except psutil.Error:
            continue
        if "python" in program:
            python.append(Process(process.pid, process.name(), _rank_of(process)))
    return python[:MAX_PROCESSES]


def _rank_of(process: "psutil.Process") -> int | None:
    """The rank that its launcher gave it in its environment."""
    try:
        environment = process.environ()
    except Exception:  # noqa: BLE001 (psutil is optional; a process that may not be read has no rank)
        return None
    told = next((environment[name] for name in _RANKS if name in environment), "")
    return int(told) if told.isdecimal() and len(told) < _MAX_DIGITS else None
