"""The lines of tracebacks, crashes and kernel messages to failure records, a worker at a time."""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from logrules.model.event import Event, Level, Worker
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame, Link, Origin, Stance
from logrules.parsing.exit_signals import signal_name, signal_number
from logrules.parsing.frame_list import FrameList
from logrules.ruleset.pack import TraceForm

# Other processes' lines may stand between two lines of a traceback.
MAX_GAP_LINES = 64
# An exception told in another one's message begins within so many lines below it; a crash may dump for longer.
NESTED_LINES = 6
CRASH_LINES = 400
MAX_WORKERS = 4_096
MAX_RECORDS = 10_000
# A failure that is told thousands of times must not hide the next one.
MAX_ALIKE = 1_024
# As many processes without a name as a node has ranks may write at once.
MAX_OPEN = 16
MAX_LINKS = 16
MAX_MESSAGE = 2_000
_CRASH_FRAMES = 24
# What std::terminate, assert and a failed check end in: minus the number of SIGABRT.
_ABORTED = -6
# The exception stands below the last frame: behind its source line and the marks under that.
_SOURCE_LINES = 3
# A name in CapWords, or a dotted one (socket.timeout), that is no file's.
_BY_PLACE = re.compile(
    r"\W{0,8}(?P<type>(?=[\w.]{0,400}(?:[A-Z]\w{0,99}[a-z]|\.[a-z]))(?:[A-Za-z_]\w{0,99}\.){0,12}"
    r"(?!(?:py|sh|cc|cpp|cu|json|yaml)\b)[A-Za-z_]\w{0,99})(?::(?: (?P<message>.*))?)?$"
)
# Between two lines of tracebacks that are written at once stand no more than these.
_INTERLEAVED_LINES = 2
_DIGITS = re.compile(r"\d+")
# Numbers in a prefix may have more digits in one line than in the next.
_PREFIX_SLACK = 20
_INDENT = " \t|│"


@dataclass(slots=True)
class _Trace:
    """A traceback whose exception has not come yet."""

    id: int
    first: Event
    last_line: int
    frames: FrameList
    indent: int
    link: Link | None = None
    nested: bool = False
    headless: bool = False
    stack: bool = False


@dataclass(slots=True)
class _Record:
    """A failure record that may grow: ``inner`` is how many of its links were told in messages of others.

    ``nesting`` says that another one may be told below, ``wrapped`` that this is all that the last one is for.
    """

    failure: Failure
    last_line: int
    inner: int = 0
    nesting: bool = False
    wrapped: bool = False
    crash_frames: FrameList | None = None


@dataclass(slots=True)
class _Writer:
    """What is open of one worker."""

    traces: list[_Trace] = field(default_factory=list)
    record: _Record | None = None
    link: Link | None = None
    ignored_line: int | None = None


