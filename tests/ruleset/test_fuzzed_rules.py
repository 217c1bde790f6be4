"""Rule files and cases of any content end in a result or in one sentence with a place; never in a crash or a hang."""

import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.model.test_result import Outcome
from logrules.ruleset.load import rule_texts, shipped_rules
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.collect import Collection, compiled
from logrules.ruletest.example_strength import coverage_of, footprint, mutation_score
from logrules.ruletest.judging import run_tests
from logrules.ruletest.rule_tests import examples_of, read_cases

RULE = """
id: t/x
cause: python-exception
title: a
why: a
signals:
  a: {{contains: aaaa, pattern: {pattern}}}
  b: {{contains: bbbb}}
when: {when}
fixes: [{{do: a}}]
examples: {{fires: {{log: {log}, quiet: {quiet}}}, silent: nothing}}
"""


def survives(raw: bytes) -> None:
    """Everything that `logrules test` does with a file, but for the shipped rules around it."""
    try:
        pack, suite = compiled([RuleText("t/x.yaml", raw)])
    except PackError as fault:
        assert all(str(problem).startswith("t/x.yaml:") for problem in fault.problems)
        return
    on = prepared(pack)
    for result in run_tests(on, Collection(pack, suite).tests()):
        assert result.outcome in Outcome
    owners = dict.fromkeys(example.owner for example in examples_of(suite))
    assert len(coverage_of(on, [(example, footprint(on, example)) for example in examples_of(suite)])) == len(owners)
    for owner in owners:
        found = mutation_score(on, [example for example in examples_of(suite) if example.owner == owner])
        assert 0 <= found.noticed.done <= found.noticed.all


def spelt(*, when: str = "a", pattern: str = "a", log: str = "aaaa", quiet: str = "1s") -> bytes:
    quoted = {name: yaml.safe_dump(value, width=9**9).split("\n...")[0].strip() for name, value in locals().items()}
    return RULE.format(**quoted).encode()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("story", "raw"),
    [
        ("negations without end", spelt(when="a and " + "not\t" * 200 + "b")),
        ("brackets without end", spelt(when="(" * 400 + "a" + ")" * 400)),
        ("brackets as deep as they may be", spelt(when="(" * 39 + "a" + ")" * 39)),
        ("as many alternatives as there is room for", spelt(when=" or ".join(["a then b"] * 80))),
        ("a count beyond any log", spelt(when="count(a) >= " + "9" * 300)),
        ("a count of nothing", spelt(when="count(a) >= 0")),
        ("a window beyond any time", spelt(when="a then b within " + "9" * 400 + "d")),
        ("more samples than there is memory", spelt(when="a and metric(loss) flat over " + "9" * 30)),
        ("no samples at all", spelt(when="a and metric(loss) flat over 0")),
        ("a metric that nobody prints", spelt(when="a or metric(nothing) flat over 3")),
        ("a silence beyond any time", spelt(quiet="9" * 400 + "d")),
        ("a pattern that is nested too deep", spelt(pattern="(" * 450 + ")" * 450)),
        ("a pattern that repeats repetitions", spelt(pattern="(((a{1,900}){1,900}){1,900}){1,900}", log="a" * 5000)),
        ("a pattern that calls itself", spelt(pattern="(?P<x>a(?&x)?a)$", log="a" * 300 + "b")),
        ("a fuzzy pattern", spelt(pattern="(?:aaaa){e<=400}", log="a" * 2000)),
        ("a pattern that backtracks for ever", spelt(pattern="(a+)+(a+)+(a+)+$", log="a" * 3000 + "b")),
        ("control characters", spelt(log="aaaa\x00\x1b[31m\r\x85\u2028aaaa")),
        ("nothing", b""),
        ("bytes", b"\x00\xff\xfe"),
        ("a list", b"- a"),
        ("a billion laughs", b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"),
        ("code", b"!!python/object/apply:os.system [true]"),
        ("brackets in YAML without end", b"[" * 50_000),
        (
            "a header that is no pattern",
            b"framework: x\nheaders: [{id: a, pattern: '(', samples: [{line: a, expect: {}}]}]",
        ),
        (
            "a number that is none",
            b"framework: x\nmetrics: [{id: a, metric: l, contains: [aaaa], pattern: '(?P<value>.)', samples: {a: z}}]",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_malice_and_mistakes(story, raw):
    survives(raw)


SHIPPED = [text.raw for text in rule_texts([shipped_rules()]) if b"\nsignals:" in text.raw or b"\nmarkers:" in text.raw]


def scrambled(raw: bytes, random_: random.Random) -> bytes:
    """A rule file with a few bytes or lines changed, doubled, swapped or gone."""
    lines = raw.split(b"\n")
    for _ in range(random_.randint(1, 4)):
        at = random_.randrange(len(lines))
        match random_.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, random_.choice(lines))
            case 2:
                lines[at] = lines[at].replace(b":", b"", 1)
            case 3:
                lines[at] = b" " * random_.randrange(4) + lines[at]
            case 4:
                place = random_.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:place] + random_.randbytes(2) + lines[at][place:]
            case _:
                words = lines[at].split(b" ")
                random_.shuffle(words)
                lines[at] = b" ".join(words)
        lines = lines or [b""]
    return b"\n".join(lines)


@given(st.sampled_from(SHIPPED), st.randoms(use_true_random=False))
def test_scrambled_rule_files(raw, random_):
    survives(scrambled(raw, random_))


@given(
    when=st.lists(
        st.sampled_from(
            ["a", "b", "and", "or", "not", "(", ")", "then", "without", "within", "30s", "count(a)", ">=", "3", "quiet >",
             "ranks(a)", "stopped", "waiting(x/y)", "metric(loss)", "is nan", "flat over", "per rank", "> 5", "* median"]
        ),
        max_size=14,
    ),
    pattern=st.text(st.sampled_from("ab.*+?()[]{}|^$\\1,P<x>=!"), min_size=1, max_size=30),
)  # fmt: skip
def test_random_conditions_and_patterns(when, pattern):
    survives(spelt(when=" ".join(when) or "a", pattern=pattern))


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["a", "5m", "stuck", "failed", "x/y", "\x1b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["line", "quiet", "expect", "stall", "cause", "rule", "raised"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["script", "kind", "cause", "status", "diagnoses", "absent", "logs", "expected_miss", "not"]),
        _values,
    )
)
def test_random_cases(tmp_path: Path, document):
    path = tmp_path / "case.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    try:
        cases = read_cases([path])
    except PackError as fault:
        assert all(str(path) in str(problem) for problem in fault.problems)
    else:
        assert [case.name for case in cases] == [tmp_path.name]
