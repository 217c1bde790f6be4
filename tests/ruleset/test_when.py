"""What a `when` may say and what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    near,
    positive,
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
        ("metric(loss) is nan", MetricIs("loss", NotANumber.NAN)),
        ("metric(grad_norm) stays inf", MetricIs("grad_norm", NotANumber.INF, stays=True)),
        ("metric(loss) > 1e-3", MetricBound("loss", True, 1e-3)),
        ("metric(loss) < 100 over 20", MetricBound("loss", False, 100.0, 20)),
        ("metric(loss) > 10 * median over 50", MetricSpike("loss", True, 10.0, 50)),
        ("metric(reward) flat over 20", MetricTrend("reward", Trend.FLAT, 20)),
    ],
)
def test_every_operator(text, meaning):
    assert parse_when(text, SIGNALS) == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a and b", Every((A, B), anywhere=False)),
        ("a then b", Sequence(((0,), (1,)), anywhere=False)),
        ("a or (b and not c)", Some((A, Every((B, Not(C)), anywhere=False)))),
        ("a without b", Absence((0,), (1,))),
    ],
)
def test_what_is_joined_must_be_told_together(text, meaning):
    assert near(parse_when(text, SIGNALS)) == meaning


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
        condition = parse_when(text, SIGNALS)
    except ConditionFault as fault:
        assert 1 <= fault.column <= len(text) + 1
    else:
        assert positive(condition)
