"""What runs in a worker: one source read through."""

from concurrent.futures import ThreadPoolExecutor

from logrules.errors import SourceError
from logrules.extraction import Extraction, Scanners, Tally
from logrules.scale.spill import packed
from logrules.scale.task import Lost, Read, Task


def read(task: Task, scanners: Scanners) -> Read | Lost:
    """Read the source of a task to its end; one that cannot be read is lost, with the reason."""
    notes: list[tuple[str, str]] = []
    tally = Tally()
    with ThreadPoolExecutor(1) as pool:
        how = Extraction(scanners, pool, 1, lambda source, text: notes.append((source, text)), tally, task.window)
        try:
            events = packed(how.events(task.source))
        except SourceError as fault:
            return Lost(task.number, str(fault))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)
