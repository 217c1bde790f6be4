"""What a `when` may say and what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.ruleset.condition import (
    Absence,
    Every,
    Kin,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricTrend,
    Not,
    NotANumber,
    Occurred,
    Quiet,
    Repeated,
    Scope,
    Sequence,
    Some,
    Spread,
    Stopped,
    Trend,
    Waiting,
)
from logrules.ruleset.when import ConditionFault, parse_when

SIGNALS = {"a": 0, "b": 1, "c": 2}
A, B, C = (Occurred((number,)) for number in range(3))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a", A),
        ("a or b", Some((A, B))),
        ("a and b or c", Some((Every((A, B)), C))),
        ("a and (b or c)", Every((A, Some((B, C))))),
        ("a and not b", Every((A, Not(B)))),
        ("a then b", Sequence(((0,), (1,)))),
        ("a then b then c within 30s", Sequence(((0,), (1,), (2,)), 30.0)),
        ("(a or b) then c", Sequence(((0, 1), (2,)))),
        ("a without b", Absence((0,), (1,))),
        ("a without (b or c) within 2m", Absence((0,), (1, 2), 120.0)),
        ("count(a) >= 3", Repeated((0,), 3)),
        ("count(a or b) >= 3 within 5m", Repeated((0, 1), 3, 300.0)),
        ("ranks(a) >= 2", Spread((0,), Kin.RANK, 2)),
        ("hosts(a) >= 2", Spread((0,), Kin.HOST, 2)),
        ("waiting(vllm/load-weights)", Waiting("vllm/load-weights")),
        ("waiting(vllm/load-weights) > 1.5h", Waiting("vllm/load-weights", 5400.0)),
        ("quiet > 500ms", Quiet(0.5)),
        ("stopped", Stopped()),
        ("metric(loss) is nan", MetricIs("loss", NotANumber.NAN)),
        ("metric(loss) > 1e-3", MetricBound("loss", True, 1e-3)),
        ("metric(loss) < 100 over 20", MetricBound("loss", False, 100.0, 20)),
        ("metric(loss) > 10 * median over 50", MetricSpike("loss", True, 10.0, 50)),
        ("metric(reward) flat over 20", MetricTrend("reward", Trend.FLAT, 20)),
    ],
)
def test_every_operator(text, meaning):
    assert parse_when(text, SIGNALS).condition == meaning


@pytest.mark.parametrize(
    ("text", "scope"), [("a", Scope.JOB), ("a per rank", Scope.RANK), ("a or b per host", Scope.HOST)]
)
def test_scope_is_the_job_unless_said(text, scope):
    assert parse_when(text, SIGNALS).scope is scope


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a and d", 7, "unknown signal `d`"),
        ("a and", 3, "unexpected `and`"),
        ("", 1, "ends too early"),
        ("not a", 1, "nothing needs to happen"),
        ("a or not b", 1, "nothing needs to happen"),
        ("count(a) > 3", 10, "unexpected `>`"),
        ("a within 3s", 3, "unexpected `within`"),
        ("a then b within 3 fortnights", 10, "unexpected `within`"),
        ("(" * 50 + "a" + ")" * 50, 1, "more than 40"),
    ],
)
def test_faults_say_what_and_where(text, column, message):
    with pytest.raises(ConditionFault, match=message) as fault:
        parse_when(text, SIGNALS)
    assert fault.value.column == column


@given(st.text(alphabet="abc()<>=*/0123456789smh \nandorthewiuk", max_size=60))
def test_any_text_is_a_condition_or_a_fault(text):
    try:
        when = parse_when(text, SIGNALS)
    except ConditionFault as fault:
        assert 1 <= fault.column <= len(text) + 1
    else:
        assert when.scope is Scope.JOB
