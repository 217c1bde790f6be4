"""What is open of one worker: tracebacks, the record that may still grow, what the next one is to it."""

from logrules.model.event import Event, Level, Stance
from logrules.model.failure import FailureKind, Frame, Link
from logrules.model.record import field, mutable_record
from logrules.parsing.exception_chain import SOURCE_LINES, GrowingRecord, OpenTraceback
from logrules.parsing.exception_line import indent_of

# Other processes' lines may stand between two lines of a traceback; a crash may dump for longer.
MAX_GAP_LINES = 64
CRASH_LINES = 400
# As many processes without a name as a node has ranks may write at once, with so many lines between two of theirs.
MAX_OPEN = 16
_INTERLEAVED_LINES = 2


@mutable_record
class WriterState:
    """The open tracebacks of one worker, more than one where processes without a name write at once.

    ``link`` is what the next traceback is to the record, ``ignored_line`` where one was said to be lived through;
    ``only_retried`` says that no more was said than that something is tried again.
    """

    traces: list[OpenTraceback] = field(default_factory=list)
    record: GrowingRecord | None = None
    link: Link | None = None
    ignored_line: int | None = None
    only_retried: bool = False

    def close_old(self, line: int) -> None:
        """Forget what began too far above this line."""
        self.traces = [trace for trace in self.traces if 0 <= line - trace.last_line <= MAX_GAP_LINES]
        if self.record is not None:
            reach = CRASH_LINES if self.record.failure.kind is FailureKind.ABORT else MAX_GAP_LINES
            if not 0 <= line - self.record.last_line <= reach:
                self.record, self.link = None, None

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
        ignored = self.ignored_line is not None and 0 <= trace.first.line - self.ignored_line <= SOURCE_LINES
        # What nobody caught is printed from the script's own code on; the words above it were of something else.
        ignored = ignored and not (self.only_retried and trace.frames.begins_in_script)
        self.ignored_line = None
        levels = [event.level for event in (trace.first, last) if event.level is not None]
        said = last.stance is Stance.CAUGHT or (levels and max(levels) <= Level.WARNING)
        return Stance.CAUGHT if ignored or (said and not trace.is_passed_on(last)) else Stance.FACT
