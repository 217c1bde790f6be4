"""What each rule costs on the cases: the lines that its literals bring up, and the time that its patterns take.

Hyperscan finds the literals of all rules in one pass, so that a rule costs what it makes Python do.
"""

from collections.abc import Callable, Mapping, Sequence

from logrules.engine.run import prepared
from logrules.model.record import mutable_record
from logrules.model.test_result import Cost
from logrules.parsing.captures import Captures
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.pattern import compiled
from logrules.ruletest.case import Case
from logrules.ruletest.harness import run_saved

Clock = Callable[[], float]


@mutable_record
class _Spent:
    tried: int = 0
    matched: int = 0
    seconds: float = 0.0


class _Timed(Captures):
    """Tries patterns as ever, and notes for each rule how often and how long."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self.spent: dict[str, _Spent] = {}

    def of(self, signal: Signal, message: str, text: str, carried: Sequence[str] = ()) -> Mapping[str, str] | None:
        """What the pattern captures."""
        began = self._clock()
        found = super().of(signal, message, text, carried)
        spent = self.spent.setdefault(signal.owner, _Spent())
        spent.seconds += self._clock() - began
        spent.tried += 1
        spent.matched += found is not None
        return found


def costs(pack: Pack, cases: Sequence[Case], clock: Clock, advance: Callable[[], None]) -> tuple[Cost, ...]:
    """The cost of every rule, marker and metric on the logs of these cases, the dearest first.

    ``clock`` tells seconds from any moment on; ``advance`` is called after each case.
    """
    for pattern in (one for signal in pack.signals for one in (signal.pattern, signal.unless) if one is not None):
        # Paid once a process, whatever the logs: no cost of a line.
        compiled(pattern)
    captures = _Timed(clock)
    on = prepared(pack, cache=True, captures=captures)
    lines = 0
    for case in cases:
        lines += run_saved(on, on.session(), case.logs).lines if case.logs else 0
        advance()
    known = dict.fromkeys(signal.owner for signal in pack.signals)
    spent = {name: captures.spent.get(name, _Spent()) for name in known}
    told = [Cost(name, one.tried, one.matched, one.seconds, lines) for name, one in spent.items()]
    return tuple(sorted(told, key=lambda one: (-one.seconds, one.rule)))
