"""What launchers, schedulers, containers and shells say of ended processes, to failure records."""

import itertools
from collections.abc import Iterable, Iterator, Mapping

from logrules.model.event import Event, Stance, Worker, whole_number
from logrules.model.failure import Failure, FailureKind
from logrules.model.record import mutable_record, replace
from logrules.parsing.bounded_dict import BoundedDict
from logrules.parsing.exit_signals import normal_code, signal_name, signal_number
from logrules.ruleset.tables import ExitCode, ExitForm

# A summary is written at once; the entries of a big one follow each other, each of a dozen lines with its traceback.
MAX_TABLE_GAP = 64
MAX_TABLES = 1_024
MAX_KNOWN = 10_000
MAX_ENTRIES = 4_096
_MAX_MESSAGE = 2_000
_MAX_DIGITS = 10
# What a line says of a process that says nothing of it.
_NOBODY = Worker()


@mutable_record
class _Table:
    """A summary over several lines: the record so far, who its lines speak of, and which worker is the root.

    ``of_root`` says that they speak of the root.
    """

    last_line: int
    entry: Worker = _NOBODY
    of_root: bool = False
    failure: Failure | None = None
    root: Worker | None = None


class ExitReader:
    """Reads the lines that the forms of a pack recognise. ``ids`` numbers the records, shared with other kinds."""

    def __init__(self, forms: Iterable[ExitForm], codes: Iterable[ExitCode], ids: Iterator[int] | None = None) -> None:
        self._forms = {form.id: form for form in forms}
        self._codes = tuple(codes)
        self._ids = ids if ids is not None else itertools.count(1)
        self._tables: BoundedDict[tuple[Worker, str], _Table] = BoundedDict(MAX_TABLES)
        self._known: BoundedDict[tuple[str, int, int], Failure] = BoundedDict(MAX_KNOWN)
        self._followers: BoundedDict[tuple[str, int, int], None] = BoundedDict(MAX_KNOWN)

    def read(self, event: Event, form_id: str, captures: Mapping[str, str]) -> Failure | None:
        """The record of the process that the line speaks of, new or grown (with the same id); None for a good end.

        The code is minus the signal's number where the process died by a signal, also where a shell adds 128 to it.
        """
        form = self._forms.get(form_id)
        if form is None:
            return None
        code = _code(form, captures)
        if form.table is not None:
            return self._table_line(event, form, captures, code)
        if code == 0 or (code is None and form.cause is None):
            return None
        record = self._record(event, form, _subject(event, _more(_NOBODY, captures)), code)
        return None if _key(record) in self._followers else self._remembered(record)

    def cause_of(self, failure: Failure) -> ExitCode | None:
        """What the code says in the record's form, else the form, else the code; None for a mere repetition."""
        form = self._forms.get(failure.form or "")
        rows = [row for row in self._codes if _fits(row, failure.code)]
        special = next((row for row in rows if failure.form in row.forms), None)
        if special is not None:
            return special
        if form is not None and form.cause is not None:
            return ExitCode(form.id, form.cause)
        return next((row for row in rows if not row.forms), None)

    def _table_line(
        self, event: Event, form: ExitForm, captures: Mapping[str, str], code: int | None
    ) -> Failure | None:
        its = (event.worker, form.table or "")
        table = self._tables.get(its)
        # A line that tells all of a process stands before a summary: what is below is of it, what was above is not.
        before_it = "rank" in captures and "code" in captures
        if table is None or before_it or not 0 <= event.line - table.last_line <= MAX_TABLE_GAP:
            table = self._tables[its] = _Table(event.line)
        table.last_line = event.line
        table.entry = _more(table.entry, captures)
        table.of_root = table.of_root or "root" in captures
        if code is None or code == 0:
            return self._root_without_code(event, table, captures) if code is None else None
        worker = _subject(event, table.entry)
        if table.of_root:
            table.root = worker
        record = self._remembered(self._record(event, form, worker, code))
        if table.failure is None:
            table.failure = record
        else:
            if table.root != worker and (key := _key(record)) is not None:
                # Whatever else is said of this process only repeats the summary, in which another one ended first.
                self._followers[key] = None
            table.failure = _joined(table.failure, record, table)
        table.entry, table.of_root = _NOBODY, False
        return table.failure

    def _root_without_code(self, event: Event, table: _Table, captures: Mapping[str, str]) -> Failure | None:
        """The summary with its root cause in front once its rank is told: the log may be cut before its exit code."""
        if table.failure is None or not table.of_root or "rank" not in captures:
            return None
        root = _subject(event, table.entry)
        others = tuple(worker for worker in table.failure.workers if worker.rank != root.rank)
        workers = (root, *others)[:MAX_ENTRIES]
        table.failure = replace(table.failure, last=event, worker=root, workers=workers)
        return table.failure

    def _record(self, event: Event, form: ExitForm, worker: Worker, code: int | None) -> Failure:
        name = signal_name(-code) if code is not None and code < 0 else None
        kind = name or (f"exit status {code}" if code is not None else form.id)
        return Failure(
            next(self._ids), FailureKind.EXIT, worker, event, event, kind, event.message[:_MAX_MESSAGE],
            code=code, form=form.id, workers=(worker,), stance=Stance.FACT,
        )  # fmt: skip

    def _remembered(self, record: Failure) -> Failure:
        """The record of the same process if another line told of it before: an agent's line, then its summary."""
        key = _key(record)
        if key is None or record.worker == record.first.worker:
            return record
        known = self._known.get(key)
        if known is not None:
            worker = _richer(record.worker, known.worker)
            record = replace(record, id=known.id, first=known.first, worker=worker, workers=(worker,))
        self._known[key] = record
        return record


