"""Tracebacks while they come in, and exceptions that belong together: causes, contexts, those told in messages."""

from collections.abc import Collection, Iterator

from logrules.model.event import Event, Level, Stance
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame
from logrules.model.record import field, mutable_record, replace
from logrules.parsing.bounded_dict import BoundedDict
from logrules.parsing.exception_line import indent_of

# An exception told in another one's message begins within so many lines below it.
NESTED_LINES = 6
MAX_LINKS = 16
# The exception stands below the last frame: behind its source line and the marks under that.
SOURCE_LINES = 3
OUTERMOST_FRAMES = 8
INNERMOST_FRAMES = 56


class FrameList:
    """Frames in the order of printing, bounded; a frame that repeats the last one (recursion, two writers) is one.

    ``count`` is how many there were.
    """

    def __init__(self, *, innermost_first: bool = False) -> None:
        self.innermost_first = innermost_first
        self.count = 0
        self._kept: list[Frame] = []
        # How many of those that were printed first are kept: behind them frames are left out.
        self._first = INNERMOST_FRAMES if innermost_first else OUTERMOST_FRAMES

    def add(self, frame: Frame) -> None:
        """Put a frame behind those printed before it."""
        if frame == self.last:
            return
        self.count += 1
        self._kept.append(frame)
        if len(self._kept) > INNERMOST_FRAMES + OUTERMOST_FRAMES:
            del self._kept[self._first]

    @property
    def begins_in_script(self) -> bool:
        """Whether the code of a module stands outermost."""
        return any(frame.in_module for frame in self.outermost_first[:1])

    @property
    def last(self) -> Frame | None:
        """The frame that was printed last."""
        return self._kept[-1] if self._kept else None

    def at(self, index: int) -> Frame | None:
        """The frame of this index as long as none was left out."""
        return self._kept[index] if 0 <= index < len(self._kept) == self.count else None

    @property
    def outermost_first(self) -> tuple[Frame, ...]:
        """All that was kept, the outermost first."""
        return tuple(reversed(self._kept) if self.innermost_first else self._kept)


class KeptStacks(BoundedDict[int, FrameList]):
    """The frames that were printed last under the id of each record: of tracebacks, crashes and dumps of stacks."""

    def frames_of(self, record: int) -> tuple[Frame, ...]:
        """The frames told last under this id, the outermost first; none where there were none."""
        frames = self.get(record)
        return frames.outermost_first if frames is not None else ()

    def tracebacks(self) -> Iterator[int]:
        """The ids of tracebacks, also of those that the log cuts off: these print their innermost frame last."""
        return (record for record, frames in self.items() if not frames.innermost_first)


@mutable_record
class OpenTraceback:
    """A traceback whose exception has not come yet.

    ``chained`` says that it came of the exception above it, ``nested`` that it is told in that one's message.
    ``levels`` are those that its frames were logged at, each in a line of its own. ``rank`` is whose it is, where the
    rank that prints it says so.
    """

    first: Event
    last_line: int
    frames: FrameList
    indent: int = 0
    id: int = 0
    chained: bool = False
    nested: bool = False
    headless: bool = False
    levels: set[Level | None] = field(default_factory=set)
    rank: int | None = None

    def is_passed_on(self, last: Event) -> bool:
        """Whether all of it, to this ``last`` line, was logged line by line at the level of what is no trouble.

        So does a program that passes on what another one prints; it says nothing of what became of it.
        """
        return bool(self.levels) and {*self.levels, last.level} <= {Level.DEBUG, Level.INFO}


