"""Mutants tried against the examples of their rule: those that no example notices."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from logrules.engine.run import Prepared
from logrules.inference.rule_index import index_of
from logrules.model.rule_strength import Share, Strength
from logrules.ruletest.examples import misses
from logrules.ruletest.harness import run_log
from logrules.ruletest.mutants import Mutant, mutants
from logrules.ruletest.parallel import on_all_cores
from logrules.ruletest.suite import Example


def strengths(on: Prepared, examples: Sequence[Example], processes: int) -> list[Strength]:
    """Each rule's strength, by its own examples (those of one rule stand together)."""
    groups = [tuple(group) for _, group in groupby(examples, key=lambda example: example.owner)]
    return list(on_all_cores(strength, groups, on, processes, few=2))


def strength(on: Prepared, examples: Sequence[Example]) -> Strength:
    """Try every mutant of the rule whose examples these are."""
    rule = on.index.rules[examples[0].owner]
    tried = list(mutants(on.pack, rule))
    # What fails on the rule as it is says nothing of a mutant.
    passing = [example for example in examples if not _fails(on, example)]
    survivors = tuple(mutant.what for mutant in tried if not noticed(on, mutant, passing))
    share = Share(len(tried) - len(survivors), len(tried))
    return Strength(rule.id, examples[0].place.path, share, survivors)


def noticed(on: Prepared, mutant: Mutant, examples: Sequence[Example]) -> bool:
    """Whether an example fails on the mutant."""
    wrong = _mutated(on, mutant)
    return any(_fails(wrong, example) for example in examples)


def _fails(on: Prepared, example: Example) -> bool:
    return any(True for _ in misses(run_log(on, example.log, example.quiet_s), example))


def _mutated(on: Prepared, mutant: Mutant) -> Prepared:
    """The prepared pack with one rule made wrong: what was compiled is compiled still."""
    pack = mutant.applied(on.pack)
    index = on.index if mutant.rule is None else index_of(pack)
    return replace(on, pack=pack, reader=on.reader.over(pack), index=index)
