"""What `logrules test` says of examples, cases and live scripts, on small rules of the test's own."""

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from logrules.engine.run import Prepared, prepared
from logrules.model.errors import PackError
from logrules.model.position import Position
from logrules.model.test_result import CaseFailure, Clause, Outcome, Result
from logrules.output import junit, ruletest_json, ruletest_text
from logrules.ruleset.load import rule_texts, shipped_rules
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.collect import compiled
from logrules.ruletest.example_strength import coverage_of, footprint, mutation_score
from logrules.ruletest.judging import case_result, example_result
from logrules.ruletest.rule_tests import Suite, examples_of, find_cases, read_cases

PIPELINE = """
phases:
  - {id: launch, title: a, about: a}
  - {id: train_step, title: a, about: a, loop: true}
"""
CAUSES = """
tiers: [{id: process}, {id: symptom, reaction: true}]
causes: [{id: broken, family: x, tier: process, title: a, about: a}, {id: stuck, family: x, tier: symptom, title: a, about: a}]
"""
PHASES = r"""
framework: toy
headers:
  - {id: rank, starts: "[", pattern: '\[rank(?P<rank>\d+)\]:\s?', samples: [{line: "[rank1]: x", expect: {rank: 1}}]}
markers:
  - {id: join, contains: [JOINING], opens: join, samples: [JOINING]}
  - {id: step, contains: ["STEP "], pattern: 'STEP \d+', enters: train_step, progress: true, samples: [STEP 1]}
waits:
  - id: join
    cause: stuck
    title: a
    why: a
    phase: launch
    patience: 5m
    fixes: [{do: a}]
    examples: {fires: {log: JOINING, quiet: 6m}, silent: {log: JOINING, quiet: 4m}}
"""


def rule(when: str, examples: str, name: str = "toy/broken", signals: str = "") -> str:
    return f"""
id: {name}
cause: broken
title: a
why: a
signals:
  crash: {{contains: CRASH, pattern: 'CRASH code=(?P<code>\\d+)'}}
  late: {{contains: TOO LATE}}
{signals}
when: {when}
anywhere: true
fixes: [{{do: a}}]
examples: {examples}
"""


def stage(*texts: str) -> tuple[Prepared, Suite]:
    texts_of_rules = [
        RuleText(f"toy/{n}.yaml", text.encode()) for n, text in enumerate((PIPELINE, CAUSES, PHASES, *texts))
    ]
    pack, suite = compiled(
        [
            *rule_texts(
                [shipped_rules() / f"frameworks/{name}.yaml" for name in ("traceback", "times", "python-logging")]
            ),
            *texts_of_rules,
        ]
    )
    return prepared(pack), suite


GOOD = '{fires: {log: "CRASH code=7", captures: {code: "7"}}, silent: "no CRASH today"}'


# --- examples -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "example", "message", "clauses"),
    [
        (
            "crash and late",
            'fires: "CRASH code=7"',
            "does not fire; nothing did",
            [("crash and late", False, "1 of 2 parts hold"), ("crash", True, "line 1"), ("late", False, "absent")],
        ),
        (
            "crash",
            'fires: "so\\nCRASH code=x"',
            "does not fire; nothing did",
            [("crash", False, "absent; line 2 has the words of `crash`, not its pattern")],
        ),
        (
            "crash",
            'fires: {log: "CRASH code=7", captures: {code: "8"}}',
            "captures code='7', not '8'",
            [("crash", True, "line 1")],
        ),
        (
            "crash",
            'fires: {log: "CRASH code=7", phase: train_step}',
            "has phase 'launch', not 'train_step'",
            [("crash", True, "line 1")],
        ),
        (
            "crash",
            'fires: {log: "CRASH code=7", ranks: [3]}',
            "has ranks [], not [3]",
            [("crash", True, "line 1")],
        ),
    ],
)
def test_a_failed_example_says_what_which_part_and_on_which_line(when, example, message, clauses):
    on, suite = stage(rule(when, f"{{{example}, silent: nothing}}"))
    result = example_result(on, next(one for one in examples_of(suite) if one.name == "toy/broken example 1"))
    (fault,) = result.faults
    assert fault.message == message
    assert [(one.text, one.holds, one.reason) for one in fault.clauses] == clauses
    assert result.outcome is Outcome.FAILED


