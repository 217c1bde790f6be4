"""Mutants tried against the examples of their rule: those that no example notices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from logrules.engine.run import Prepared
from logrules.inference.rule_index import index_of
from logrules.model.event import Event
from logrules.model.rule_strength import Share, Strength
from logrules.ruletest.examples import misses
from logrules.ruletest.harness import SOURCE, events_of, held, judged
from logrules.ruletest.mutants import Mutant, mutants
from logrules.ruletest.parallel import on_all_cores
from logrules.ruletest.suite import Example


@dataclass(frozen=True, slots=True)
class ReadExample:
    """An example and what its lines say: the same for every mutant that changes no signal."""

    example: Example
    events: tuple[Event, ...]


def strengths(on: Prepared, examples: Sequence[Example], processes: int) -> list[Strength]:
    """Each rule's strength, by its own examples (those of one rule stand together)."""
    groups = [tuple(group) for _, group in groupby(examples, key=lambda example: example.owner)]
    return list(on_all_cores(strength, groups, on, processes, few=2))


def strength(on: Prepared, examples: Sequence[Example]) -> Strength:
    """Try every mutant of the rule whose examples these are."""
    rule = on.index.rules[examples[0].owner]
    tried = list(mutants(on.pack, rule))
    read = [ReadExample(example, tuple(events_of(on, example.log))) for example in examples]
    # What fails on the rule as it is says nothing of a mutant.
    passing = [one for one in read if not _fails(on, one)]
    survivors = tuple(mutant.what for mutant in tried if not noticed(on, mutant, passing))
    share = Share(len(tried) - len(survivors), len(tried))
    return Strength(rule.id, examples[0].place.path, share, survivors)


def noticed(on: Prepared, mutant: Mutant, examples: Iterable[ReadExample]) -> bool:
    """Whether an example fails on the mutant."""
    wrong = _mutated(on, mutant)
    if mutant.signals:
        # Its lines mean something else: they are read anew, one example after the other until one fails.
        examples = (replace(one, events=tuple(events_of(wrong, one.example.log))) for one in examples)
    return any(_fails(wrong, one) for one in examples)


def _fails(on: Prepared, read: ReadExample) -> bool:
    example, events = read.example, read.events
    session = judged(on, events, example.quiet_s)
    if example.wanted is None:
        return (example.owner in held(session)) != example.fires
    report = session.report(events[-1].line if events else 0, (SOURCE,))
    return any(True for _ in misses(report, example))


def _mutated(on: Prepared, mutant: Mutant) -> Prepared:
    """The prepared pack with one rule made wrong: what was compiled is compiled still."""
    pack = mutant.applied(on.pack)
    index = on.index if mutant.rule is None else index_of(pack)
    return replace(on, pack=pack, reader=on.reader.over(pack), index=index)
