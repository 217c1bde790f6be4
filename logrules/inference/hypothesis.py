"""What may be wrong: a rule that holds, with the lines that support it, and its consequences."""

from collections.abc import Iterator
from itertools import chain

from logrules.inference.observation import Match, Observation
from logrules.model.event import as_rank
from logrules.model.record import record
from logrules.model.report import Severity
from logrules.parsing.lone_failures import LOGGED_ERROR
from logrules.ruleset.condition import Detection, Detector
from logrules.ruleset.pack import Rule

# No more ranks or hosts are named.
MAX_NAMED = 1_024


@record
class Hypothesis:
    """A rule that holds: on which observations, and whether the run survived them.

    One that is ``supposed`` does not hold: it is a possible cause of an unknown failure. One that is ``overdue`` is a
    wait that lasted longer than its patience, by the job's own time. ``script`` is the program that ended in its last
    line, where a traceback says so.
    """

    rule: Rule
    matches: tuple[Match, ...]
    survived: bool = False
    supposed: bool = False
    overdue: bool = False
    script: str | None = None

    @property
    def pairs(self) -> Iterator[tuple[Observation, int]]:
        """Its first lines, each with the signal that matched it."""
        return chain.from_iterable(match.pairs for match in self.matches)

    @property
    def lines(self) -> tuple[Observation, ...]:
        """The first lines and the last of each of its matches."""
        return tuple(chain.from_iterable(match.lines for match in self.matches))

    @property
    def first(self) -> Observation:
        """The first line that supports it."""
        if len(self.matches) == 1:
            return self.matches[0].pairs[0][0]
        return min((match.pairs[0][0] for match in self.matches), key=lambda seen: seen.order)

    @property
    def last(self) -> Observation:
        """The last line that supports it."""
        return max((match.last for match in self.matches), key=lambda seen: seen.order)

    @property
    def worded(self) -> bool:
        """Whether it rests on general words of an error that was logged without an exception, and on nothing else."""
        return self.rule.fallback and next(self.said("type"), None) == LOGGED_ERROR

    @property
    def rests_on_silence(self) -> bool:
        """Whether all that speaks for it is that a log just ends."""
        asked = self.rule.when
        return isinstance(asked, Detector) and asked.kind is Detection.STOPPED

    @property
    def severity(self) -> Severity:
        """How bad it is, given that the run may have survived it; what is only supposed is no more than a hint."""
        return Severity.INFO if self.survived or self.supposed else self.rule.severity

    @property
    def reporters(self) -> frozenset[int]:
        """The ranks that wrote any of its lines."""
        return frozenset(rank for match in self.matches for rank in match.ranks)

    def said(self, name: str) -> Iterator[str]:
        """The captures of this name in its first lines, in their order."""
        found = (line.captures(signal).get(name) for line, signal in self.pairs)
        return (text for text in found if text is not None)

    @property
    def named_ranks(self) -> tuple[int, ...]:
        """The ranks that the lines themselves name (capture ``rank``), each once."""
        ranks = map(as_rank, self.said("rank"))
        return tuple(dict.fromkeys(rank for rank in ranks if rank is not None))

    def absent_ranks(self, known: frozenset[int]) -> tuple[int, ...]:
        """Those of the ``known`` ranks that did not report, if they are the minority.

        Or if one message names all that have arrived (capture ``arrived``): then every other rank is absent.
        """
        reporters = self.reporters
        # Ranks count from 0, so those below the highest that reported exist too; a damaged number would give a million.
        if max(reporters, default=0) >= 2 * len(reporters):
            return ()
        absent = (known | frozenset(range(max(reporters, default=0)))) - reporters
        all_listed = next(self.said("arrived"), None) is not None
        return tuple(sorted(absent)) if len(absent) < len(reporters) or all_listed else ()

    @property
    def places(self) -> frozenset[str]:
        """The hosts or containers that wrote its first lines; none if a line does not say."""
        places = {seen.worker.host or seen.worker.role for match in self.matches for seen in match.first}
        return frozenset() if None in places else frozenset(place for place in places if place is not None)

    @property
    def specificity(self) -> int:
        """How much of what the rule looks for was found: kinds of lines, and captures."""
        signals = {signal for match in self.matches for signal in match.signals}
        captured = {name for seen, signal in self.pairs for name in seen.captures(signal)}
        return len(signals) + len(captured) + bool(self.rule.requires)


@record
class Ranked:
    """A hypothesis that no other explains, with its consequences."""

    hypothesis: Hypothesis
    consequences: tuple[Hypothesis, ...] = ()

    @property
    def all(self) -> tuple[Hypothesis, ...]:
        """It and its consequences."""
        return (self.hypothesis, *self.consequences)