def test_a_near_miss_that_fires_says_so():
    on, suite = stage(rule("crash", '{fires: "CRASH code=1", silent: "CRASH code=7"}'))
    (fault,) = example_result(on, next(one for one in examples_of(suite) if one.name == "toy/broken example 2")).faults
    assert fault.message == "fires, though it must not"


def test_the_nearest_rule_that_fired_is_named():
    other = rule("late", '{fires: "TOO LATE", silent: nothing}', "toy/late")
    on, suite = stage(rule("crash", '{fires: "TOO LATE", silent: x}'), other)
    (fault,) = example_result(on, next(one for one in examples_of(suite) if one.owner == "toy/broken")).faults
    assert (fault.nearest, fault.line) == ("toy/late", "TOO LATE")


@pytest.mark.usefixtures("impatient")
def test_a_pattern_that_runs_out_of_time_fails_its_example():
    slow = "  slow: {contains: aaaa, pattern: '(a+)+(a+)+(a+)+$'}"
    log = "a" * 5000 + "b"
    on, suite = stage(rule("slow", f'{{fires: x, silent: "{log}"}}', signals=slow))
    result = example_result(on, next(one for one in examples_of(suite) if one.name == "toy/broken example 2"))
    assert [fault.message for fault in result.faults] == [
        "the pattern of toy/broken:slow ran out of time and was dropped"
    ]


# --- cases ----------------------------------------------------------------------------------------------------------


def judge(tmp_path: Path, case: str, log: str | None = None) -> Result:
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "case.yaml").write_text(case, encoding="utf-8")
    if log is not None:
        (folder / "log.txt").write_text(log, encoding="utf-8")
    on, _ = stage(rule("crash", GOOD))
    (read,) = read_cases(find_cases([tmp_path]))
    return case_result(on, read)


@pytest.mark.parametrize(
    ("case", "log", "messages"),
    [
        ("{kind: failure, cause: broken, evidence: code=7}", "CRASH code=7", []),
        ("{kind: healthy}", "STEP 1\nSTEP 2", []),
        ("{kind: healthy}", "CRASH code=7", ["raises toy/broken, though the run is healthy"]),
        ("{kind: healthy}", "JOINING", ["is stalled, though the run is healthy"]),
        ("{cause: broken}", "STEP 1", ["finds nothing, not broken"]),
        ("{cause: stuck}", "CRASH code=7", ["puts broken first, not stuck"]),
        ("{cause: stuck, accept: [broken]}", "CRASH code=7", []),
        ("{cause: stuck, accept: [broken], not: [broken]}", "CRASH code=7", ["puts broken first, not stuck or broken"]),
        ("{cause: broken, culprit_rank: 3}", "CRASH code=7", ["names rank none, not 3"]),
        ("{cause: broken, culprit_rank: 3}", "[rank3]: CRASH code=7", []),
        ("{status: failed}", "CRASH code=7", []),
        ("{status: stalled}", "CRASH code=7", ["is failed, not stalled"]),
        ("{diagnoses: [{cause: broken, captures: {code: '7'}}]}", "CRASH code=7", []),
        ("{diagnoses: [{cause: broken}, {cause: stuck}]}", "CRASH code=7", ["diagnosis 2 is missing: stuck"]),
        ("{diagnoses: [{rule: toy/other}]}", "CRASH code=7", ["diagnosis 1 has rule 'toy/broken', not 'toy/other'"]),
        ("{absent: [stuck]}", "CRASH code=7", []),
        ("{absent: [broken]}", "CRASH code=7", ["finds broken, which must be absent"]),
        (
            "{cause: broken, expected_miss: nobody knows}",
            "CRASH code=7",
            ["comes right, though `expected_miss` says that it does not: take that out"],
        ),
    ],
)
def test_what_a_case_asks_of_a_saved_log(tmp_path, case, log, messages):
    result = judge(tmp_path, case, log)
    assert [fault.message for fault in result.faults] == messages
    assert result.outcome is (Outcome.FAILED if messages else Outcome.PASSED)


