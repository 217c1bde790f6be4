"""What is known of a job whichever of its runs is under way: its time, when it was heard, its last lines."""

from logrules.inference.clock import Clock
from logrules.inference.ending import Endings
from logrules.model.record import field, mutable_record

# No job tells more by name than this, nor so long a value; a hostile log may try.
_MAX_TOLD, _MAX_VALUE = 1_000, 400


@mutable_record
class Activity:
    """When a live job was first listened to, and when it was last heard: at all, and each log. Saved logs: never.

    ``longest_s`` is the longest silence that it has broken.
    ``exit_status`` is that of a command that we started and that has ended.
    """

    begun: float | None = None
    heard: float | None = None
    heard_of: dict[str, float] = field(default_factory=dict)
    exit_status: int | None = None
    longest_s: float = 0.0

    def listen(self, now: float) -> None:
        """Time passes, whether or not anything is heard."""
        self.begun = now if self.begun is None else self.begun

    def hear(self, source: str, now: float) -> None:
        """Bytes of a log came."""
        if self.heard is not None:
            self.longest_s = max(self.longest_s, now - self.heard)
        self.heard = now if self.heard is None else max(now, self.heard)
        self.heard_of[source] = now


@mutable_record
class JobState:
    """What outlives a run: the job's time, when it was heard, its last lines, whether nothing more comes.

    ``told`` is what lines said by name, for steps: settings, versions, the machine. ``order`` is the place of its
    latest line among those of all its logs.
    """

    clock: Clock
    activity: Activity = field(default_factory=Activity)
    endings: Endings = field(default_factory=Endings)
    ended: bool = False
    told: dict[str, str] = field(default_factory=dict)
    order: int = 0

    def next_place(self, places: int) -> int:
        """The place of one more line, which takes so many."""
        self.order += places
        return self.order

    def tell(self, name: str, value: str) -> None:
        """A line says this by name: the last word counts. What no step could use is left out."""
        if len(value) <= _MAX_VALUE and (name in self.told or len(self.told) < _MAX_TOLD):
            self.told[name] = value
