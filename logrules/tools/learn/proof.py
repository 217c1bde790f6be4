"""Drafts tried on logs: which of them serve, and which would be a false alarm on a healthy log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.model.test_result import Outcome
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.settings import Settings
from logrules.ruletest.collect import compiled
from logrules.ruletest.runner import run_tests
from logrules.ruletest.suite import Suite
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.learn.drafting import LearnedDraft
from logrules.tools.learn.read_jobs import Fired, drafts_tried


@dataclass(frozen=True, slots=True)
class Proof:
    """What a draft was seen to do: ``fires_on`` jobs that failed, ``alarms_on`` healthy ones, ``faults`` in itself."""

    fires_on: frozenset[str] = frozenset()
    alarms_on: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofSetup:
    """What drafts are tried on: the rules that they come on top of, failed jobs and healthy ones."""

    texts: tuple[RuleText, ...]
    settings: Settings | None
    failed: tuple[FoundJob, ...]
    healthy: tuple[FoundJob, ...]
    processes: int


def proofs(drafts: Sequence[LearnedDraft], setup: ProofSetup, advance: Callable[[], None]) -> Mapping[str, Proof]:
    """What each draft does, by its rule; ``advance`` is called after each job that was read."""
    pack, suite, broken = _with_drafts(drafts, setup)
    rules = frozenset(one.rule for one in drafts) - broken.keys()
    fires, alarms = {rule: set[str]() for rule in rules}, {rule: set[str]() for rule in rules}
    healthy = {str(job.path) for job in setup.healthy}
    for job, found in drafts_tried([*setup.failed, *setup.healthy], pack, rules, setup.processes):
        path = str(job.path)
        said = found or Fired(hit=rules if path in healthy else frozenset())
        for rule in said.hit if path in healthy else said.named:
            (alarms if path in healthy else fires)[rule].add(path)
        advance()
    faults = _own_tests(pack, suite, rules)
    told = {rule: Proof(frozenset(fires[rule]), frozenset(alarms[rule]), faults.get(rule, ())) for rule in rules}
    return {**told, **{rule: Proof(faults=(fault,)) for rule, fault in broken.items()}}


def _with_drafts(drafts: Iterable[LearnedDraft], setup: ProofSetup) -> tuple[Pack, Suite, dict[str, str]]:
    """The rules with the drafts on top of them, and what is wrong with drafts that cannot be read."""
    left = {one.file: one for one in drafts}
    broken: dict[str, str] = {}
    while True:
        texts = [*setup.texts, *(RuleText(one.file, one.text.encode()) for one in left.values())]
        try:
            return *compiled(texts, setup.settings), broken
        except PackError as fault:
            wrong = {one.place.path: one.message for one in fault.problems if one.place.path in left}
            if not wrong:
                raise
            broken.update({left.pop(file).rule: message for file, message in wrong.items()})


def _own_tests(pack: Pack, suite: Suite, rules: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """What the drafts' own examples ask for and do not get, by rule."""
    on = prepared(pack)
    tests = [example for example in suite.examples if example.owner in rules]
    found: dict[str, tuple[str, ...]] = {}
    for test, result in zip(tests, run_tests(on, tests), strict=True):
        if result.outcome is Outcome.FAILED:
            found[test.owner] = (*found.get(test.owner, ()), *(fault.message for fault in result.faults))
    return found
