"""What no example exercises: signals never seen, branches of a condition never taken, captures never filled."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from logrules.engine.run import Prepared
from logrules.model.record import record
from logrules.model.test_result import RuleCoverage, Share
from logrules.ruleset.condition import all_signals
from logrules.ruleset.pattern import compiled
from logrules.ruletest.condition_trace import ConditionPart
from logrules.ruletest.harness import events_of_example, judged, on_all_cores
from logrules.ruletest.judging import condition_tree
from logrules.ruletest.suite import Example

# Of a rule: a signal, a capture of one, or a part of its condition that holds or does not; the kind, and which.
_SIGNAL, _CAPTURE, _BRANCH = "signal", "capture", "branch"
Exercise: TypeAlias = tuple[str, Hashable]


@record
class Footprint:
    """What one example exercised of its own rule."""

    rule: str
    exercised: frozenset[Exercise]


def coverage(on: Prepared, examples: Sequence[Example], processes: int | None) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by these examples."""
    footprints = on_all_cores(footprint, examples, on, processes)
    return coverage_of(on, dict.fromkeys(example.owner for example in examples), footprints)


def footprint(on: Prepared, example: Example) -> Footprint:
    """Run one example and note what it touches of its rule."""
    own = all_signals(on.index.rule(example.owner).when)
    events = events_of_example(on, example)
    tree = condition_tree(on, judged(on, events, example.quiet_s), example.owner)
    # A whole traceback's signals are in no line's hits, only in what the condition saw.
    hits = [hit for event in (*events, *tree.events()) for hit in event.hits if hit.signal in own]
    signals = {(_SIGNAL, hit.signal) for hit in hits}
    captures = {(_CAPTURE, (hit.signal, name)) for hit in hits for name in hit.captures}
    branches = {(_BRANCH, (path, part.holds)) for path, part in _parts(tree)}
    return Footprint(example.owner, frozenset(signals | captures | branches))


def coverage_of(on: Prepared, rules: Iterable[str], footprints: Iterable[Footprint]) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by the footprints of its examples."""
    exercised: dict[str, set[Exercise]] = {rule: set() for rule in rules}
    for one in footprints:
        exercised[one.rule] |= one.exercised
    return tuple(_rule_coverage(rule, _to_exercise(on, rule), done) for rule, done in exercised.items())


def _rule_coverage(rule: str, asked: Mapping[Exercise, str], done: set[Exercise]) -> RuleCoverage:
    def share(kind: str) -> Share:
        of_kind = [one for one in asked if one[0] == kind]
        return Share(len(done.intersection(of_kind)), len(of_kind))

    missing = tuple(lack for one, lack in asked.items() if one not in done)
    return RuleCoverage(rule, share(_SIGNAL), share(_BRANCH), share(_CAPTURE), missing)


def _to_exercise(on: Prepared, rule: str) -> Mapping[Exercise, str]:
    """All that examples of a rule can exercise, with what is said where none does."""
    asked: dict[Exercise, str] = {}
    signals = [(number, on.pack.signals[number]) for number in sorted(all_signals(on.index.rule(rule).when))]
    for number, signal in signals:
        asked[_SIGNAL, number] = f"no example has the signal `{signal.name}`"
    for number, signal in signals:
        for name in compiled(signal.pattern).groupindex if signal.pattern is not None else ():
            asked[_CAPTURE, (number, name)] = f"no example fills the capture `{name}` of `{signal.name}`"
    for path, part in _parts(condition_tree(on, on.session(), rule)):
        for holds in (True, False):
            asked[_BRANCH, (path, holds)] = f"in no example does `{part.text}` {'hold' if holds else 'not hold'}"
    return asked


def _parts(tree: ConditionPart) -> Iterator[tuple[tuple[int, ...], ConditionPart]]:
    # What is negated says it all: its negation takes the other branch.
    return ((path, part) for path, part in tree.all() if part.operator != "not")