def test_an_expected_miss_is_no_failure(tmp_path):
    result = judge(tmp_path, "{cause: stuck, expected_miss: nobody knows}", "CRASH code=7")
    assert (result.outcome, result.reason) == (Outcome.EXPECTED_MISS, "nobody knows")


# 0      JOINING opens a wait with a patience of 5 m      STEP closes it
@pytest.mark.parametrize(
    ("script", "messages"),
    [
        ("[line: JOINING, quiet: 4m, expect: {quietly: true, stall: false}]", []),
        ("[line: JOINING, quiet: 6m, expect: {stall: toy/join, status: stalled, raised: [waits/toy/join]}]", []),
        (
            "[line: JOINING, quiet: 4m, expect: {stall: toy/join}]",
            ["at line 1 is not stuck in toy/join; nothing is open for too long"],
        ),
        (
            "[line: JOINING, quiet: 6m, expect: {stall: false}]",
            ["at line 1 is stuck in toy/join, though it must not be"],
        ),
        (
            "[line: JOINING, quiet: 6m, expect: {raised: [waits/toy/join]}, line: STEP 1, "
            "expect: {withdrawn: [waits/toy/join], stall: false, status: running}]",
            [],
        ),
        (
            "[line: JOINING, quiet: 6m, expect: {quietly: true}]",
            ["at line 1 raises waits/toy/join, withdraws nothing"],
        ),
        ("[line: JOINING, expect: {withdrawn: [toy/broken]}]", ["at line 1 does not withdraw toy/broken; nothing was"]),
        ("[lines: 'JOINING', end: true, expect: {status: stalled}]", []),
        ("[line: 'CRASH code=7', expect: {diagnoses: [{cause: broken}], absent: [stuck]}]", []),
        (
            "[line: 'CRASH code=7', expect: {diagnoses: [{cause: stuck}]}]",
            ["at line 1 diagnosis 1 has cause 'broken', not 'stuck'"],
        ),
    ],
)
def test_a_script_goes_on_a_virtual_clock(tmp_path, script, messages):
    steps = script.strip("[]").replace(", line", "|line").replace(", quiet", "|quiet").replace(", expect", "|expect")
    steps = steps.replace(", end", "|end").split("|")
    text = "script: [" + ", ".join("{" + step + "}" for step in steps) + "]"
    assert [fault.message for fault in judge(tmp_path, text).faults] == messages


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("{}", "expects nothing"),
        ("[1]", "is not a mapping"),
        ("{cause: broken}", "there is no log beside it and no `script` in it"),
        ("{cause: broken, logs: [gone.log]}", "there is no log `gone.log`"),
        ("{cause: broken, logs: [../x.log]}", "`logs.0`"),
        ("{cause: broken, colour: red}", "`colour`: unknown key"),
        ("{script: [{line: a, quiet: 5m}], cause: broken}", "a step is one of"),
        ("{script: [{quiet: soon}], cause: broken}", "`script.0.quiet`"),
        ("{script: [{expect: {status: bad}}]}", "`script.0.expect.status`"),
        ("{cause: *x}", "case.yaml:1:9"),
    ],
)
def test_a_faulty_case_is_told_with_its_place(tmp_path, case, said):
    with pytest.raises(PackError, match=r"case\.yaml:1") as fault:
        judge(tmp_path, case)
    assert said in str(fault.value)


# --- coverage and mutants -------------------------------------------------------------------------------------------


def covered(when: str, examples: str, signals: str = "") -> tuple[str, ...]:
    on, suite = stage(rule(when, examples, signals=signals))
    own = [one for one in examples_of(suite) if one.owner == "toy/broken"]
    (one,) = coverage_of(on, [(example, footprint(on, example)) for example in own])
    return one.missing


@pytest.mark.parametrize(
    ("when", "examples", "missing"),
    [
        ("crash", GOOD, ()),
        ("crash or late", GOOD, ("no example has the signal `late`", "in no example does `late` hold")),
        (
            "crash and not late",
            GOOD.replace('"no CRASH today"', '["no CRASH today", "TOO LATE\\nCRASH code=1"]'),
            (),
        ),
        (
            "crash and not late",
            GOOD,
            ("no example has the signal `late`", "in no example does `late` hold"),
        ),
        (
            "named",
            "{fires: NAMED a, silent: x}",
            ("no example fills the capture `b` of `named`",),
        ),
    ],
)
def test_coverage_lists_what_no_example_exercises(when, examples, missing):
    named = "  named: {contains: NAMED, pattern: 'NAMED (?P<a>a)(?: (?P<b>b))?'}"
    assert covered(when, examples, named) == missing


