"""The report on a job of many logs: read by many processes, here or on a cluster, analysed by one.

A worker packs the events of a log; they stay on disk until they are merged.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from logrules.engine.dating import dated_events
from logrules.engine.extraction import Extraction, Progress, Scanners, Tally
from logrules.engine.merged_logs import packed, unpacked
from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import alignment_of, reason
from logrules.engine.scan_pool import ScanPool
from logrules.inference.clock import Clock
from logrules.inference.session import Session
from logrules.model.event import Event
from logrules.model.record import record, replace
from logrules.model.report import Report, SourceNote
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of


@record
class Task:
    """One of so many ``sources`` to be read; ``number`` is its position in the job."""

    number: int
    source: Source
    sources: int


@record
class Read:
    """What came of a source: its lines and bytes, the notes on it, and its events, packed by `packed`.

    Of one that could not be read, or not to its end, a note is ``unread``.
    """

    number: int
    lines: int
    size: int
    notes: tuple[SourceNote, ...]
    events: bytes


def unread(task: Task, reason: str) -> Read:
    """What came of a source that could not be read, and why."""
    return Read(task.number, 0, 0, (SourceNote(task.source.name, reason, unread=True),), b"")


def scanners_of(pack: Pack) -> Scanners:
    """What a worker needs to start."""
    return Scanners(pack, cache=True)


def read(scanners: Scanners, task: Task) -> Read:
    """Read the source of a task to its end, or as far as that can be done."""
    notes: list[SourceNote] = []
    tally = Tally()
    with ScanPool(1) as pool:
        how = Extraction(scanners, pool, notes.append, tally, task.sources, unread=notes)
        events = packed(how.events(task.source))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)


def read_batch(scanners: Scanners, tasks: Sequence[Task]) -> list[Read]:
    """Read the sources of small tasks one after the other."""
    return [read(scanners, task) for task in tasks]


# Reads tasks for a pack; the answers come in any order.
Readers = Callable[[Sequence[Task], Pack], Iterator[Read]]
_DIED = "its reader died twice"
# Of a log that was read a chunk of events is held, no more: it costs less than a log that is read from its file.
_OPEN_SPILLS = 1_024
# So many small logs are read for one message between processes; each process has several batches.
_BATCH_LOGS, _BATCH_BYTES = 64, 1 << 20
_BATCHES_EACH = 4


def replay_spread(
    sources: Sequence[Source],
    pack: Pack,
    readers: Readers,
    *,
    progress: Progress | None = None,
    notes: Iterable[SourceNote] = (),
    observe: Callable[[Event], None] | None = None,
) -> Report:
    """The report on saved logs that ``readers`` read: the same whoever they are, even if some died.

    Sources must be picklable. One that cannot be read is noted, and the report is partial.
    """
    session = Session(pack)
    tasks = [Task(number, source, len(sources)) for number, source in enumerate(sources)]
    with tempfile.TemporaryDirectory(prefix="logrules-") as folder:
        coming = readers(tasks, pack)
        # After the first answer the others are still being read: meanwhile there is time to align the clocks.
        first = list(islice(coming, 1))
        alignment = alignment_of(sources, pack)
        spills = Path(folder) / "events"
        answers = _gathered(chain(first, coming), spills, progress)
        logs = (
            dated_events(events, Clock(modified_of(source)))
            for source, (_, events) in zip(sources, answers, strict=True)
        )
        told = [note for answer, _ in answers for note in answer.notes]
        session.note(*notes, *told)
        reason(session, logs, len(sources), alignment, observe, _OPEN_SPILLS)
        lost = {note.source for note in told if note.unread}
        read_ones = tuple(source.name for source in sources if source.name not in lost)
        return session.report(sum(answer.lines for answer, _ in answers), read_ones)


def _gathered(answers: Iterable[Read], spills: Path, progress: Progress | None) -> list[tuple[Read, Iterator[Event]]]:
    """The answers in the order of their tasks, without their events, and these as they are read back from disk."""
    found: dict[int, tuple[Read, Iterator[Event]]] = {}
    done = 0
    with spills.open("wb") as file:
        for answer in answers:
            start = file.tell()
            file.write(answer.events)
            found[answer.number] = replace(answer, events=b""), unpacked(spills, start, file.tell())
            done += answer.size
            if progress is not None:
                progress(done)
    return [found[number] for number in sorted(found)]


def read_here(tasks: Sequence[Task], pack: Pack, processes: int) -> Iterator[Read]:
    """The answers as they come, in any order. The tasks of a process that dies are tried again."""
    pool = WorkerPool(processes, read_batch, scanners_of)
    batches = dict(enumerate(_batches(tasks, processes)))
    lost: list[Task] = []
    for number, answers in pool.answers(batches, pack):
        if answers is None:
            lost += batches[number]
        yield from answers or ()
        del batches[number]
    # One log of a batch broke its process: the others are read.
    for number, answers in pool.answers({place: (task,) for place, task in enumerate(lost)}, pack):
        yield from answers or (unread(lost[number], _DIED),)


def _batches(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, ...]]:
    """Small logs together, others alone."""
    most = min(_BATCH_LOGS, max(1, len(tasks) // (processes * _BATCHES_EACH)))
    batch: list[Task] = []
    size = 0
    for task in tasks:
        of_task = _size_of(task.source)
        if batch and (len(batch) >= most or size + of_task > _BATCH_BYTES):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(task)
        size += of_task
    if batch:
        yield tuple(batch)


def _size_of(source: Source) -> int:
    """The size of a plain file; what is none is as large as a whole batch."""
    path = getattr(source, "path", None)
    try:
        return path.stat().st_size if isinstance(path, Path) and path.is_file() else _BATCH_BYTES
    except OSError:
        return _BATCH_BYTES
