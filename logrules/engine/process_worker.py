"""What runs in a worker: one source read through."""

from concurrent.futures import ThreadPoolExecutor

from logrules.engine.extraction import Extraction, Scanners, Tally
from logrules.engine.extraction_task import Read, ReadFailed, Task
from logrules.engine.spool import packed
from logrules.model.errors import SourceError


def read(task: Task, scanners: Scanners) -> Read | ReadFailed:
    """Read the source of a task to its end; one that cannot be read is lost, with the reason."""
    notes: list[tuple[str, str]] = []
    tally = Tally()
    with ThreadPoolExecutor(1) as pool:
        how = Extraction(scanners, pool, 1, lambda source, text: notes.append((source, text)), tally, task.window)
        try:
            events = packed(how.events(task.source))
        except SourceError as fault:
            return ReadFailed(task.number, str(fault))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)
