"""The lines of tracebacks, crashes and kernel messages to failure records, a worker at a time."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from logrules.model.event import Event, Worker, as_rank, whole_number
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame, Origin
from logrules.model.record import replace
from logrules.parsing.bounded_dict import BoundedDict
from logrules.parsing.cut_off import exception_cut_off
from logrules.parsing.exception_chain import (
    NESTED_LINES,
    SOURCE_LINES,
    FrameList,
    GrowingRecord,
    KeptStacks,
    OpenTraceback,
    WriterState,
    true_type,
    wraps,
)
from logrules.parsing.exception_line import (
    MAX_MESSAGE,
    asserted,
    exception_by_place,
    indent_of,
    same_prefix,
    unglued,
)
from logrules.parsing.lone_failures import add_crash_frame, add_to_crash, crash_record, kernel_record, tells_crash
from logrules.ruleset.pack import TraceForm

MAX_WORKERS = 4_096
MAX_RECORDS = 10_000
# A failure that is told thousands of times must not hide the next one.
MAX_ALIKE = 1_024

Captures: TypeAlias = Mapping[str, str]
Told: TypeAlias = tuple[int | None, Failure | None]


class TracebackAssembler:
    """Follows the open tracebacks of every worker; ``ids`` numbers the records, shared with other kinds."""

    def __init__(
        self, trace: TraceForm | None, origin_of: Callable[[str, str], Origin], ids: Iterator[int] | None = None
    ) -> None:
        self._trace = trace
        self._origin_of = origin_of
        self._ids = ids if ids is not None else itertools.count(1)
        self._writers: BoundedDict[Worker, WriterState] = BoundedDict(MAX_WORKERS)
        self.stacks = KeptStacks(MAX_RECORDS)
        self._heads: BoundedDict[str, Event] = BoundedDict(MAX_WORKERS)
        self._records: set[int] = set()
        self._alike: Counter[tuple[str, Frame | None]] = Counter()

    def feed(self, event: Event) -> Told:
        """The id of the record that the line belongs to, and the record where this line begins or completes it.

        A record that grows keeps its id; the later one takes the place of the earlier. A line of a stack dump has an
        id and no record.
        """
        form = self._trace
        if form is None:
            return None, None
        hits = {hit.signal: hit.captures for hit in event.hits}
        if event.worker not in self._writers and form.kernel not in hits and form.signals.isdisjoint(hits):
            return None, None
        writer = self._writers[event.worker] = self._writers.get(event.worker) or WriterState()
        writer.close_old(event.line)
        member, failure = self._line(form, writer, event, hits)
        return member, self._bounded(failure)

    def cut_off(self, lines: Sequence[Event]) -> Failure | None:
        """The record of a traceback that the last of these ``lines`` of a log leaves without its exception, if so."""
        for writer in self._writers.values():
            for trace in writer.traces:
                if (told := exception_cut_off(trace, lines)) is not None:
                    place, kind, message = told
                    return self._bounded(self._complete(writer, place, trace, kind, message)[1])
        return None

    def _line(self, form: TraceForm, writer: WriterState, event: Event, hits: Mapping[int, Captures]) -> Told:
        if form.kernel is not None and form.kernel in hits:
            failure = kernel_record(next(self._ids), event, hits[form.kernel])
            return failure.id, failure
        if form.abort is not None and form.abort in hits:
            return self._crash(writer, event, hits[form.abort])
        if form.ignored in hits or form.retried in hits:
            writer.ignored_line, writer.only_retried = event.line, form.ignored not in hits
            return None, None
        if form.chain in hits and writer.record is not None and writer.record.failure.kind is FailureKind.EXCEPTION:
            writer.chained = True
            return writer.record.failure.id, None
        return self._traceback_line(form, writer, event, hits)

    def _traceback_line(self, form: TraceForm, writer: WriterState, event: Event, hits: Mapping[int, Captures]) -> Told:
        exception = hits.get(form.exception)
        done = self._exception(writer, event, exception) if exception is not None else (None, None)
        told_below = hits.get(form.nested) if form.nested is not None else None
        if form.head in hits:
            self._heads[event.source] = event
            return self._head(writer, event, hits[form.head], told_below), done[1]
        if told_below is not None:
            return self._told_below(writer, event), done[1]
        frame = hits.get(form.frame, hits.get(form.stack_frame))
        if frame is not None and done[0] is None:
            return self._frame(writer, event, frame, stack=form.frame not in hits)
        return self._unnamed(writer, event) if exception is None else done

    def _crash(self, writer: WriterState, event: Event, captures: Captures) -> Told:
        """A crash in native code; what is told of it on further lines goes into the same record."""
        record = writer.record
        if record is not None and record.failure.kind is FailureKind.ABORT:
            return record.failure.id, add_to_crash(record, event, captures)
        if not tells_crash(event, captures):
            return None, None
        failure = crash_record(next(self._ids), event, captures)
        writer.record, writer.chained = GrowingRecord(failure, event.line), False
        return failure.id, failure

    def _head(self, writer: WriterState, event: Event, captures: Captures, told_below: Captures | None) -> int:
        """The heading of a traceback; ``told_below`` is what it says as one that another's message goes on with."""
        record = writer.record
        if "current" in captures and record is not None and record.failure.kind is FailureKind.ABORT:
            record.crash_frames, record.last_line = FrameList(innermost_first=True), event.line
            writer.traces.clear()
            return record.failure.id
        frames = FrameList(innermost_first="first" in captures)
        rank = as_rank((told_below or {}).get("rank"))
        trace = OpenTraceback(event, event.line, frames, indent_of(event.message), rank=rank)
        return self._open(writer, event, trace, nested=told_below is not None or "original" in captures).id

    def _told_below(self, writer: WriterState, event: Event) -> int:
        """A line behind which the traceback of another process begins, mostly without a head."""
        record = writer.record
        if record is not None and (writer.chained or record.is_near(event)):
            if not writer.chained:
                record.nesting, record.last_line = True, event.line
            return record.failure.id
        return self._open(
            writer, event, OpenTraceback(event, event.line, FrameList(), indent_of(event.message), headless=True)
        ).id

    def _frame(self, writer: WriterState, event: Event, captures: Captures, *, stack: bool) -> Told:
        file, function = captures.get("file", ""), captures.get("function", "")
        frame = Frame(file, whole_number(captures.get("line")), function, self._origin_of(file, function))
        record = writer.record
        head = self._head_above(event)
        if record is not None and record.crash_frames is not None and not writer.traces and head is None:
            self.stacks[record.failure.id] = record.crash_frames
            return record.failure.id, add_crash_frame(record, event, frame)
        trace = writer.open_for(frame) if head is None else None
        if trace is None:
            # A frame out of nowhere: a dump, a log that lost its beginning, an exception told in another's message.
            frames = FrameList(innermost_first=stack or "inner" in captures)
            indent = max(indent_of(event.message) - 2, 0)
            trace = OpenTraceback(head or event, event.line, frames, indent, headless=head is None)
            self._open(writer, event, trace)
        trace.frames.add(frame)
        trace.levels.add(event.level)
        trace.last_line = event.line
        if trace.nested and record is not None:
            record.last_line = event.line
        self.stacks[trace.id] = trace.frames
        return trace.id, None

    def _head_above(self, event: Event) -> Event | None:
        """The head on the line above, of a worker or a rank that only the first line of its message names, or the rest.

        A head that names nobody is nobody's who is in a traceback already.
        """
        head = self._heads.get(event.source)
        if head is None or head.line != event.line - 1 or head.worker == event.worker:
            return None
        if not head.worker.is_process:
            writer = self._writers.get(event.worker)
            return head if event.worker.rank is not None and (writer is None or not writer.traces) else None
        return head if not event.worker.is_process or event.worker == replace(head.worker, rank=None) else None

    def _open(self, writer: WriterState, event: Event, trace: OpenTraceback, *, nested: bool = False) -> OpenTraceback:
        """A new traceback: of the record above it where it is chained to it or told in its message."""
        record, trace.chained, writer.chained = writer.record, writer.chained, False
        if record is not None and not trace.chained and record.failure.kind is FailureKind.EXCEPTION:
            trace.nested = nested or (record.nesting and event.line - record.last_line <= NESTED_LINES)
        chained = trace.nested or trace.chained
        trace.id = record.failure.id if record is not None and chained else next(self._ids)
        writer.begin(trace, alone=event.worker.rank is not None or chained)
        return trace

    def _exception(self, writer: WriterState, event: Event, captures: Captures) -> Told:
        kind, message = unglued(captures.get("type", ""), captures.get("message", "")[:MAX_MESSAGE])
        trace, record, prefix = writer.ending(event), writer.record, captures.get("prefix")
        if trace is not None and (prefix is None or same_prefix(trace.first.message, prefix)):
            return self._complete(writer, event, trace, kind, message)
        if prefix is not None:
            return (trace.id if trace is not None else None), None
        if record is not None and record.is_near(event):
            if record.nesting:
                bare = OpenTraceback(event, event.line, FrameList(), id=record.failure.id, nested=True)
                return self._complete(writer, event, bare, kind, message)
            if not writer.chained:
                return record.failure.id, None
        if writer.traces or kind.endswith("Warning") or indent_of(event.message) > 0:
            return (writer.traces[-1].id if writer.traces else None), None
        bare = OpenTraceback(event, event.line, FrameList(), id=next(self._ids), headless=True)
        return self._complete(writer, event, bare, kind, message)

    def _unnamed(self, writer: WriterState, event: Event) -> Told:
        """A line without a name that tells: the exception by its place, source text, or the begin of a message."""
        for trace in writer.traces:
            if trace.frames.count and 0 < event.line - trace.last_line <= SOURCE_LINES:
                told = exception_by_place(event.message)
                if told and not trace.frames.innermost_first and indent_of(event.message) <= trace.indent + 1:
                    return self._complete(writer, event, trace, *told)
                return trace.id, None
        record, text = writer.record, event.message.strip()
        if record is None or writer.traces or not text or event.line != record.last_line + 1:
            return None, None
        failure = record.failure
        if len(failure.chain) != 1 or failure.chain[0].message or record.wrapped:
            return None, None
        link = replace(failure.chain[0], message=text[:MAX_MESSAGE])
        record.failure = replace(failure, message=link.message, chain=(link,), last=event)
        return failure.id, record.failure

    def _complete(self, writer: WriterState, event: Event, trace: OpenTraceback, kind: str, message: str) -> Told:
        writer.traces = [each for each in writer.traces if each is not trace]
        record, wrappers = writer.record, self._trace.wrappers if self._trace is not None else ()
        message = message or asserted(kind, event.before)
        link = ExceptionLink(kind, message, trace.frames.outermost_first, event, trace.rank)
        known = record is not None and record.failure.id == trace.id
        if record is None or not known or (trace.nested and record.repeats(kind, message)):
            link = replace(link, wraps=wraps(kind, wrappers))
            number = next(self._ids) if known else trace.id
            failure = Failure(
                number, FailureKind.EXCEPTION, event.worker, trace.first, event, true_type(link), message, (link,),
                workers=(event.worker,), stance=writer.stance(trace, event),
            )  # fmt: skip
            record = GrowingRecord(failure, event.line)
        else:
            record.grow(link, nested=trace.nested)
        record.expect(kind, message, wrappers)
        record.last_line = event.line
        writer.record, writer.chained = record, False
        return record.failure.id, record.failure

    def _bounded(self, failure: Failure | None) -> Failure | None:
        """The same until there are too many records to keep, or too many of the same."""
        if failure is None or failure.id in self._records:
            return failure
        kind = (failure.type, failure.frames[-1] if failure.frames else None)
        if len(self._records) >= MAX_RECORDS or self._alike[kind] >= MAX_ALIKE:
            return None
        self._alike[kind] += 1
        self._records.add(failure.id)
        return failure
