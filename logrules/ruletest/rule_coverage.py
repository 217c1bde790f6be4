"""What no example exercises: signals never seen, branches of a condition never taken, captures never filled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from logrules.engine.run import Prepared
from logrules.inference.condition_trace import ConditionPart
from logrules.model.record import record
from logrules.model.test_result import RuleCoverage, Share
from logrules.ruleset.condition import all_signals
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.pattern import compiled
from logrules.ruletest.harness import events_of_example, judged
from logrules.ruletest.judging import condition_tree
from logrules.ruletest.parallel import on_all_cores
from logrules.ruletest.suite import Example

Branch = tuple[tuple[int, ...], bool]


@record
class Footprint:
    """What one example exercised of its own rule: signals, (signal, capture) pairs, and each part's outcomes."""

    rule: str
    signals: frozenset[int]
    captures: frozenset[tuple[int, str]]
    branches: frozenset[Branch]


def coverage(on: Prepared, examples: Sequence[Example], processes: int | None) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by these examples."""
    footprints = on_all_cores(footprint, examples, on, processes)
    return coverage_of(on, dict.fromkeys(example.owner for example in examples), footprints)


def footprint(on: Prepared, example: Example) -> Footprint:
    """Run one example and note what it touches of its rule."""
    own = all_signals(on.index.rules[example.owner].when)
    events = events_of_example(on, example)
    tree = condition_tree(on, judged(on, events, example.quiet_s), example.owner)
    # A whole traceback's signals are in no line's hits, only in what the condition saw.
    told = [observation.event for leaf in tree.leaves() for observation in leaf.observations]
    hits = [hit for event in (*events, *told) for hit in event.hits if hit.signal in own]
    return Footprint(
        example.owner,
        frozenset(hit.signal for hit in hits),
        frozenset((hit.signal, name) for hit in hits for name in hit.captures),
        frozenset((path, part.holds) for path, part in _parts(tree)),
    )


def coverage_of(on: Prepared, rules: Iterable[str], footprints: Sequence[Footprint]) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by the footprints of its examples."""
    by_rule: dict[str, list[Footprint]] = {}
    for one in footprints:
        by_rule.setdefault(one.rule, []).append(one)
    return tuple(_rule_coverage(on, on.index.rules[rule], by_rule.get(rule, [])) for rule in rules)


def _rule_coverage(on: Prepared, rule: Rule, found: Sequence[Footprint]) -> RuleCoverage:
    named, signals = on.pack.signals, sorted(all_signals(rule.when))
    captures = [(signal, name) for signal in signals for name in _capture_names(on.pack, signal)]
    branches = _branches(on, rule)
    seen = frozenset(signal for one in found for signal in one.signals)
    filled = frozenset(pair for one in found for pair in one.captures)
    taken = frozenset(branch for one in found for branch in one.branches)
    missing = (
        *(f"no example has the signal `{named[signal].name}`" for signal in signals if signal not in seen),
        *(
            f"no example fills the capture `{name}` of `{named[signal].name}`"
            for signal, name in captures
            if (signal, name) not in filled
        ),
        *(
            f"in no example does `{text}` {'hold' if held else 'not hold'}"
            for (path, held), text in branches.items()
            if (path, held) not in taken
        ),
    )
    return RuleCoverage(
        rule.id,
        Share(len(seen), len(signals)),
        Share(sum(branch in taken for branch in branches), len(branches)),
        Share(len(filled.intersection(captures)), len(captures)),
        missing,
    )


def _capture_names(pack: Pack, signal: int) -> tuple[str, ...]:
    """The named groups of a signal's pattern."""
    pattern = pack.signals[signal].pattern
    if pattern is None:
        return ()
    return tuple(compiled(pattern).groupindex)


def _branches(on: Prepared, rule: Rule) -> Mapping[Branch, str]:
    """Every part of the condition, to hold and not to hold, with its words."""
    tree = condition_tree(on, on.session(), rule.id)
    return {(path, held): part.text for path, part in _parts(tree) for held in (True, False)}


def _parts(part: ConditionPart, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], ConditionPart]]:
    # What is negated says it all: its negation takes the other branch.
    if part.operator != "not":
        yield path, part
    for number, inner in enumerate(part.parts):
        yield from _parts(inner, (*path, number))
