"""What explains what, which diagnosis comes first, and whom it points at."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.run import replay
from logrules.inference import ranking
from logrules.inference.certainty import certainty, features
from logrules.inference.culprit import told_by_lines
from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.observation import Observation, extended
from logrules.model.event import Worker
from logrules.model.report import Severity
from logrules.ruleset.causes import Tier
from logrules.ruleset.condition import Detection, Detector, Every, Occurred
from logrules.ruleset.pack import Rule
from logrules.sources.discover import discover
from tests.conftest import event

TIERS = (
    Tier("hardware", always=True),
    Tier("data"),
    Tier("process"),
    Tier("collective", reaction=True),
    Tier("ended", reaction=True),
)


def rule(cause: str, tier: str = "process", *, name: str = "", severity: Severity = Severity.ERROR, **more) -> Rule:
    more.setdefault("when", Occurred((0,)))
    return Rule(name or f"toy/{cause}", cause, severity, tier=tier, **more)


def seen(order: int, rank: int | None = None, captures=None, chain: int | None = None) -> Observation:
    return Observation(event(order, [0], worker=Worker("log", rank=rank), captures=captures), order, None, None, chain)


def at_line(found: Rule, order: int, line: int, *, late: bool = False) -> Hypothesis:
    """What a line of another number than its order shows: of another file of its log, or judged at the end."""
    return Hypothesis(found, (extended(None, Observation(event(line, [0]), order, None, None, late=late), 0),), False)


def holds(found: Rule, order: int, *, survived=False, rank=None, captures=None, chain=None) -> Hypothesis:
    return Hypothesis(found, (extended(None, seen(order, rank, captures, chain), 0),), survived)


def ranked(found: Sequence[Hypothesis]) -> tuple[Ranked, ...]:
    return ranking.ranked(found, TIERS)


def told(found: Sequence[Hypothesis]) -> dict[str, list[str]]:
    """The rules that come out, in order, each with those under it."""
    return {
        one.hypothesis.rule.id.removeprefix("toy/"): [c.rule.id.removeprefix("toy/") for c in one.consequences]
        for one in ranked(found)
    }


XID = rule("xid", "hardware")
DATA = rule("bad-data", "data")
GUESSED = rule("guessed", "data", fallback=True)
RAISED = rule("raised")
CRASH = rule("crash")
TIMEOUT = rule("timeout", "collective")
LOST = rule("peer-lost", "collective")
KILLED = rule("killed", "ended")
WAITS = rule("waits", "collective", stall=True)
STILL_WAITS = rule("still-waits", "collective", stall=True)
SLOW = rule("slow", "data", severity=Severity.WARNING)
NOTE = rule("note", "hardware", severity=Severity.INFO)
SILENT = rule("silent", "ended", severity=Severity.INFO, when=Detector(Detection.STOPPED))


@pytest.mark.parametrize(
    ("story", "found", "expected"),
    [
        ("nothing holds", [], {}),
        ("one error", [holds(RAISED, 1)], {"raised": []}),
        # Tiers.
        ("what every tier takes, told at most lines before", [holds(RAISED, 1), holds(XID, 300)], {"xid": ["raised"]}),
        (
            "what was over long before it is no consequence",
            [holds(RAISED, 1), holds(XID, 900)],
            {"xid": [], "raised": []},
        ),
        ("an earlier tier told before", [holds(DATA, 1), holds(RAISED, 2)], {"bad-data": ["raised"]}),
        ("an earlier tier told after", [holds(RAISED, 1), holds(DATA, 2)], {"raised": [], "bad-data": []}),
        (
            "an earlier tier told after, by another rank",
            [holds(RAISED, 1, rank=0), holds(DATA, 2, rank=1)],
            {"bad-data": ["raised"]},
        ),
        (
            "an earlier tier told after, by the same rank",
            [holds(RAISED, 1, rank=0), holds(DATA, 2, rank=0)],
            {"raised": [], "bad-data": []},
        ),
        (
            "an earlier tier told after, in one failure record",
            [holds(RAISED, 1, chain=7), holds(DATA, 2, chain=7)],
            {"bad-data": ["raised"]},
        ),
        (
            "an earlier tier told after, in another record",
            [holds(RAISED, 1, chain=7), holds(DATA, 2, chain=8)],
            {"raised": [], "bad-data": []},
        ),
        (
            "an earlier tier told before, in the file that was rotated away",
            [at_line(DATA, 1, 300), at_line(RAISED, 2, 3)],
            {"bad-data": ["raised"]},
        ),
        (
            "an earlier tier told before, in a line that was judged when the log had ended",
            [at_line(DATA, 9, 3, late=True), at_line(RAISED, 2, 5)],
            {"bad-data": ["raised"]},
        ),
        # What only a fallback knows.
        ("a fallback explains a reaction to it", [holds(GUESSED, 1), holds(TIMEOUT, 2)], {"guessed": ["timeout"]}),
        (
            "a fallback told after explains nothing",
            [holds(TIMEOUT, 1), holds(GUESSED, 2)],
            {"guessed": [], "timeout": []},
        ),
        ("what is named goes before a fallback", [holds(GUESSED, 1), holds(RAISED, 2)], {"raised": [], "guessed": []}),
        ("two of one tier, in their order", [holds(CRASH, 2), holds(RAISED, 1)], {"raised": [], "crash": []}),
        # Tiers that explain whatever their time, and those that are explained whatever their time.
        ("what is told late explains all the same", [holds(RAISED, 1), holds(XID, 9)], {"xid": ["raised"]}),
        ("a reaction told first", [holds(TIMEOUT, 1), holds(RAISED, 9)], {"raised": ["timeout"]}),
        ("of two reactions the first", [holds(LOST, 2), holds(TIMEOUT, 1)], {"timeout": ["peer-lost"]}),
        ("an earlier tier of reactions", [holds(KILLED, 1), holds(TIMEOUT, 2)], {"timeout": ["killed"]}),
        (
            "a chain has one root",
            [holds(KILLED, 3), holds(TIMEOUT, 1), holds(RAISED, 2)],
            {"raised": ["timeout", "killed"]},
        ),
        ("of open waits the last begun", [holds(WAITS, 1), holds(STILL_WAITS, 2)], {"still-waits": [], "waits": []}),
        # What was survived, and what is less bad.
        (
            "what was survived explains nothing fatal",
            [holds(DATA, 1, survived=True), holds(RAISED, 9)],
            {"raised": [], "bad-data": []},
        ),
        (
            "what was survived explains what was survived",
            [holds(DATA, 1, survived=True), holds(RAISED, 9, survived=True)],
            {"bad-data": ["raised"]},
        ),
        ("a warning explains no error", [holds(SLOW, 1), holds(RAISED, 2)], {"raised": [], "slow": []}),
        ("an error explains a warning", [holds(XID, 2), holds(SLOW, 1)], {"xid": ["slow"]}),
        ("info of any tier comes last", [holds(NOTE, 1), holds(SLOW, 2)], {"slow": [], "note": []}),
        ("a job that went on after a remark", [holds(NOTE, 1), holds(SILENT, 2)], {"silent": ["note"]}),
        ("a remark is the last that was said", [holds(NOTE, 2), holds(SILENT, 2)], {"note": ["silent"]}),
        # One diagnosis a cause.
        (
            "a cause named twice, told first",
            [holds(RAISED, 1), holds(rule("raised", name="toy/again"), 2)],
            {"raised": ["again"]},
        ),
    ],
)
def test_order(story: str, found: list[Hypothesis], expected: dict[str, list[str]]):
    outcome = told(found)
    assert outcome == expected
    assert list(outcome) == list(expected)


@pytest.mark.parametrize(
    ("story", "first", "second", "expected"),
    [
        ("a named cause explains whatever its tier", KILLED, rule("late", "hardware", explained_by=("killed",)), "killed"),
        ("and whatever its time", rule("late", explained_by=("crash",)), CRASH, "crash"),
        ("a warning too", rule("late", explained_by=("slow",)), SLOW, "slow"),
    ],
)  # fmt: skip
def test_a_cause_that_a_rule_names_explains_it(story: str, first: Rule, second: Rule, expected: str):
    assert told([holds(first, 1), holds(second, 2)]) == {expected: ["late"]}


def test_what_was_survived_does_not_explain_even_who_names_it():
    named = rule("late", explained_by=("crash",))
    assert told([holds(CRASH, 1, survived=True), holds(named, 2)]) == {"late": [], "crash": []}


@pytest.mark.parametrize(("first", "second", "root"), [(1, 2, "a"), (2, 1, "b")])
def test_of_two_that_explain_each_other_the_earlier_is_the_root(first: int, second: int, root: str):
    a, b = rule("a", explained_by=("b",)), rule("b", explained_by=("a",))
    assert list(told([holds(a, first), holds(b, second)])) == [root]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_ring_of_explanations_loses_nothing(size: int):
    ring = [rule(f"c{n}", explained_by=(f"c{(n + 1) % size}",)) for n in range(size)]
    (one,) = ranked([holds(member, n) for n, member in enumerate(ring)])
    assert one.hypothesis.rule.cause == "c0"
    assert sorted(under.rule.cause for under in one.consequences) == [f"c{n}" for n in range(1, size)]


def test_what_a_rule_names_is_not_explained_by_it():
    named = rule("service-unreachable", explained_by=("killed",))
    assert told([holds(named, 1), holds(KILLED, 2)]) == {"killed": ["service-unreachable"]}


TWO = Every((Occurred((0,)), Occurred((1,))))


@pytest.mark.parametrize(
    ("story", "better", "captures"),
    [
        ("a rule before a row of a table", rule("same", name="toy/better"), {}),
        ("who asks for a framework", rule("same", name="toy/better", requires=("torch",)), {}),
        ("who asks for more to agree", rule("same", name="toy/better", when=TWO), {}),
        ("who captured more", rule("same", name="toy/better"), {"size": "3"}),
        ("what failed before what reports it", rule("same", "data", name="toy/better"), {}),
    ],
)
def test_of_one_cause_who_says_more_heads(story: str, better: Rule, captures: dict[str, str]):
    plain = rule("same", name="toy/a-plain", from_table=story.startswith("a rule before"))
    assert told([holds(plain, 1), holds(better, 2, captures=captures)]) == {"better": ["a-plain"]}


@pytest.mark.parametrize("more", [{"survived": True}, {}])
def test_of_one_cause_what_is_worse_heads_whoever_says_more(more: dict[str, bool]):
    severity = Severity.ERROR if more else Severity.WARNING
    telling = rule("same", name="toy/telling", severity=severity, requires=("torch",))
    assert told([holds(rule("same"), 2), holds(telling, 1, **more)]) == {"same": ["telling"]}


def test_of_what_is_told_by_one_line_the_more_specific_comes_first():
    found = [holds(rule("a"), 1), holds(rule("b"), 1, captures={"size": "3"})]
    assert list(told(found)) == ["b", "a"]


@pytest.mark.parametrize(
    ("story", "requires", "captures", "count"),
    [
        ("a kind of line", (), {}, 1),
        ("and a framework", ("torch",), {}, 2),
        ("and what was captured", ("torch",), {"size": "3", "rank": "0"}, 4),
    ],
)
def test_specificity(story: str, requires: tuple[str, ...], captures: dict[str, str], count: int):
    assert holds(rule("a", requires=requires), 1, captures=captures).specificity == count


def test_the_first_and_the_last_line_are_those_of_all_parts():
    early, late = extended(None, seen(3), 0), extended(extended(None, seen(2), 0), seen(9), 0)
    both = Hypothesis(RAISED, (early, late))
    assert (both.first.order, both.last.order) == (2, 9)


def test_what_was_survived_is_worth_knowing_only():
    assert holds(RAISED, 1, survived=True).severity is Severity.INFO
    assert holds(RAISED, 1).severity is Severity.ERROR


def test_certainty_is_lessened_by_a_rival(shipped):
    model = shipped.tables.certainty_model
    alone, rivalled = (
        certainty(model, features(found, 0, frozenset()))
        for found in (ranked([holds(RAISED, 1)]), ranked([holds(RAISED, 1), holds(CRASH, 2)]))
    )
    assert 0 < rivalled < alone < 1


# Whom a diagnosis points at.


def test_the_rank_that_a_line_names_goes_before_the_rank_that_wrote_it():
    match = extended(None, seen(1, 0, {"rank": "3"}), 0)
    assert told_by_lines(Hypothesis(RAISED, (match,)), frozenset({0, 1, 2, 3}))[0] == (3, 0)


@pytest.mark.parametrize(
    ("story", "reporters", "known", "culprit"),
    [
        ("one rank is silent", [0, 1, 2], {0, 1, 2, 3}, (3,)),
        ("all reported", [0, 1, 2, 3], {0, 1, 2, 3}, ()),
        ("most are silent: that says nothing", [0], {0, 1, 2, 3}, ()),
    ],
)
def test_of_a_timeout_the_silent_ranks_are_suspect(story, reporters, known, culprit):
    match = extended(None, seen(1, reporters[0]), 0)
    for order, number in enumerate(reporters[1:], start=2):
        match = extended(match, seen(order, number), 0)
    found = Hypothesis(rule("timeout", "collective", culprit="absent"), (match,))
    assert told_by_lines(found, frozenset(known))[0] == culprit


# Hypotheses are asked in the order of their likelihood: the first that explains another is the likeliest that does.

RULES = (XID, DATA, GUESSED, RAISED, CRASH, TIMEOUT, LOST, KILLED, WAITS, SLOW, NOTE)
HOLDING = st.builds(
    lambda cause, order, survived, rank, chain, overdue: replace(
        holds(cause, order, survived=survived, rank=rank, chain=chain), overdue=overdue
    ),
    st.sampled_from(
        (
            *RULES,
            rule("power-cut", "process", abrupt=True),
            rule("wave", "data", explained_by=("crash", "waits")),
            rule("last-word", "ended", ends_stalls=True),
        )
    ),
    st.integers(1, 500),
    st.booleans(),
    st.none() | st.integers(0, 2),
    st.none() | st.integers(0, 2),
    st.booleans(),
)


@given(st.lists(HOLDING, max_size=8, unique_by=lambda one: one.rule.id))
def test_the_order_in_which_hypotheses_came_changes_nothing(found):
    assert ranking.ranked(found, TIERS) == ranking.ranked(found[::-1], TIERS)


@given(st.lists(HOLDING, max_size=8, unique_by=lambda one: one.rule.id))
def test_every_hypothesis_is_told_once(found):
    told = [hypothesis.rule.id for one in ranking.ranked(found, TIERS) for hypothesis in one.all]
    assert sorted(told) == sorted(one.rule.id for one in found)


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


@pytest.mark.parametrize(("world", "suspect"), [(2, (1,)), (8, ())])
def test_in_a_job_of_two_the_one_that_is_missed_is_the_suspect(tmp_path, shipped, world, suspect):
    log = tmp_path / "job.log"
    log.write_text(
        f"2024-05-06 10:00:00,000 INFO rank0 train: process group ready, world size {world}\n"
        "2024-05-06 10:00:01,000 INFO rank0 train: epoch 0 step 8 loss 2.35 lr 0.1\n"
        "2024-05-06 10:00:01,001 INFO rank1 train: nothing left to do, bye\n"
        "[rank0]: RuntimeError: [pair.cc:537] gloo/transport/tcp/pair.cc:537] Connection closed by peer [10.0.0.7]:4011\n"
    )
    report = replay(discover([str(log)]).sources, shipped)
    assert (report.diagnoses[0].cause, report.diagnoses[0].ranks) == ("peer-lost", suspect)
