"""Silence is judged when its deadlines pass, and tells then what looking at every beat would tell."""

import pytest

from logrules.inference.rule_evaluation import RuleEvaluation
from logrules.inference.session import Session
from tests.inference.test_left_behind import live
from tests.inference.test_stalls import Job, polling

pytestmark = pytest.mark.unmeasured


def steps(job: Job) -> Job:
    for number in range(20):
        job.says(number, f"step {number} loss 0.5")
    return job


def waits(job: Job) -> Job:
    return job.says(1, "Initializing process group")


def polls(job: Job) -> Job:
    return polling(job, "still waiting for the reward model", 450).says(451, "the reward model is there")


STORIES = [
    ("nothing is ever said", Job, ["raised", "stallprolonged"]),
    ("a start that goes no further", lambda: Job().says(1, "reading the settings"), ["raised", "stallprolonged"]),
    ("a loop that stops", lambda: steps(Job()), ["raised", "stallprolonged"]),
    ("a wait that does not end", lambda: waits(Job()), ["raised", "stallprolonged"]),
    ("lines that say that they wait, and others", lambda: polls(Job()), ["raised", "withdrawn"]),
    ("one that the others left behind", lambda: live({2: 20}), ["raised"]),
]


@pytest.mark.parametrize(("story", "begin", "told"), STORIES, ids=[story for story, _, _ in STORIES])
def test_silence_is_judged_at_its_deadlines_alone_and_tells_the_same(monkeypatch, story, begin, told):
    judged = []
    judge = RuleEvaluation.judge_silence
    monkeypatch.setattr(RuleEvaluation, "judge_silence", lambda rules: judged.append(1) or judge(rules))
    found = begin()
    judged.clear()
    found.is_quiet_until(7_300)
    assert len(judged) < 40
    assert set(told) <= {type(one).__name__.lower() for one in found.changes}, story

    tick = Session._tick
    monkeypatch.setattr(Session, "_tick", lambda session, now: setattr(session, "_heard", True) or tick(session, now))
    assert begin().is_quiet_until(7_300).changes == found.changes


def test_an_hour_of_quiet_is_over_when_it_has_passed():
    found = Job().says(0, "step 1 loss 0.5").is_quiet_until(3_600, 600)
    assert found.told("detectors/quiet") == [("raised", 3_600)]
