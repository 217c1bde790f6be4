"""The lines that stand out where no rule knows anything: errors and warnings, rare ones first."""

from logrules.inference.observation import Observation
from logrules.model.event import Level
from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, mutable_record

MAX_SHAPES = 500
SHOWN = 5
_VARYING = late_pattern(r"0x[0-9a-f]+|\d+")


@mutable_record
class Outliers:
    """Lines by their shape (numbers left out): the first of each and how often it came."""

    shapes: dict[str, tuple[Observation, int]] = field(default_factory=dict)

    def see(self, observation: Observation, *, complaint: bool) -> None:
        """Consider a line; ``complaint`` says that it speaks of an error whatever its level."""
        level = observation.event.level or Level.INFO
        if not complaint and level < Level.WARNING:
            return
        shape = _VARYING.sub("0", observation.event.message)[:200]
        known = self.shapes.get(shape)
        if known is not None:
            self.shapes[shape] = (known[0], known[1] + 1)
        elif len(self.shapes) < MAX_SHAPES:
            self.shapes[shape] = (observation, 1)

    def rarest(self) -> tuple[Observation, ...]:
        """The few that stand out most, in the order of the log."""
        by_rarity = sorted(self.shapes.values(), key=lambda item: (item[1], -item[0].order))[:SHOWN]
        return tuple(observation for observation, _ in sorted(by_rarity, key=lambda item: item[0].order))
