"""How much the examples of rules hold: what none of them exercises, and the wrong rules that none of them notices.

Exercised are signals that are seen, branches of a condition that are taken, captures that are filled. Mutants are rules
made wrong in one place each.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from logrules.engine.run import Prepared
from logrules.inference.rule_index import Index
from logrules.model.event import Event
from logrules.model.record import record, replace
from logrules.model.test_result import MutationScore, RuleCoverage, Share
from logrules.ruleset import condition as nodes
from logrules.ruleset.condition import all_signals
from logrules.ruleset.duration import spelled
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import Pack, Rule, Signal
from logrules.ruleset.pattern import compiled
from logrules.ruleset.when import spell
from logrules.ruletest.condition_trace import ConditionPart
from logrules.ruletest.harness import events_of_example, held, judged, on_all_cores, report_on
from logrules.ruletest.judging import condition_tree, misses
from logrules.ruletest.rule_tests import Example

# Wide enough that a near miss need not lie on the edge of its window.
WIDER = 10
_NEVER = "(?!)"
_PAIRS = (tuple(nodes.Trend), tuple(nodes.NotANumber), (nodes.Detection.OVERDUE, nodes.Detection.LAGGING))
_OTHER: Mapping[Any, Any] = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


@record
class Mutant:
    """A change to one rule, in words, and what of the pack it changes; every number in that stays what it was."""

    what: str
    changes: Mapping[str, Any]


def mutants(pack: Pack, rule: Rule) -> Iterator[Mutant]:
    """Every mutant of a rule or, for the card of a wait, of its patience."""

    def name_of(signal: int) -> str:
        return pack.signals[signal].name

    for number in nodes.all_signals(rule.when):
        for what, wrong in _wrong_signals(pack.signals[number]):
            signals = [*pack.signals[:number], wrong, *pack.signals[number + 1 :]]
            yield Mutant(what, {"signals": SignalTable(signals)})
    for when, was, now in _wrong(rule.when):
        rules = (replace(one, when=when) if one.id == rule.id else one for one in pack.rules)
        yield Mutant(f"`{spell(now, name_of)}` for `{spell(was, name_of)}`", {"rules": RuleTable(rules)})
    for wait in pack.waits:
        if wait.id == rule.wait:
            late = replace(wait, patience_s=wait.patience_s * WIDER)
            text = f"a patience of {spelled(late.patience_s)} for {spelled(wait.patience_s)}"
            yield Mutant(text, {"waits": tuple(late if one is wait else one for one in pack.waits)})


def _wrong_signals(signal: Signal) -> Iterator[tuple[str, Signal]]:
    yield f"the signal `{signal.name}` dropped", replace(signal, pattern=_NEVER)
    if signal.pattern is not None:
        yield f"the pattern of `{signal.name}` dropped", replace(signal, pattern=None)
    if signal.unless is not None:
        yield f"the veto of `{signal.name}` dropped", replace(signal, unless=None)


def _wrong(condition: nodes.Condition) -> Iterator[tuple[nodes.Condition, nodes.Condition, nodes.Condition]]:
    """The condition with one operator flipped, one window widened or one count dropped; what was there, what is."""
    for wrong in _wrong_itself(condition):
        yield wrong, condition, wrong
    parts = nodes.parts_of(condition)
    for number, part in enumerate(parts):
        for wrong, was, now in _wrong(part):
            yield nodes.with_parts(condition, (*parts[:number], wrong, *parts[number + 1 :])), was, now


def _wrong_itself(condition: nodes.Condition) -> Iterator[nodes.Condition]:
    if wrong := _WRONG.get(type(condition)):
        yield from wrong(condition)
    if (within_s := getattr(condition, "within_s", None)) is not None:
        yield replace(condition, within_s=within_s * WIDER)


def _seen(signals: nodes.Signals) -> nodes.Condition:
    """Any of the signals, as the language says it."""
    each = tuple(nodes.Occurred((signal,)) for signal in signals)
    return each[0] if len(each) == 1 else nodes.Some(each)


def _wrong_detector(it: nodes.Detector) -> Iterator[nodes.Condition]:
    if it.longer_than_s:
        yield replace(it, longer_than_s=it.longer_than_s * WIDER)
    elif it.kind in _OTHER:
        yield replace(it, kind=_OTHER[it.kind])


def _wrong_kind(it: nodes.MetricIs) -> Iterator[nodes.Condition]:
    if it.stays:
        yield replace(it, stays=False)
    yield replace(it, kind=_OTHER[it.kind])


def _wrong_bound(it: nodes.MetricBound) -> Iterator[nodes.Condition]:
    yield replace(it, above=not it.above)
    if it.over > 1:
        yield replace(it, over=1)


# What each node is made into.
_WRONG: Mapping[type, Callable[[Any], Iterable[nodes.Condition]]] = {
    nodes.Every: lambda it: [nodes.Some(it.parts)],
    nodes.Some: lambda it: [nodes.Every(it.parts)],
    nodes.Not: lambda it: [it.part],
    nodes.Sequence: lambda it: [nodes.Every(tuple(map(_seen, it.steps)))],
    nodes.Absence: lambda it: [_seen(it.after)],
    nodes.Repeated: lambda it: [_seen(it.signals)],
    nodes.Detector: _wrong_detector,
    nodes.MetricIs: _wrong_kind,
    nodes.MetricBound: _wrong_bound,
    nodes.MetricSpike: lambda it: [replace(it, above=not it.above), replace(it, factor=it.factor * WIDER)],
    nodes.MetricTrend: lambda it: [replace(it, trend=_OTHER[it.trend])],
}


# An example and what its lines say: the same for every mutant that changes no signal.
ReadExample: TypeAlias = tuple[Example, Sequence[Event]]


def mutation_scores(on: Prepared, examples: Sequence[Example], processes: int | None) -> list[MutationScore]:
    """Each rule's mutation score, by its own examples (those of one rule stand together)."""
    groups = [tuple(group) for _, group in groupby(examples, key=lambda example: example.owner)]
    return on_all_cores(mutation_score, groups, on, processes, few=2)


