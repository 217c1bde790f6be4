"""In which phase a failure was: by its frames, and by what a frame asked of another process.

A call through a proxy (a group of workers, an actor) leaves no frame of what was called: the statement that the
traceback prints below the frame is all that tells of it.
"""

from collections.abc import Callable, Iterable

from logrules.model.event import Event
from logrules.model.failure import Failure, Frame
from logrules.parsing.exception_line import indent_of
from logrules.parsing.origin import OriginResolver
from logrules.ruleset.pack import Marker

# So many statements are kept: a log may claim what it likes.
_MAX_STATED = 10_000


class FailurePhases:
    """Follows the phases that the statements in tracebacks tell; ``frames_of`` gives the frames read so far."""

    def __init__(self, resolver: OriginResolver, frames_of: Callable[[int], tuple[Frame, ...]]) -> None:
        self._resolver = resolver
        self._frames_of = frames_of
        self._stated: dict[tuple[int, Frame], str] = {}

    def take(self, record: int, line: Event, markers: Iterable[Marker]) -> None:
        """A line within a record bears these markers: if it is indented, it is the statement of the frame above it."""
        frames = self._frames_of(record)
        if not frames or not indent_of(line.message) or len(self._stated) >= _MAX_STATED:
            return
        for marker in markers:
            if marker.enters is not None:
                self._stated[record, frames[-1]] = marker.enters

    def of(self, record: int, failure: Failure | None) -> str | None:
        """The phase that the innermost telling frame of a record is in, or what its statement asked for."""
        phase, teller = self._resolver.phase_of_chain(failure.chain) if failure is not None else (None, None)
        if phase is None:
            phase, teller = self._resolver.phase_of(self._frames_of(record))
        return phase if teller is None else self._stated.get((record, teller), phase)

    def of_header(self, line: Event) -> str | None:
        """The phase of the logger or the source file that the header of a line names."""
        origin = self._resolver.of_line(line.text)
        return origin.phase if origin is not None else None
