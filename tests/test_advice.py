"""The first steps of shipped rules follow from whose code raised, from what the lines tell and from where it was."""

import pytest

from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on_shipped(shipped):
    return prepared(shipped)


OWN = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    step(batch)
  File "/app/loss.py", line 7, in step
    weight = table["left"]
KeyError: 'left'
"""
LIBRARY = """
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/fire/core.py", line 135, in Fire
    run(component)
ValueError: odd
"""
CALLED = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    step(batch)
  File "/usr/lib/python3.11/site-packages/einops/einops.py", line 523, in reduce
    raise error(message)
ValueError: odd
"""


@pytest.mark.parametrize(
    ("log", "first"),
    [
        (OWN, "Open /app/loss.py:7 in step: this line raised it"),
        (LIBRARY, "Only code of fire is in the traceback"),
        (CALLED, "Open /app/train.py:9 in main: it called the library"),
    ],
)
def test_the_first_step_says_whose_code_raised(on_shipped, log, first):
    assert run_log(on_shipped, log).diagnoses[0].fixes[0].do.en.startswith(first)


def test_what_a_line_tells_fills_the_steps_of_any_rule(on_shipped):
    second = run_log(on_shipped, OWN).diagnoses[0].fixes[1]
    assert second.run is not None
    assert second.run.startswith("grep -n left ")


def test_packages_that_may_not_fit_are_asked_of_what_a_library_raised(on_shipped):
    causes = [[one.cause for one in run_log(on_shipped, log).diagnoses] for log in (OWN, CALLED)]
    assert ["version-mismatch" in found for found in causes] == [False, True]


CANCELLED = "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2025-06-03T10:00:00 ***\n"
STEPS = "{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n" * 3


@pytest.mark.parametrize(
    ("log", "restart", "resumes"), [(STEPS + CANCELLED, "retry", True), (CANCELLED, "after-fix", False)]
)
def test_only_a_job_that_had_come_to_its_steps_is_resumed(on_shipped, log, restart, resumes):
    found = run_log(on_shipped, log).diagnoses[0]
    assert found.restart.value == restart
    assert any("checkpoint" in fix.do.en for fix in found.fixes) == resumes


def test_the_job_that_the_log_names_is_asked_for(on_shipped):
    assert any("-j 4711" in (fix.run or "") for fix in run_log(on_shipped, CANCELLED).diagnoses[0].fixes)
