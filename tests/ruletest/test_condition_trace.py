"""Why a condition holds or not: which part, on which line, and what is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.inference.session import Session
from logrules.model.report import Severity
from logrules.model.stream import End, Tick
from logrules.ruleset.condition import (
    Absence,
    Every,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricTrend,
    Not,
    NotANumber,
    Occurred,
    Repeated,
    Sequence,
    Some,
    Trend,
)
from logrules.ruleset.duration import spelled
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import Pack, Rule, Signal
from logrules.ruleset.when import parse_when, spell
from logrules.ruletest.condition_trace import explain
from tests.conftest import event

NAMES = {"a": 0, "b": 1, "c": 2}
A, B = 0, 1


def name_of(signal: int) -> str:
    return "abc"[signal]


def session_of(when: str, *items: object) -> Session:
    condition = parse_when(when, NAMES)
    rule = Rule("t/rule", "cause", Severity.ERROR, condition)
    signals = SignalTable(Signal(f"t/rule:{name}", (name,)) for name in NAMES)
    session = Session(Pack("d", signals, RuleTable([rule])))
    for item in items:
        session.feed(item)
    return session


@pytest.mark.parametrize(
    ("when", "items", "reasons"),
    [
        ("a and b", [event(3, [A])], {"a": (True, "line 3"), "b": (False, "absent")}),
        ("a or b", [event(3, [B]), event(5, [B])], {"a": (False, "absent"), "b": (True, "lines 3, 5")}),
        ("a and not b", [event(1, [A]), event(2, [B])], {"a": (True, "line 1"), "b": (True, "line 2")}),
        ("a then b", [event(4, [A])], {"a then b": (False, "1 of 2 steps: `b` did not follow line 4")}),
        ("a then b", [event(4, [B])], {"a then b": (False, "`a` did not come first")}),
        ("a without b", [event(1, [A]), event(2, [B]), End()], {"a without b": (False, "`b` came")}),
        ("a without b", [End()], {"a without b": (False, "`a` is absent")}),
        (
            "a without b within 5m",
            [event(1, [A], at=0.0), Tick(60.0)],
            {"a without b within 5m": (False, "`b` may still follow line 1, patience 5m")},
        ),
        ("count(a) >= 3", [event(1, [A]), event(2, [A])], {"count(a) >= 3": (False, "2 of 3 times")}),
        (
            "count(a) >= 2 within 30s",
            [event(1, [A], at=0.0), event(2, [A], at=60.0)],
            {"count(a) >= 2 within 30s": (False, "1 of 2 times within 30s, 2 in all")},
        ),
    ],
)
def test_each_leaf_says_what_it_has_and_lacks(when, items, reasons):
    session = session_of(when, *items)
    judged = session.judged("t/rule")
    tree = explain(parse_when(when, NAMES), judged, name_of)
    assert {leaf.text: (leaf.holds, leaf.reason) for leaf in tree.leaves()} == reasons


def test_a_tree_says_how_many_of_its_parts_hold():
    when = "a and (b or c) and not c"
    judged = session_of(when, event(1, [A])).judged("t/rule")
    tree = explain(parse_when(when, NAMES), judged, name_of)
    assert (tree.operator, tree.holds, tree.reason) == ("and", False, "2 of 3 parts hold")
    assert [(part.operator, part.holds) for part in tree.parts] == [("", True), ("or", False), ("not", True)]
    assert [one.event.line for one in tree.parts[0].observations] == [1]


_signals = st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True).map(tuple)
_seconds = st.sampled_from([0.25, 1.0, 30.0, 90.0, 600.0, 7200.0, 86400.0])
_limit = st.none() | _seconds
_leaves = st.one_of(
    _signals.filter(lambda some: len(some) == 1).map(Occurred),
    st.builds(Sequence, st.lists(_signals, min_size=2, max_size=3).map(tuple), _limit),
    st.builds(Absence, _signals, _signals, _limit),
    st.builds(Repeated, _signals, st.integers(1, 9), _limit),
    st.builds(MetricIs, st.just("loss"), st.sampled_from(NotANumber), st.booleans()),
    st.builds(MetricBound, st.just("loss"), st.booleans(), st.sampled_from([0.5, 10.0, -3.0]), st.integers(1, 9)),
    st.builds(MetricSpike, st.just("loss"), st.booleans(), st.sampled_from([0.5, 10.0]), st.integers(2, 9)),
    st.builds(MetricTrend, st.just("loss"), st.sampled_from(Trend), st.integers(2, 9)),
)


def _folded(kind):
    return lambda parts: st.lists(parts, min_size=2, max_size=3).map(lambda found: kind(tuple(found)))


_conditions = st.recursive(
    _leaves, lambda parts: st.one_of(_folded(Every)(parts), _folded(Some)(parts), parts.map(Not)), max_leaves=5
)


@given(_conditions)
def test_what_is_spelt_reads_as_the_same_condition(condition):
    whole = Every((Occurred((0,)), condition))
    again = parse_when(spell(whole, name_of), NAMES)
    assert spell(again, name_of) == spell(whole, name_of)


@pytest.mark.parametrize(
    ("seconds", "text"), [(90, "90s"), (600, "10m"), (7200, "2h"), (172800, "2d"), (0.25, "0.25s"), (0, "0s")]
)
def test_durations_are_spelt_as_people_write_them(seconds, text):
    assert spelled(seconds) == text
