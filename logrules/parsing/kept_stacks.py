"""The frames that were printed last under the id of each record: of tracebacks, crashes and dumps of stacks."""

from collections import OrderedDict
from collections.abc import Iterator

from logrules.model.failure import Frame
from logrules.parsing.frame_list import FrameList


class KeptStacks:
    """Frames by record, at most ``most`` of them: the one told longest ago goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._stacks: OrderedDict[int, FrameList] = OrderedDict()

    def keep(self, record: int, frames: FrameList) -> None:
        """What was printed under this id, in the place of what was printed before."""
        self._stacks[record] = frames
        self._stacks.move_to_end(record)
        if len(self._stacks) > self._most:
            self._stacks.popitem(last=False)

    def frames_of(self, record: int) -> tuple[Frame, ...]:
        """The frames told last under this id, the outermost first; none where there were none."""
        frames = self._stacks.get(record)
        return frames.outermost_first if frames is not None else ()

    def tracebacks(self) -> Iterator[int]:
        """The ids of tracebacks, also of those that the log cuts off: these print their innermost frame last."""
        return (record for record, frames in self._stacks.items() if not frames.innermost_first)
