"""The frames of one traceback while they come in: the outermost few and the innermost many of them; and of all."""

from collections import deque
from collections.abc import Iterator

from logrules.model.failure import Frame
from logrules.parsing.bounded_dict import BoundedDict

OUTERMOST_FRAMES = 8
INNERMOST_FRAMES = 56


class FrameList:
    """Frames in the order of printing, bounded; a frame that repeats the last one (recursion, two writers) is one."""

    def __init__(self, *, innermost_first: bool = False) -> None:
        self.innermost_first = innermost_first
        self.count = 0
        self._early: list[Frame] = []
        self._late: deque[Frame] = deque(maxlen=INNERMOST_FRAMES)

    def add(self, frame: Frame) -> None:
        """Put a frame behind those printed before it."""
        if frame == self.last:
            return
        self.count += 1
        early = INNERMOST_FRAMES if self.innermost_first else OUTERMOST_FRAMES
        if len(self._early) < early:
            self._early.append(frame)
        elif not self.innermost_first or len(self._late) < OUTERMOST_FRAMES:
            self._late.append(frame)
        else:
            self._late.popleft()
            self._late.append(frame)

    @property
    def begins_in_script(self) -> bool:
        """Whether the code of a module stands outermost."""
        return any(frame.function == "<module>" for frame in self.outermost_first[:1])

    @property
    def last(self) -> Frame | None:
        """The frame that was printed last."""
        return self._late[-1] if self._late else self._early[-1] if self._early else None

    def at(self, index: int) -> Frame | None:
        """The frame of this index as long as none was left out."""
        kept = len(self._early) + len(self._late)
        if self.count != kept or not 0 <= index < kept:
            return None
        early = len(self._early)
        return self._early[index] if index < early else self._late[index - early]

    @property
    def outermost_first(self) -> tuple[Frame, ...]:
        """All that was kept, the outermost first."""
        frames = (*self._early, *self._late)
        return frames[::-1] if self.innermost_first else frames


class KeptStacks(BoundedDict[int, FrameList]):
    """The frames that were printed last under the id of each record: of tracebacks, crashes and dumps of stacks."""

    def frames_of(self, record: int) -> tuple[Frame, ...]:
        """The frames told last under this id, the outermost first; none where there were none."""
        frames = self.get(record)
        return frames.outermost_first if frames is not None else ()

    def tracebacks(self) -> Iterator[int]:
        """The ids of tracebacks, also of those that the log cuts off: these print their innermost frame last."""
        return (record for record, frames in self.items() if not frames.innermost_first)
