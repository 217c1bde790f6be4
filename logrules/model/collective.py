"""Collectives that a rank called, as its flight recorder keeps them: a kind of event of its own, not a line."""

from logrules.model.event import Event
from logrules.model.record import record, replace


@record
class CollectiveCall:
    """The ``seq``-th collective of a process group. Sizes are kept where those of all ranks must be the same."""

    seq: int
    op: str
    numel_in: int | None
    numel_out: int | None


@record
class RecordedCall(CollectiveCall):
    """A call in a recorder's dump, whose ``entry``-th it is; ``place`` is where the user's own code made it."""

    completed: bool
    created: float | None
    entry: int
    place: str = ""


@record
class GroupRecord(Event):
    """What the recorder of a rank (its worker's) holds of a ``group``: its ``calls``, by their numbers.

    ``members`` are the group's ranks where the dump says them. As evidence it stands for its last call.
    """

    description: str = ""
    members: tuple[int, ...] = ()
    calls: tuple[RecordedCall, ...] = ()

    @property
    def group_name(self) -> str:
        """The group, with what it is for."""
        return f"process group {self.group}" + (f" ({self.description})" if self.description else "")

    def at(self, call: RecordedCall | None) -> "GroupRecord":
        """The same as evidence of one of its calls; of none where the rank made none that the recorder still holds."""
        said = "no call"
        if call is not None:
            said = f"{call.op} number {call.seq}, {'' if call.completed else 'not '}completed"
            said += f", called at {call.place}" if call.place else ""
        text = f"dump of rank {self.worker.rank}: {self.group_name}, {said}"
        return replace(self, line=call.entry if call is not None else 1, text=text, message=text)
