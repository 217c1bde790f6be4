"""Collectives that a rank called, from its flight recorder: a kind of event, but not a log line."""

from logrules.model.event import Event
from logrules.model.record import record, replace


@record
class CollectiveCall:
    """The ``seq``-th collective of a process group. Sizes are kept if all ranks must have the same."""

    seq: int
    op: str
    numel_in: int | None
    numel_out: int | None


@record
class RecordedCall(CollectiveCall):
    """The ``entry``-th call in a recorder's dump; ``place`` is where the user's own code made it."""

    completed: bool
    created: float | None
    entry: int
    place: str = ""


@record
class GroupRecord(Event):
    """What the recorder of one worker has on a ``group``: its ``calls``, by their numbers.

    ``members`` are the group's ranks if the dump has them. Used as evidence, a record means its last call.
    """

    description: str = ""
    members: tuple[int, ...] = ()
    calls: tuple[RecordedCall, ...] = ()

    @property
    def group_name(self) -> str:
        """The group's name, with its purpose."""
        return f"process group {self.group}" + (f" ({self.description})" if self.description else "")

    def at(self, call: RecordedCall | None) -> "GroupRecord":
        """The record as evidence of one of its calls; of none if the recorder has none left."""
        said = "no call"
        if call is not None:
            said = f"{call.op} number {call.seq}, {'' if call.completed else 'not '}completed"
            said += f", called at {call.place}" if call.place else ""
        text = f"dump of rank {self.worker.rank}: {self.group_name}, {said}"
        return replace(self, line=call.entry if call is not None else 1, text=text, message=text)