@pytest.mark.parametrize(
    ("when", "examples", "survivors"),
    [
        ("crash", GOOD, ()),
        (
            "crash",
            '{fires: "CRASH code=7", silent: x}',
            ("the pattern of `crash` dropped",),
        ),
        (
            "crash and late",
            GOOD.replace("CRASH code=7", "CRASH code=7\\nTOO LATE"),
            ("`crash or late` for `crash and late`",),
        ),
        (
            "crash then late within 30s",
            "{fires: {log: \"2025-01-01 10:00:00 CRASH code=7\\n2025-01-01 10:00:20 TOO LATE\", captures: {code: '7'}}, "
            'silent: ["CRASH\\nTOO LATE", "TOO LATE\\nCRASH code=7"]}',
            ("`crash then late within 5m` for `crash then late within 30s`",),
        ),
        (
            "count(late) >= 3",
            '{fires: "TOO LATE\\nTOO LATE\\nTOO LATE", silent: x}',
            ("`late` for `count(late) >= 3`",),
        ),
    ],
)
def test_mutants_that_no_example_notices_are_listed(when, examples, survivors):
    on, suite = stage(rule(when, examples))
    found = mutation_score(on, [one for one in examples_of(suite) if one.owner == "toy/broken"])
    assert found.survivors == survivors
    assert found.noticed.done == found.noticed.all - len(survivors) > 0


def test_a_patience_is_widened_too():
    on, suite = stage(rule("crash", GOOD))
    found = mutation_score(on, [one for one in examples_of(suite) if one.owner == "waits/toy/join"])
    assert (found.noticed.all, found.survivors) == (1, ())


# --- forms ----------------------------------------------------------------------------------------------------------

HOSTILE = "\x1b[31mred\x00 ]]> & <b> \ufffe # TODO"
RESULTS = (
    Result("example", "a/b", "a/b example 1", Position("rules/a/b.yaml", 4, 5)),
    Result(
        "example",
        "a/b",
        "a/b example 2",
        Position("rules/a/b.yaml", 9, 5),
        (
            CaseFailure(
                "does not fire", HOSTILE, (Clause(0, "x and y", False, "1 of 2"), Clause(1, "x", True, "line 1")), "c/d"
            ),
        ),
    ),
    Result("case", "job", "job", Position("job/case.yaml"), (CaseFailure("finds nothing"),), "nobody knows"),
)


def rendered(form) -> str:
    out = StringIO()
    form.render_results(RESULTS, out)
    return out.getvalue()


def test_text_shows_the_failed_ones_and_a_summary():
    text = rendered(ruletest_text)
    assert text.splitlines()[0] == "rules/a/b.yaml:9:5: a/b example 2 does not fire"
    assert "    fails  x and y  (1 of 2)\n    holds    x  (line 1)\n    nearest rule that fired: c/d\n" in text
    assert text.splitlines()[-1] == "2 examples, 1 case: 1 failed, 1 missed as expected"
    assert "\x1b" not in text


def test_junit_is_xml_that_counts_right():
    root = ET.fromstring(rendered(junit))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("3", "1", "1")
    assert [suite.get("name") for suite in root] == ["example", "case"]
    failure = root.find("testsuite/testcase/failure")
    assert "nearest rule that fired: c/d" in failure.text
    assert "\\x1b[31mred\\x00 ]]> & <b> \\ufffe" in failure.text
    assert root.find("testsuite/testcase/skipped").get("message") == "nobody knows"


def test_json_says_everything():
    document = json.loads(rendered(ruletest_json))
    assert document["counts"] == {"passed": 1, "failed": 1, "expected-miss": 1}
    assert document["tests"][1]["faults"][0]["line"] == HOSTILE
    assert document["tests"][1]["faults"][0]["condition"][1] == {
        "depth": 1,
        "text": "x",
        "holds": True,
        "reason": "line 1",
    }
