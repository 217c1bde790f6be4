"""What a failure that nothing knows may be: shown behind it, and never as an error of its own."""

import pytest

from logrules.engine.run import prepared
from logrules.model.report import Severity, Status
from logrules.ruletest.harness import run_log

PIPELINE = """
phases:
  - {id: launch, title: l, about: l}
  - {id: train_step, title: t, about: t, loop: true}
"""
CAUSES = """
tiers: [{id: process}, {id: symptom}]
causes:
  - {id: python-exception, family: x, tier: process, title: x, about: x, fixes: [look]}
  - {id: bad-config, family: x, tier: process, title: x, about: x, fixes: [look]}
  - {id: dataset-corrupt, family: x, tier: process, title: x, about: x, fixes: [look], stall: true}
  - {id: disk-full, family: x, tier: process, title: x, about: x, fixes: [look]}
alternatives:
  - id: launching
    of: [python-exception]
    phases: [launch]
    may_be: [{cause: bad-config, title: Perhaps an option, why: w}]
  - id: anywhere
    of: [python-exception]
    may_be: [{cause: dataset-corrupt, title: Perhaps a record, why: w}, {cause: disk-full, title: Perhaps no room, why: w}]
"""
FIXES = "fixes: [{id: look, do: look}]"
WORDINGS = "wordings: [{id: rank, says: on-rank, pattern: 'rank(?P<value>[0-9])', samples: [rank3]}]"
TOY = """
framework: toy
markers:
  - {id: step, contains: "STEP", enters: train_step, progress: true, samples: [STEP 1]}
"""
BROKEN = """
id: toy/broken
cause: python-exception
title: broken
why: w
signals: {broken: BROKEN}
examples: {fires: BROKEN, silent: fine}
"""
FULL = """
id: toy/full
cause: disk-full
title: full
why: w
signals: {full: FULL}
examples: {fires: FULL, silent: fine}
"""


@pytest.fixture
def on(small_pack):
    return prepared(small_pack(PIPELINE, FIXES, CAUSES, WORDINGS, TOY, BROKEN, FULL))


@pytest.mark.parametrize(
    ("story", "log", "causes"),
    [
        ("by its phase", "BROKEN", ["python-exception", "bad-config"]),
        ("of any phase, where no row names it", "STEP 1\nBROKEN", ["python-exception", "dataset-corrupt", "disk-full"]),
        ("none for what is known", "FULL", ["disk-full"]),
        ("none that is told already", "STEP 1\nBROKEN\nFULL", ["python-exception", "disk-full", "dataset-corrupt"]),
        ("nothing for nothing", "STEP 1", []),
    ],
)
def test_what_it_may_be(on, story, log, causes):
    assert [one.cause for one in run_log(on, log).diagnoses] == causes


RAISED = """
Traceback (most recent call last):
  File "/app/train.py", line 3, in main
    step()
OddError: no part fits
"""


EXIT = "logrules: the command ended: exit status 3"


@pytest.mark.parametrize(("log", "causes"), [(EXIT, []), (RAISED, ["bad-config"])])
def test_what_is_asked_of_an_exception_is_asked_only_where_one_was_raised(shipped, log, causes):
    first, *supposed = run_log(prepared(shipped), log).diagnoses
    assert first.cause == "python-exception"
    assert [one.cause for one in supposed] == causes


def test_a_supposition_is_no_error_and_no_stall(on):
    report = run_log(on, "STEP 1\nBROKEN")
    assert report.status is Status.FAILED
    assert {one.severity for one in report.diagnoses[1:]} == {Severity.INFO}


def test_it_points_at_the_lines_of_what_it_may_be_and_at_nobody(on):
    broken, supposed, *_ = run_log(on, "[rank3]: STEP 1\n[rank3]: BROKEN").diagnoses
    assert supposed.evidence == broken.evidence
    assert (broken.ranks, supposed.ranks) == ((3,), ())


def test_a_rule_that_knows_more_than_its_cause_has_no_alternatives(small_pack):
    fallback = BROKEN.replace("toy/broken", "toy/any").replace("BROKEN", "ODD") + "fallback: true\n"
    pack = prepared(small_pack(PIPELINE, FIXES, CAUSES, TOY, BROKEN, FULL, fallback))
    assert len(run_log(pack, "STEP 1\nODD\n").diagnoses) > 1
    assert len(run_log(pack, "STEP 1\nBROKEN\n").diagnoses) == 1
