"""The frames of one traceback while they come in: the outermost few and the innermost many of them; and of all."""

from collections.abc import Iterator

from logrules.model.failure import Frame
from logrules.parsing.bounded_dict import BoundedDict

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
        return any(frame.function == "<module>" for frame in self.outermost_first[:1])

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
