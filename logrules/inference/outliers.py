"""The lines that stand out where no rule knows anything: errors and warnings, rare ones first."""

from logrules.inference.observation import Observation
from logrules.model.event import Level
from logrules.model.record import field, mutable_record
from logrules.model.template import template_of

MAX_SHAPES = 500
SHOWN = 5


@mutable_record
class Outliers:
    """Lines by their template: the first of each and how often it came."""

    shapes: dict[str, tuple[Observation, int]] = field(default_factory=dict)

    def see(self, observation: Observation, *, complaint: bool) -> None:
        """Consider a line; ``complaint`` says that it speaks of an error whatever its level."""
        level = observation.event.level or Level.INFO
        if not complaint and level < Level.WARNING:
            return
        shape = template_of(observation.event.message)
        known = self.shapes.get(shape)
        if known is not None:
            self.shapes[shape] = (known[0], known[1] + 1)
        elif len(self.shapes) < MAX_SHAPES:
            self.shapes[shape] = (observation, 1)

    def rarest(self) -> tuple[Observation, ...]:
        """The few that stand out most, in the order of the log."""
        by_rarity = sorted(self.shapes.values(), key=lambda item: (item[1], -item[0].order))[:SHOWN]
        return tuple(observation for observation, _ in sorted(by_rarity, key=lambda item: item[0].order))