class TracebackAssembler:
    """Follows the open tracebacks of every worker. ``origin_of`` says where a frame (file, function) is from."""

    def __init__(self, trace: TraceForm | None, origin_of: Callable[[str, str], Origin]) -> None:
        self._trace = trace
        self._origin_of = origin_of
        self._writers: OrderedDict[Worker, _Writer] = OrderedDict()
        self._stacks: OrderedDict[int, FrameList] = OrderedDict()
        self._latest: dict[str, Worker] = {}
        self._ids = 0
        self._records: set[int] = set()
        self._alike: Counter[tuple[str, Frame | None]] = Counter()

    def feed(self, event: Event) -> tuple[int | None, Failure | None]:
        """The id of the record that the line belongs to, and the record where this line begins or completes it.

        A record that grows keeps its id; the later one takes the place of the earlier.
        """
        form = self._trace
        if form is None:
            return None, None
        hits = {hit.signal: hit.captures for hit in event.hits}
        if event.worker not in self._writers and form.signals.isdisjoint(hits) and form.kernel not in hits:
            return None, None
        grown = self._above(event)
        writer = self._writer(event)
        member, failure = self._line(form, writer, event, hits)
        if failure is None:
            failure = grown
        if member is None and grown is not None:
            member = grown.id
        return member, self._bounded(failure)

    def frames_of(self, record: int) -> tuple[Frame, ...]:
        """The frames told last under this id, the outermost first, also of a stack dump that is no failure."""
        frames = self._stacks.get(record)
        return frames.outermost_first if frames is not None else ()

    def _writer(self, event: Event) -> _Writer:
        writer = self._writers.get(event.worker)
        if writer is None:
            writer = self._writers[event.worker] = _Writer()
            if len(self._writers) > MAX_WORKERS:
                self._writers.popitem(last=False)
        else:
            self._writers.move_to_end(event.worker)
        writer.traces = [trace for trace in writer.traces if 0 <= event.line - trace.last_line <= MAX_GAP_LINES]
        record = writer.record
        if record is not None:
            reach = CRASH_LINES if record.failure.kind is FailureKind.ABORT else MAX_GAP_LINES
            if not 0 <= event.line - record.last_line <= reach:
                writer.record, writer.link = None, None
        return writer

    def _line(
        self, form: TraceForm, writer: _Writer, event: Event, hits: Mapping[int, Mapping[str, str]]
    ) -> tuple[int | None, Failure | None]:
        if form.kernel is not None and form.kernel in hits:
            return self._kernel(event, hits[form.kernel])
        if form.abort is not None and form.abort in hits:
            return self._abort(writer, event, hits[form.abort])
        if form.ignored is not None and form.ignored in hits:
            writer.ignored_line = event.line
            return None, None
        if form.chain in hits and writer.record is not None:
            writer.link = Link.CAUSE if "cause" in hits[form.chain] else Link.CONTEXT
            return writer.record.failure.id, None
        exception = hits.get(form.exception)
        done: tuple[int | None, Failure | None] = (None, None)
        if exception is not None:
            done = self._exception(writer, event, exception)
        frame = hits.get(form.frame, hits.get(form.stack_frame))
        nested = form.nested is not None and form.nested in hits
        if form.head in hits:
            head = self._head(writer, event, hits[form.head], nested=nested)
            return head, done[1]
        if nested:
            return self._nested(writer, event), done[1]
        if frame is not None and done[0] is None:
            return self._frame(writer, event, frame, stack=form.frame not in hits)
        if exception is None:
            done = self._by_place(writer, event)
        return done

    def _head(self, writer: _Writer, event: Event, captures: Mapping[str, str], *, nested: bool) -> int:
        record = writer.record
        if "current" in captures and record is not None and record.failure.kind is FailureKind.ABORT:
            record.crash_frames = FrameList(innermost_first=True)
            record.last_line = event.line
            writer.traces.clear()
            return record.failure.id
        inside = record is not None and self._goes_on(record, event, nested=nested or "original" in captures)
        link = writer.link
        writer.link = None
        known = record.failure.id if record is not None and (inside or link is not None) else None
        trace = _Trace(
            known if known is not None else self._new_id(), event, event.line,
            FrameList(innermost_first="first" in captures), _indent(event.message),
            link, inside and link is None, stack="first" in captures,
        )  # fmt: skip
        self._open(writer, event, trace)
        return trace.id

    def _goes_on(self, record: _Record, event: Event, *, nested: bool) -> bool:
        """Whether a traceback that begins here is told in the message of the record's last exception."""
        if record.failure.kind is not FailureKind.EXCEPTION:
            return False
        if nested and event.line - record.last_line <= MAX_GAP_LINES:
            return True
        return record.nesting and event.line - record.last_line <= NESTED_LINES

    def _nested(self, writer: _Writer, event: Event) -> int | None:
        """A line behind which the traceback of another process begins, mostly without a head."""
        record = writer.record
        if record is not None and writer.link is None and _is_near(record, event):
            record.nesting, record.last_line = True, event.line
            return record.failure.id
        if record is not None and writer.link is not None:
            return record.failure.id
        trace = _Trace(self._new_id(), event, event.line, FrameList(), _indent(event.message) - 2, headless=True)
        self._open(writer, event, trace)
        return trace.id

    def _frame(
        self, writer: _Writer, event: Event, captures: Mapping[str, str], *, stack: bool
    ) -> tuple[int, Failure | None]:
        frame = self._read_frame(captures)
        record = writer.record
        if record is not None and record.crash_frames is not None and not writer.traces:
            return self._crash_frame(record, event, frame)
        trace = self._trace_of(writer, frame) or self._headless(writer, event, captures, stack=stack)
        trace.frames.add(frame)
        trace.last_line = event.line
        self._latest[event.source] = event.worker
        if trace.nested and record is not None:
            record.last_line = event.line
        self._keep_stack(trace.id, trace.frames)
        return trace.id, None

    def _crash_frame(self, record: _Record, event: Event, frame: Frame) -> tuple[int, Failure | None]:
        """A frame of the thread that crashed."""
        frames = record.crash_frames or FrameList(innermost_first=True)
        record.last_line = event.line
        if frames.count >= _CRASH_FRAMES:
            return record.failure.id, None
        frames.add(frame)
        self._keep_stack(record.failure.id, frames)
        failure = record.failure
        link = ExceptionLink(failure.type, failure.message, frames.outermost_first, Link.ROOT, failure.first)
        record.failure = replace(failure, chain=(link,), last=event)
        return failure.id, record.failure

    def _trace_of(self, writer: _Writer, frame: Frame) -> _Trace | None:
        """The open traceback that the frame belongs to: of processes that write at once, all run the same program."""
        if len(writer.traces) > 1:
            for trace in sorted(writer.traces, key=lambda trace: trace.frames.count):
                if any(other is not trace and other.frames.at(trace.frames.count) == frame for other in writer.traces):
                    return trace
        return writer.traces[-1] if writer.traces else None

    def _headless(self, writer: _Writer, event: Event, captures: Mapping[str, str], *, stack: bool) -> _Trace:
        """A frame out of nowhere: a dump, a log that lost its beginning, an exception told in another's message."""
        record = writer.record
        inside = record is not None and not stack and self._goes_on(record, event, nested=False)
        link, writer.link = writer.link, None
        known = record.failure.id if record is not None and (inside or link is not None) else None
        # faulthandler writes no comma before "in", and the innermost frame first.
        upside_down = stack or ("comma" not in captures and 'File "' in event.message and "function" in captures)
        trace = _Trace(
            known if known is not None else self._new_id(), event, event.line,
            FrameList(innermost_first=upside_down), max(_indent(event.message) - 2, 0), link,
            inside and link is None, headless=True, stack=stack,
        )  # fmt: skip
        self._open(writer, event, trace)
        return trace

    def _open(self, writer: _Writer, event: Event, trace: _Trace) -> None:
        if event.worker.named or trace.nested or trace.link is not None:
            # One process prints one traceback at a time: what was open lost its end.
            writer.traces.clear()
        if writer.traces and event.line - max(each.last_line for each in writer.traces) > _INTERLEAVED_LINES:
            writer.traces.clear()
        writer.traces.append(trace)
        del writer.traces[:-MAX_OPEN]

    def _exception(
        self, writer: _Writer, event: Event, captures: Mapping[str, str]
    ) -> tuple[int | None, Failure | None]:
        kind, message = _unglued(captures.get("type", ""), captures.get("message", "")[:MAX_MESSAGE])
        trace = self._ending(writer, event)
        prefix = captures.get("prefix")
        if trace is not None and (prefix is None or _same_prefix(trace.first.message, prefix)):
            return self._complete(writer, event, trace, kind, message)
        if prefix is not None:
            return (trace.id if trace is not None else None), None
        record = writer.record
        if record is not None and record.failure.kind is FailureKind.EXCEPTION:
            below = event.line - record.last_line
            if record.nesting and below <= NESTED_LINES:
                bare = _Trace(record.failure.id, event, event.line, FrameList(), 0, nested=True)
                return self._complete(writer, event, bare, kind, message)
            if below <= NESTED_LINES and writer.link is None:
                return record.failure.id, None
        if writer.traces or kind.endswith("Warning") or _indent(event.message) > 0:
            return (writer.traces[-1].id if writer.traces else None), None
        bare = _Trace(self._new_id(), event, event.line, FrameList(), 0, headless=True)
        return self._complete(writer, event, bare, kind, message)

    def _ending(self, writer: _Writer, event: Event) -> _Trace | None:
        """The traceback that an exception at this place ends: of several the one that came furthest."""
        boxed = any(sign in event.text for sign in "│╰")
        open_ones = [
            trace
            for trace in writer.traces
            if (trace.frames.count or event.line - trace.last_line <= _SOURCE_LINES)
            and not trace.frames.innermost_first
            and (boxed or trace.headless or _indent(event.message) <= trace.indent + 1)
        ]
        return max(open_ones, key=lambda trace: trace.frames.count, default=None)

    def _by_place(self, writer: _Writer, event: Event) -> tuple[int | None, Failure | None]:
        """A line without a name that tells: the exception by its place, source text, or another's message."""
        for trace in writer.traces:
            below = event.line - trace.last_line
            if trace.frames.count and 0 < below <= _SOURCE_LINES:
                found = _BY_PLACE.match(event.message.rstrip())
                if found and not trace.frames.innermost_first and _indent(event.message) <= trace.indent + 1:
                    message = (found["message"] or "")[:MAX_MESSAGE]
                    return self._complete(writer, event, trace, found["type"], message)
                return trace.id, None
        record = writer.record
        if record is None or record.failure.kind is not FailureKind.EXCEPTION or writer.traces:
            return None, None
        return self._message_line(record, event)

    def _message_line(self, record: _Record, event: Event) -> tuple[int | None, Failure | None]:
        """The line directly below an exception whose message had not begun."""
        failure = record.failure
        text = event.message.strip()
        if event.line != record.last_line + 1 or failure.last.worker != event.worker or not text:
            return None, None
        if failure.chain and not failure.chain[-1].message and text != '"""' and len(failure.chain) == 1:
            link = replace(failure.chain[0], message=text[:MAX_MESSAGE])
            record.failure = replace(failure, message=link.message, chain=(link,), last=event)
            return failure.id, record.failure
        return None, None

    def _above(self, event: Event) -> Failure | None:
        """A custom exception between the last frame of a traceback and this event, seen in the lines above it."""
        if not event.before:
            return None
        worker = self._latest.get(event.source)
        writer = self._writers.get(worker) if worker is not None else None
        if worker is None or writer is None or not writer.traces:
            return None
        trace = writer.traces[-1]
        last = trace.frames.last
        if last is None or trace.frames.innermost_first or not 0 < event.line - trace.last_line <= _SOURCE_LINES + 2:
            return None
        for index, line in enumerate(event.before):
            number = event.line - len(event.before) + index
            if not trace.last_line < number <= trace.last_line + _SOURCE_LINES:
                continue
            head = trace.first
            prefix = head.text.removesuffix(head.message) if head.text.endswith(head.message) else ""
            if not line.startswith(prefix):
                continue
            rest = line[len(prefix) :].rstrip()
            found = _BY_PLACE.match(rest)
            if found and _indent(rest) <= trace.indent:
                told = replace(event, line=number, text=line, message=rest, worker=worker, hits=(), before=(), after=())
                return self._complete(writer, told, trace, found["type"], (found["message"] or "")[:MAX_MESSAGE])[1]
        return None

    def _complete(
        self, writer: _Writer, event: Event, trace: _Trace, kind: str, message: str
    ) -> tuple[int, Failure | None]:
        """The record with this exception in it."""
        if trace in writer.traces:
            writer.traces.remove(trace)
        record = writer.record
        wraps = self._wraps(kind)
        frames = trace.frames.outermost_first
        if record is None or record.failure.id != trace.id or _is_copy(record, trace, kind, message):
            link = ExceptionLink(kind, message, frames, Link.WRAPPER if wraps else Link.ROOT, event)
            stance = self._stance(writer, trace.first, event)
            known = record is not None and record.failure.id == trace.id
            failure = Failure(
                self._new_id() if known else trace.id, FailureKind.EXCEPTION, event.worker, trace.first, event, _true_type(link), message, (link,),
                workers=(event.worker,), stance=stance,
            )  # fmt: skip
            record = _Record(failure, event.line)
        elif len(record.failure.chain) < MAX_LINKS:
            self._grow(record, event, ExceptionLink(kind, message, frames, trace.link or Link.ROOT, event), trace)
        record.wrapped = wraps
        record.nesting = wraps or _goes_on_below(kind, message)
        record.last_line = event.line
        writer.record, writer.link = record, None
        return record.failure.id, record.failure

    def _grow(self, record: _Record, event: Event, link: ExceptionLink, trace: _Trace) -> None:
        """Put an exception into the chain: what is told in a message before its teller, what was raised on behind."""
        chain = list(record.failure.chain)
        if trace.nested:
            first = record.inner == 0 or record.wrapped
            chain = (
                [replace(each, link=_within(each.link, told=each is chain[-1])) for each in chain] if first else chain
            )
            chain.insert(0 if first else 1, replace(link, link=Link.ROOT if first else Link.CONTEXT))
            record.inner += 1
        else:
            if not chain[0].frames and (chain[0].type, chain[0].message) == (link.type, link.message):
                # The log lost the frames of the cause; the same exception was told again with some.
                chain[0] = replace(chain[0], frames=link.frames)
            chain.append(link)
        root = next((each for each in chain if each.link is not Link.WRAPPER), chain[0])
        record.failure = replace(
            record.failure, last=event, type=_true_type(root), message=root.message, chain=tuple(chain)
        )

    def _wraps(self, kind: str) -> bool:
        form = self._trace
        return form is not None and kind.partition("(")[0].rpartition(".")[2] in form.wrappers

    def _abort(self, writer: _Writer, event: Event, captures: Mapping[str, str]) -> tuple[int | None, Failure | None]:
        """A crash in native code; what is told of it on further lines goes into the same record."""
        if "signal" not in captures and event.level is not None and event.level < Level.ERROR:
            return None, None
        number = signal_number(captures.get("signal") or captures.get("type", ""))
        code = -number if number is not None else None
        said = (captures.get("message") or captures.get("what") or "")[:MAX_MESSAGE]
        record = writer.record
        if record is not None and record.failure.kind is FailureKind.ABORT:
            known = record.failure
            record.last_line = event.line
            told = replace(known, message=known.message or said, code=code or known.code, last=event)
            if not told.type and "type" in captures:
                told = replace(told, type=captures["type"])
            record.failure = told
            return told.id, told if told.message != known.message or told.code != known.code else None
        kind = captures.get("type") or (signal_name(number) if number else None) or ""
        failure = Failure(
            self._new_id(), FailureKind.ABORT, event.worker, event, event, kind, said, code=code or _ABORTED,
            workers=(event.worker,),
        )  # fmt: skip
        writer.record, writer.link = _Record(failure, event.line), None
        return failure.id, failure

    def _kernel(self, event: Event, captures: Mapping[str, str]) -> tuple[int, Failure | None]:
        kind = captures.get("type", "")
        code = None
        if "memory" in kind or kind == "oom-kill":
            code = -9
        elif kind == "segfault":
            code = -11
        if kind == "Xid":
            kind = f"Xid {captures.get('code', '')}".strip()
        failure = Failure(
            self._new_id(), FailureKind.KERNEL, event.worker, event, event, kind, event.message[:MAX_MESSAGE],
            code=code, workers=(event.worker,),
        )  # fmt: skip
        return failure.id, failure

    def _stance(self, writer: _Writer, first: Event, last: Event) -> Stance:
        near = writer.ignored_line is not None and 0 <= first.line - writer.ignored_line <= _SOURCE_LINES
        writer.ignored_line = None
        levels = [event.level for event in (first, last) if event.level is not None]
        return Stance.CAUGHT if near or (levels and max(levels) <= Level.WARNING) else Stance.FACT

    def _read_frame(self, captures: Mapping[str, str]) -> Frame:
        file, function, line = captures.get("file", ""), captures.get("function", ""), captures.get("line", "")
        number = int(line) if line.isdecimal() and len(line) < 10 else None  # noqa: PLR2004 (a line of a file)
        return Frame(file, number, function, self._origin_of(file, function))

    def _keep_stack(self, record: int, frames: FrameList) -> None:
        self._stacks[record] = frames
        self._stacks.move_to_end(record)
        if len(self._stacks) > MAX_RECORDS:
            self._stacks.popitem(last=False)

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids

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


