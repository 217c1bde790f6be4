"""What explains what, and in which order diagnoses come."""

import pytest

from logrules.engine.run import replay
from logrules.inference.culprit import culprits
from logrules.inference.observation import Observation, begin, extend
from logrules.inference.ranking import Hypothesis, rank
from logrules.model.event import Worker
from logrules.model.report import Severity
from logrules.ruleset.condition import Occurred
from logrules.ruleset.pack import Rule
from logrules.sources.discover import discover
from tests.conftest import event


def rule(
    cause: str, certainty: float = 0.5, *, yields_to=(), severity=Severity.ERROR, name="", culprit="reporter"
) -> Rule:
    return Rule(
        name or f"toy/{cause}",
        cause,
        severity,
        certainty,
        certainty,
        Occurred((0,)),
        yields_to=tuple(yields_to),
        culprit=culprit,
    )


def seen(order: int, rank_: int | None = None, captures=None) -> Observation:
    return Observation(event(order, [0], worker=Worker("log", rank=rank_), captures=captures), order, None, None)


def holds(found: Rule, order: int, *, survived=False, rank_=None) -> Hypothesis:
    return Hypothesis(found, (begin(seen(order, rank_), 0),), survived)


OOM = rule("cuda-oom", 0.9)
TIMEOUT = rule("nccl-timeout", 0.6, yields_to=["cuda-oom"])
TAIL = rule("engine-dead", 0.3, yields_to=["*"])
OTHER_TAIL = rule("worker-killed", 0.4, yields_to=["*"])


@pytest.mark.parametrize(
    ("story", "found", "order"),
    [
        ("nothing holds", [], []),
        ("one error", [holds(OOM, 1)], ["cuda-oom"]),
        ("a cause takes its consequence under it", [holds(OOM, 1), holds(TIMEOUT, 2)], ["cuda-oom"]),
        ("even if another rank printed first", [holds(TIMEOUT, 1), holds(OOM, 2)], ["cuda-oom"]),
        ("any error explains a tail", [holds(TAIL, 1), holds(TIMEOUT, 2)], ["nccl-timeout"]),
        ("of two tails the more certain", [holds(TAIL, 1), holds(OTHER_TAIL, 2)], ["worker-killed"]),
        ("a chain has one root", [holds(TAIL, 3), holds(TIMEOUT, 2), holds(OOM, 1)], ["cuda-oom"]),
        (
            "what was survived explains nothing fatal",
            [holds(OOM, 1, survived=True), holds(TIMEOUT, 9)],
            ["nccl-timeout", "cuda-oom"],
        ),
        (
            "a warning comes after an error",
            [holds(rule("slow", 0.9, severity=Severity.WARNING), 1), holds(TIMEOUT, 2)],
            ["nccl-timeout", "slow"],
        ),
        ("as certain, the earlier", [holds(rule("a", 0.5), 2), holds(rule("b", 0.5), 1)], ["b", "a"]),
        ("one diagnosis a cause", [holds(OOM, 1), holds(rule("cuda-oom", 0.5, name="toy/again"), 2)], ["cuda-oom"]),
    ],
)
def test_order(story, found, order):
    assert [one.hypothesis.rule.cause for one in rank(found)] == order


@pytest.mark.parametrize(("first", "second", "root"), [(1, 2, "a"), (2, 1, "b")])
def test_of_two_that_yield_to_each_other_the_earlier_is_the_root(first, second, root):
    a, b = rule("a", yields_to=["b"]), rule("b", yields_to=["a"])
    assert [one.hypothesis.rule.cause for one in rank([holds(a, first), holds(b, second)])] == [root]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_ring_of_explanations_loses_nothing(size):
    ring = [rule(f"c{n}", 0.1 * n + 0.1, yields_to=[f"c{(n + 1) % size}"]) for n in range(size)]
    ranked = rank([holds(one, n) for n, one in enumerate(ring)])
    assert len(ranked) == 1
    assert len(ranked[0].consequences) == size - 1


def test_a_tail_and_a_rule_that_names_it_lose_nothing():
    named = rule("service-unreachable", 0.6, yields_to=["engine-dead"])
    ranked = rank([holds(named, 1), holds(TAIL, 2)])
    assert [one.hypothesis.rule.cause for one in ranked] == ["engine-dead"]
    assert [one.rule.cause for one in ranked[0].consequences] == ["service-unreachable"]


def test_confidence_is_the_certainty_lessened_by_a_rival():
    alone = rank([holds(OOM, 1)])[0].confidence
    rivalled = rank([holds(OOM, 1), holds(rule("segfault", 0.8), 2)])[0].confidence
    assert alone == 0.9
    assert 0.5 < rivalled < alone


def test_the_rank_that_a_line_names_goes_before_the_rank_that_wrote_it():
    match = begin(seen(1, 0, {"rank": "3"}), 0)
    assert culprits(Hypothesis(OOM, (match,)), frozenset({0, 1, 2, 3}))[0] == (3, 0)


@pytest.mark.parametrize(
    ("story", "reporters", "known", "culprit"),
    [
        ("one rank is silent", [0, 1, 2], {0, 1, 2, 3}, (3,)),
        ("all reported", [0, 1, 2, 3], {0, 1, 2, 3}, ()),
        ("most are silent: that says nothing", [0], {0, 1, 2, 3}, ()),
    ],
)
def test_of_a_timeout_the_silent_ranks_are_suspect(story, reporters, known, culprit):
    match = begin(seen(1, reporters[0]), 0)
    for order, number in enumerate(reporters[1:], start=2):
        match = extend(match, seen(order, number), 0)
    found = Hypothesis(rule("nccl-timeout", culprit="absent"), (match,))
    assert culprits(found, frozenset(known))[0] == culprit


# Which rank failed first.

RAISES = 'Traceback (most recent call last):\n  File "a.py", line 3, in main\n    run()\nAcmeError: gone\n'
LOSES = (
    "[rank{rank}]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"
)


def test_a_rank_that_raises_before_the_others_lose_it_is_the_cause(tmp_path, shipped):
    for number in range(4):
        log = "2025-06-15 10:00:00 INFO step 1\n"
        log += RAISES if number == 2 else f"2025-06-15 10:00:05 {LOSES.format(rank=number)}\n"
        (tmp_path / f"rank{number}.log").write_text(log)
    first = replay(discover([str(tmp_path)]).sources, shipped).diagnoses[0]
    assert (first.cause, first.ranks[0]) == ("python-exception", 2)
    assert {"nccl/peer-lost", "torch/peer-lost"} & {one.rule for one in first.consequences}