def _key(record: Failure) -> tuple[str, int, int] | None:
    """By what further lines of the same end are known."""
    pid = record.worker.pid
    return None if pid is None or record.code is None else (record.first.source, pid, record.code)


def _code(form: ExitForm, captures: Mapping[str, str]) -> int | None:
    told = captures.get("signal")
    if told is not None and (number := signal_number(told)) is not None:
        return -number
    code = whole_number(captures.get("code", "").strip(), _MAX_DIGITS)
    return form.code if code is None else normal_code(code)


def _more(entry: Worker, captures: Mapping[str, str]) -> Worker:
    """What is told of a process with what another line tells of it."""
    rank, pid = (whole_number(captures.get(name, "").strip(), _MAX_DIGITS) for name in ("rank", "pid"))
    return replace(
        entry,
        host=captures.get("host", entry.host),
        rank=entry.rank if rank is None else rank,
        pid=entry.pid if pid is None else pid,
    )


def _subject(event: Event, entry: Worker) -> Worker:
    """The process that ended: the line's writer is most often its launcher."""
    writer = event.worker
    if not entry.named:
        return writer
    return Worker(writer.source, entry.host or writer.host, None, entry.pid, entry.rank)


def _richer(one: Worker, other: Worker) -> Worker:
    rank = one.rank if one.rank is not None else other.rank
    return Worker(one.source, one.host or other.host, one.role or other.role, one.pid, rank)


def _joined(known: Failure, entry: Failure, table: _Table) -> Failure:
    """A summary with one more of its processes: the root cause first, and its code the record's."""
    at_front = table.root is not None and entry.worker == table.root
    others = tuple(worker for worker in known.workers if not _is_same(worker, entry.worker))
    workers = ((entry.worker, *others) if at_front else (*others, entry.worker))[:MAX_ENTRIES]
    told = entry if at_front else known
    return replace(
        told, id=known.id, first=known.first, last=entry.last, worker=workers[0], workers=workers, message=told.message
    )


def _is_same(told: Worker, entry: Worker) -> bool:
    """Whether an entry is of a process that was told before: without its process id, or by its number on its node."""
    if told.pid is None:
        return (told.host, told.rank) == (entry.host, entry.rank)
    return told.pid == entry.pid and told.host in (None, entry.host)


def _fits(row: ExitCode, code: int | None) -> bool:
    if code is None:
        return False
    if row.signal is not None:
        return code < 0 and signal_number(row.signal) == -code
    return row.code == code if row.code is not None else code > 0
