"""What a pack says of where workers may be: it is the same for every session of the pack."""

from collections.abc import Mapping

from logrules.inference.cadence import SHORTEST_S, Rhythm
from logrules.model.record import record
from logrules.ruleset.pack import Pack, Wait


@record
class WorkerTables:
    """The phases that loop, that are ``idle``, that interrupt a loop, and that come before the first one.

    ``waits`` are by their id; ``no_rhythm`` is that of who has not made a step.
    """

    loops: frozenset[str]
    idle: frozenset[str]
    interruptions: frozenset[str]
    startup: frozenset[str]
    waits: Mapping[str, Wait]
    no_rhythm: Rhythm

    @classmethod
    def of(cls, pack: Pack) -> "WorkerTables":
        """The tables of a pack."""
        first_loop = next((n for n, phase in enumerate(pack.phases) if phase.loop), len(pack.phases))
        return cls(
            frozenset(phase.id for phase in pack.phases if phase.loop),
            frozenset(phase.id for phase in pack.phases if phase.idle),
            frozenset(marker.leaves for marker in pack.markers if marker.leaves is not None),
            frozenset(phase.id for phase in pack.phases[:first_loop]),
            {wait.id: wait for wait in pack.waits},
            Rhythm(shortest_s=SHORTEST_S * pack.patience),
        )