def mutation_score(on: Prepared, examples: Sequence[Example]) -> MutationScore:
    """Try every mutant of the rule whose examples these are."""
    rule = on.index.rule(examples[0].owner)
    tried = list(mutants(on.pack, rule))
    read = [(example, events_of_example(on, example)) for example in examples]
    # What fails on the rule as it is says nothing of a mutant.
    passing = [one for one in read if not _fails(on, *one)]
    survivors = tuple(mutant.what for mutant in tried if not noticed(on, mutant, passing))
    share = Share(len(tried) - len(survivors), len(tried))
    return MutationScore(rule.id, examples[0].place.path, share, survivors)


def noticed(on: Prepared, mutant: Mutant, examples: Iterable[ReadExample]) -> bool:
    """Whether an example fails on the mutant."""
    wrong = _mutated(on, mutant)
    if "signals" in mutant.changes:
        # Its lines mean something else: they are read anew, one example after the other until one fails.
        examples = ((example, events_of_example(wrong, example)) for example, _ in examples)
    return any(_fails(wrong, *one) for one in examples)


def _fails(on: Prepared, example: Example, events: Sequence[Event]) -> bool:
    session = judged(on, events, example.quiet_s)
    if example.wanted is None:
        return (example.owner in held(session)) != example.fires
    return any(misses(report_on(session, events), example))


def _mutated(on: Prepared, mutant: Mutant) -> Prepared:
    """The prepared pack with one rule made wrong: what was compiled is compiled still.

    Signals alone are in no table of the index; rules and waits are.
    """
    pack = replace(on.pack, **mutant.changes)
    index = on.index if "signals" in mutant.changes else Index(pack)
    return replace(on, pack=pack, reader=on.reader.over(pack), index=index)


# Of a rule: a signal, a capture of one, or a part of its condition that holds or does not; the kind, and which.
_SIGNAL, _CAPTURE, _BRANCH = "signal", "capture", "branch"
Exercise: TypeAlias = tuple[str, Hashable]


def coverage(on: Prepared, examples: Sequence[Example], processes: int | None) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by these examples."""
    return coverage_of(on, zip(examples, on_all_cores(footprint, examples, on, processes), strict=True))


def footprint(on: Prepared, example: Example) -> frozenset[Exercise]:
    """Run one example: what it exercises of its own rule."""
    own = all_signals(on.index.rule(example.owner).when)
    events = events_of_example(on, example)
    tree = condition_tree(on, judged(on, events, example.quiet_s), example.owner)
    # A whole traceback's signals are in no line's hits, only in what the condition saw.
    hits = [hit for event in (*events, *tree.events()) for hit in event.hits if hit.signal in own]
    signals = {(_SIGNAL, hit.signal) for hit in hits}
    captures = {(_CAPTURE, (hit.signal, name)) for hit in hits for name in hit.captures}
    branches = {(_BRANCH, (path, part.holds)) for path, part in _parts(tree)}
    return frozenset(signals | captures | branches)


def coverage_of(on: Prepared, footprints: Iterable[tuple[Example, frozenset[Exercise]]]) -> tuple[RuleCoverage, ...]:
    """Each rule's coverage by what its examples exercise."""
    exercised: dict[str, set[Exercise]] = {}
    for example, done in footprints:
        exercised.setdefault(example.owner, set()).update(done)
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
