"""Drafts tried on logs, and each kind of failure with the draft that serves, or why none does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.model.test_result import Outcome
from logrules.ruleset.compile import read_sources
from logrules.ruleset.load import digest_of
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.file_contents import suite_of
from logrules.ruletest.judging import run_tests
from logrules.ruletest.rule_tests import Suite, examples_of
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.learn.drafting import Background, FailureGroup, LearnedDraft, drafts_for
from logrules.tools.learn.read_job import Fired, drafts_tried


@dataclass(frozen=True, slots=True)
class Proof:
    """What a draft was seen to do: ``fires_on`` jobs that failed, ``alarms_on`` healthy ones, ``faults`` in itself."""

    fires_on: frozenset[str] = frozenset()
    alarms_on: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofSetup:
    """What drafts are tried on: the rules that they come on top of, failed jobs and healthy ones."""

    pack: Pack
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
        texts = [RuleText(one.file, one.text.encode()) for one in left.values()]
        try:
            read = read_sources(texts)
            return read.pack(digest_of(texts), setup.pack), suite_of(read.sources), broken
        except PackError as fault:
            wrong = {one.place.path: one.message for one in fault.problems if one.place.path in left}
            if not wrong:
                raise
            broken.update({left.pop(file).rule: message for file, message in wrong.items()})


def _own_tests(pack: Pack, suite: Suite, rules: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """What the drafts' own examples ask for and do not get, by rule."""
    on = prepared(pack)
    tests = [example for example in examples_of(suite) if example.owner in rules]
    found: dict[str, tuple[str, ...]] = {}
    for test, result in zip(tests, run_tests(on, tests), strict=True):
        if result.outcome is Outcome.FAILED:
            found[test.owner] = (*found.get(test.owner, ()), *(fault.message for fault in result.faults))
    return found


# So many drafts of a kind are tried, one after the other.
ROUNDS = 4
# A draft must know as many of the jobs that it was learned from.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class LearnedGroup:
    """A kind of failure with the draft for it, or with ``why_none``; ``known_by`` is an earlier draft that fits it."""

    group: FailureGroup
    draft: LearnedDraft | None = None
    proof: Proof = Proof()
    why_none: str = ""
    known_by: str = ""

    @property
    def paths(self) -> frozenset[str]:
        """The jobs that failed so."""
        return frozenset(str(one.job.path) for one in self.group.jobs)


def learned_groups(
    groups: Sequence[FailureGroup],
    background: Background,
    setup: ProofSetup,
    progress: Callable[[int], AbstractContextManager[Callable[[], None]]],
) -> tuple[LearnedGroup, ...]:
    """What comes of each kind of failure: all are tried together, a draft each a round.

    ``progress`` is told how many jobs a round reads, and gives for that time what is called after each.
    """
    left = [drafts_for(group, setup.pack, background) for group in groups]
    why = "no line of it has a text that a program would always print"
    found = [LearnedGroup(group, why_none=why) for group in groups]
    for _ in range(ROUNDS):
        open_places = [place for place, one in enumerate(found) if one.draft is None]
        tried = {place: made for place in open_places if (made := next(left[place], None)) is not None}
        if not tried:
            break
        with progress(len(setup.failed) + len(setup.healthy)) as advance:
            proven = proofs(list(tried.values()), setup, advance)
        for place, made in tried.items():
            found[place] = _judged(found[place], made, proven[made.rule])
    return _each_once(found)


def _judged(one: LearnedGroup, made: LearnedDraft, proof: Proof) -> LearnedGroup:
    known = len(one.paths & proof.fires_on)
    if proof.alarms_on:
        why = f"its words stand in {len(proof.alarms_on)} healthy logs too, as in {min(proof.alarms_on)}"
    elif proof.faults:
        why = f"its own examples do not hold: {proof.faults[0]}"
    elif known < _SHARE * len(one.paths):
        why = f"the line that tells most is found in {known} of {len(one.paths)} jobs only"
    else:
        return LearnedGroup(one.group, made, proof)
    return LearnedGroup(one.group, why_none=why)


def _each_once(found: Sequence[LearnedGroup]) -> tuple[LearnedGroup, ...]:
    """The same; of kinds that one draft knows, only the first that costs most keeps it."""
    kept: list[LearnedGroup] = []
    for one in found:
        drafts = ((other.draft, other.proof) for other in kept if other.draft is not None)
        known_by = next((draft.rule for draft, proof in drafts if one.paths <= proof.fires_on), "")
        kept.append(LearnedGroup(one.group, known_by=known_by) if known_by else one)
    return tuple(kept)
