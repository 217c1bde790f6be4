"""The report on a job of many logs: read by many processes, here or on a cluster, analysed by one."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from logrules.engine.extraction import Progress, window_bytes
from logrules.engine.extraction_task import Read, ReadFailed, Task, read, scanners_of, unpacked
from logrules.engine.resilient_pool import WorkerPool
from logrules.engine.run import Stream, alignment_of, reason
from logrules.inference.session import Session
from logrules.model.event import Event
from logrules.model.report import Report, SourceNote
from logrules.parsing.newlines import fast_counter
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, modified_of

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