@mutable_record
class GrowingRecord:
    """A failure record that may grow: ``inner`` is how many of its links were told in messages of others.

    ``nesting`` says that another one may be told below, ``wrapped`` that this is all that the last one is for.
    """

    failure: Failure
    last_line: int
    inner: int = 0
    nesting: bool = False
    wrapped: bool = False
    crash_frames: FrameList | None = None

    def is_near(self, event: Event) -> bool:
        """Whether the line may still be of the message of the record's last exception."""
        return self.failure.kind is FailureKind.EXCEPTION and event.line - self.last_line <= NESTED_LINES

    def repeats(self, kind: str, message: str) -> bool:
        """Whether it is the last exception again, as another process tells it."""
        teller = self.failure.chain[-1]
        return bool(teller.frames) and (teller.type, teller.message) == (kind, message)

    def grow(self, link: ExceptionLink, *, nested: bool) -> None:
        """Put an exception into the chain: what is told in a message before its teller, what was raised on behind."""
        chain = list(self.failure.chain)
        if len(chain) >= MAX_LINKS:
            # What was raised first and what came out at last tell most of a chain without end.
            del chain[MAX_LINKS // 2]
        if nested:
            first = self.inner == 0 or self.wrapped
            if first:
                chain[-1] = replace(chain[-1], wraps=True)
            chain.insert(0 if first else 1, link)
            self.inner += 1
        else:
            if not chain[0].frames and (chain[0].type, chain[0].message) == (link.type, link.message):
                # The log lost the frames of the cause; the same exception was told again with some.
                chain[0] = replace(chain[0], frames=link.frames)
            chain.append(link)
        grown = replace(self.failure, last=link.event, chain=tuple(chain))
        self.failure = replace(grown, type=true_type(grown.root), message=grown.root.message)

    def expect(self, kind: str, message: str, wrappers: Collection[str]) -> None:
        """Note whether the message of the exception that came last goes on below its first line."""
        self.wrapped = wraps(kind, wrappers)
        # An assertion mostly has no message at all.
        open_end = not message.strip() and not kind.endswith("AssertionError")
        self.nesting = self.wrapped or open_end or message.rstrip().endswith(":")


def wraps(kind: str, wrappers: Collection[str]) -> bool:
    """Whether an exception of this type only passes on another one."""
    return kind.partition("(")[0].rpartition(".")[2] in wrappers


def true_type(link: ExceptionLink) -> str:
    """The type of an exception; of a wrapper that names the one it passes on, that one."""
    inside = link.type.partition("(")[2].rstrip(")")
    return inside if link.wraps and inside else link.type


# Other processes' lines may stand between two lines of a traceback; a crash may dump for longer.
MAX_GAP_LINES = 64
CRASH_LINES = 400
# As many processes without a name as a node has ranks may write at once, with so many lines between two of theirs.
MAX_OPEN = 16
_INTERLEAVED_LINES = 2


@mutable_record
class WriterState:
    """The open tracebacks of one worker, more than one where processes without a name write at once.

    ``chained``: the next traceback came of the record. ``ignored_line``: where one was said to be lived through;
    ``only_retried`` says that no more was said than that something is tried again.
    """

    traces: list[OpenTraceback] = field(default_factory=list)
    record: GrowingRecord | None = None
    chained: bool = False
    ignored_line: int | None = None
    only_retried: bool = False

    def close_old(self, line: int) -> None:
        """Forget what began too far above this line."""
        self.traces = [trace for trace in self.traces if 0 <= line - trace.last_line <= MAX_GAP_LINES]
        if self.record is not None:
            reach = CRASH_LINES if self.record.failure.kind is FailureKind.ABORT else MAX_GAP_LINES
            if not 0 <= line - self.record.last_line <= reach:
                self.record, self.chained = None, False

    def begin(self, trace: OpenTraceback, *, alone: bool) -> None:
        """Open a traceback. One process prints one at a time: what was open lost its end, unless others write too."""
        latest = max((each.last_line for each in self.traces), default=0)
        if alone or trace.last_line - latest > _INTERLEAVED_LINES:
            self.traces.clear()
        self.traces = [*self.traces[1 - MAX_OPEN :], trace]

    def open_for(self, frame: Frame) -> OpenTraceback | None:
        """The open traceback that the frame belongs to: processes that write at once all run the same program."""
        if len(self.traces) > 1:
            for trace in sorted(self.traces, key=lambda trace: trace.frames.count):
                if any(other is not trace and other.frames.at(trace.frames.count) == frame for other in self.traces):
                    return trace
        return self.traces[-1] if self.traces else None

    def ending(self, event: Event) -> OpenTraceback | None:
        """The traceback that an exception at this place ends: of several the one that came furthest."""
        boxed = any(sign in event.text for sign in "│╰")
        indent = indent_of(event.message)
        ending = [
            trace
            for trace in self.traces
            if (trace.frames.count or event.line - trace.last_line <= SOURCE_LINES)
            and not trace.frames.innermost_first
            and (boxed or trace.headless or indent <= trace.indent + 1)
        ]
        return max(ending, key=lambda trace: trace.frames.count, default=None)

    def stance(self, trace: OpenTraceback, last: Event) -> Stance:
        """Whether an exception was lived through, as far as its own lines tell."""
        # An error that is tried again is told right above its traceback; between the two it may have been given up.
        reach = 1 if self.only_retried else SOURCE_LINES
        ignored = self.ignored_line is not None and 0 <= trace.first.line - self.ignored_line <= reach
        # What nobody caught is printed from the script's own code on; the words above it were of something else.
        ignored = ignored and not (self.only_retried and trace.frames.begins_in_script)
        self.ignored_line = None
        levels = [event.level for event in (trace.first, last) if event.level is not None]
        said = last.stance is Stance.CAUGHT or (levels and max(levels) <= Level.WARNING)
        return Stance.CAUGHT if ignored or (said and not trace.is_passed_on(last)) else Stance.FACT
