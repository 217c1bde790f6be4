"""The Python processes of a job, below one process id. Needs the extra ``inspect``."""

from dataclasses import dataclass

from logrules.model.errors import LogrulesError

# More stacks than these tell nothing new, and each costs the job a pause of milliseconds.
MAX_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the job."""

    pid: int
    name: str


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
            python.append(Process(process.pid, process.name()))
    return python[:MAX_PROCESSES]
