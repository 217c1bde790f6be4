"""Traceback lines of one worker to one exception, and the phase that its frames tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from logrules.model.event import Event, Worker
from logrules.ruleset.pack import Frame, TraceForm

# Other processes' lines may stand between two lines of a traceback.
MAX_GAP_LINES = 64
_MAX_CHAINS = 10_000
_NESTED_LINES = 3
_LIBRARY = ("site-packages", "dist-packages", "lib/python3", "<frozen", "<string>", "lib\\site-packages")


@dataclass(frozen=True, slots=True)
class Traceback:
    """What is known of an exception while its lines come in; ``file`` is the innermost frame of the user's own code."""

    last_line: int
    chain: int
    innermost_first: bool = False
    chained: bool = False
    frames: int = 0
    file: str = ""
    line: str = ""
    function: str = ""
    own: bool = False
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class FinishedTraceback:
    """A finished traceback: its type and message, and the captures that rules get to see."""

    summary: str
    chained: bool
    captures: Mapping[str, str]


class TracebackAssembler:
    """Follows the open traceback of every worker.

    ``phases`` has, for each chain of tracebacks, the phase of the innermost frame that a phase file maps:
    of the exception itself, or where its frames tell nothing of those that follow in its chain.
    """

    def __init__(self, trace: TraceForm | None, frames: Mapping[str, Sequence[Frame]]) -> None:
        self._trace = trace
        self._mapped = frames
        self._open: dict[Worker, Traceback] = {}
        self._last: dict[Worker, int] = {}
        self._ended: dict[Worker, int] = {}
        self._chained: set[Worker] = set()
        self._chains = 0
        self.phases: dict[int, str] = {}

    def feed(self, event: Event) -> tuple[int | None, FinishedTraceback | None]:
        """The chain of tracebacks that the line is in, and the traceback where this line ends it."""
        trace = self._trace
        if trace is None:
            return None, None
        worker, current = event.worker, self._open.pop(event.worker, None)
        if current is not None and event.line - current.last_line > MAX_GAP_LINES:
            self._close(current)
            current = None
        for hit in event.hits:
            if hit.signal == trace.chain:
                self._chained.add(worker)
            elif hit.signal == trace.head:
                current = self._begin(event)
            elif hit.signal in (trace.frame, trace.stack_frame):
                stack = hit.signal == trace.stack_frame
                current = self._frame(current or self._begin_without_head(event, stack=stack), event, hit.captures)
            elif hit.signal == trace.exception and current is not None and current.frames:
                self._close(current)
                self._ended[worker] = event.line
                return current.chain, _folded(current, hit.captures)
        if current is None:
            return None, None
        self._open[worker] = current
        if current.phase is not None and (current.innermost_first or not current.chained):
            self.phases[current.chain] = current.phase
        return current.chain, None

    def _close(self, current: Traceback) -> None:
        if current.phase is not None:
            self.phases.setdefault(current.chain, current.phase)
        if len(self.phases) > _MAX_CHAINS:
            self.phases.pop(next(iter(self.phases)))

    def _begin(self, event: Event) -> Traceback:
        chained = event.worker in self._chained and event.worker in self._last
        self._chained.discard(event.worker)
        if not chained:
            self._chains += 1
            self._last[event.worker] = self._chains
        return Traceback(event.line, self._last[event.worker], "call first" in event.text, chained)

    def _begin_without_head(self, event: Event, *, stack: bool) -> Traceback:
        """A frame out of nowhere: a dump, a log that lost its beginning, an exception told in another's message."""
        ended = self._ended.get(event.worker)
        if stack or ended is None or event.line - ended > _NESTED_LINES:
            return replace(self._begin(event), innermost_first=stack)
        return Traceback(event.line, self._last[event.worker])

    def _frame(self, current: Traceback, event: Event, captures: Mapping[str, str]) -> Traceback:
        file, function = captures.get("file", ""), captures.get("function", "")
        phase = self._phase(file, function)
        phase = (current.phase or phase) if current.innermost_first else (phase or current.phase)
        seen = replace(current, last_line=event.line, frames=current.frames + 1, phase=phase)
        own = not any(part in file for part in _LIBRARY)
        if (own and not (current.innermost_first and current.own)) or not current.own:
            seen = replace(seen, file=file, line=captures.get("line", ""), function=function, own=own)
        return seen

    def _phase(self, file: str, function: str) -> str | None:
        for frame in self._mapped.get(function.rpartition(".")[2], ()):
            if frame.path is None or frame.path in file:
                return frame.phase
        return None


def _folded(current: Traceback, captures: Mapping[str, str]) -> FinishedTraceback:
    kind, message = captures.get("type", ""), captures.get("message", "")
    frame = {"file": current.file, "line": current.line, "function": current.function}
    told = {"type": kind, "message": message, **frame}
    summary = f"{kind}: {message}" if message else kind
    return FinishedTraceback(summary, current.chained, {name: value for name, value in told.items() if value})