def _is_near(record: _Record, event: Event) -> bool:
    """Whether the line may still be of the message of the record's last exception."""
    return record.failure.kind is FailureKind.EXCEPTION and event.line - record.last_line <= NESTED_LINES


def _is_copy(record: _Record, trace: _Trace, kind: str, message: str) -> bool:
    """Whether what seemed to be told in an exception's message is the same exception of another process."""
    teller = record.failure.chain[-1]
    return trace.nested and bool(teller.frames) and (teller.type, teller.message) == (kind, message)


def _within(link: Link, *, told: bool) -> Link:
    """How an exception of a chain came about once one is known that was told in the message of the last."""
    if told:
        return Link.WRAPPER
    return Link.CONTEXT if link is Link.ROOT else link


def _true_type(link: ExceptionLink) -> str:
    """The type of an exception; of a wrapper that names the one it passes on, that one."""
    inside = link.type.partition("(")[2].rstrip(")")
    return inside if link.link is Link.WRAPPER and inside else link.type


def _same_prefix(one: str, other: str) -> bool:
    """Whether two lines begin with the same unknown prefix, but for the numbers in it."""
    template = _DIGITS.sub("0", other.rstrip())
    return _DIGITS.sub("0", one[: len(other) + _PREFIX_SLACK]).startswith(template)


def _unglued(kind: str, message: str) -> tuple[str, str]:
    """Type and message where two processes wrote the same at once: ``KeyErrorKeyError: : 'a''a'``."""
    half = len(kind) // 2
    if not kind or kind[:half] * 2 != kind:
        return kind, message
    message = message.removeprefix(":").strip()
    middle = len(message) // 2
    return kind[:half], message[:middle] if message[:middle] * 2 == message else message


def _indent(message: str) -> int:
    return len(message) - len(message.lstrip(_INDENT))


def _goes_on_below(kind: str, message: str) -> bool:
    """Whether an exception's message goes on below its first line, perhaps with another traceback."""
    return message.rstrip().endswith(":") or (not message.strip() and not kind.endswith("AssertionError"))
