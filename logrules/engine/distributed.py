"""The report on a job of many logs: read by many processes, here or on a cluster, analysed by one.

A worker packs the events of a log; they stay on disk until they are merged.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from logrules.engine.extraction import Extraction, Progress, Scanners, Tally, window_bytes
from logrules.engine.packed_events import packed, unpacked
from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Stream, alignment_of, reason
from logrules.engine.scan_pool import ScanPool
from logrules.inference.session import Session
from logrules.model.errors import SourceError
from logrules.model.event import Event
from logrules.model.report import Report, SourceNote
from logrules.parsing.newlines import fast_counter
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of


@dataclass(frozen=True, slots=True)
class Task:
    """A source to be read in windows of ``window`` bytes; ``number`` is its position in the job."""

    number: int
    source: Source
    window: int


@dataclass(frozen=True, slots=True)
class Read:
    """A source that was read: its lines and bytes, the reader's notes, and its events, packed by `packed`."""

    number: int
    lines: int
    size: int
    notes: tuple[tuple[str, str], ...]
    events: bytes


@dataclass(frozen=True, slots=True)
class ReadFailed:
    """A source that could not be read, and why."""

    number: int
    reason: str


def scanners_of(pack: Pack) -> Scanners:
    """What a worker needs to start."""
    return Scanners(pack, cache=True)


def read(scanners: Scanners, task: Task) -> Read | ReadFailed:
    """Read the source of a task to its end; if that fails, the answer is the reason."""
    notes: list[tuple[str, str]] = []
    tally = Tally()
    with ScanPool(1) as pool:
        how = Extraction(scanners, pool, lambda source, text: notes.append((source, text)), tally, task.window)
        try:
            events = packed(how.events(task.source))
        except SourceError as fault:
            return ReadFailed(task.number, str(fault))
    return Read(task.number, tally.lines, tally.bytes, tuple(notes), events)


# Reads tasks for a pack; the answers come in any order.
Readers = Callable[[Sequence[Task], Pack], Iterator[Read | ReadFailed]]
_DIED = "its reader died twice"
# Of a log that was read a chunk of events is held, no more: it costs less than a log that is read from its file.
_OPEN_SPILLS = 1_024


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
    tasks = [Task(number, source, window_bytes(len(sources))) for number, source in enumerate(sources)]
    with tempfile.TemporaryDirectory(prefix="logrules-") as folder:
        coming = readers(tasks, pack)
        # After the first answer the others are still being read: meanwhile there is time to align the clocks.
        first = list(islice(coming, 1))
        alignment = alignment_of(sources, pack)
        answers = _gathered(chain(first, coming), Path(folder), progress)
        were_read = [number for number in range(len(sources)) if isinstance(answers[number], Read)]
        streams = (
            Stream(sources[number].name, unpacked(_spill(Path(folder), number)), modified_of(sources[number]))
            for number in were_read
        )
        told = [note for number, source in enumerate(sources) for note in _notes(source, answers[number])]
        reason(session, streams, len(were_read), alignment, (*notes, *told), observe, _OPEN_SPILLS)
        lines = sum(answer.lines for answer in answers.values() if isinstance(answer, Read))
        return session.report(lines, tuple(sources[number].name for number in were_read))


def _gathered(
    answers: Iterable[Read | ReadFailed], folder: Path, progress: Progress | None
) -> dict[int, Read | ReadFailed]:
    """The answers by task number, with their events on disk."""
    found: dict[int, Read | ReadFailed] = {}
    done = 0
    for answer in answers:
        if isinstance(answer, Read):
            _spill(folder, answer.number).write_bytes(answer.events)
            done += answer.size
            if progress is not None:
                progress(done)
            found[answer.number] = Read(answer.number, answer.lines, answer.size, answer.notes, b"")
        else:
            found[answer.number] = answer
    return found


def _spill(folder: Path, number: int) -> Path:
    return folder / f"{number}.events"


def _notes(source: Source, answer: Read | ReadFailed) -> Iterator[SourceNote]:
    if isinstance(answer, ReadFailed):
        yield SourceNote(source.name, answer.reason, unread=True)
    else:
        yield from (SourceNote(name, text) for name, text in answer.notes)


def read_here(tasks: Sequence[Task], pack: Pack, processes: int) -> Iterator[Read | ReadFailed]:
    """The answers as they come, in any order. The tasks of a process that dies are tried again."""
    # Imported before forking, so that it is imported once.
    fast_counter()
    pool = WorkerPool(processes, read, scanners_of)
    for number, answer in pool.answers({task.number: task for task in tasks}, pack):
        yield answer or ReadFailed(number, _DIED)
