"""Which lines a report shows first: where it just ends, the last step too; of peers, each one's own failure."""

import pytest

from logrules.engine.run import Prepared, prepared
from logrules.ruleset.load import load_pack
from logrules.ruletest.harness import run_log

STEP = "{'loss': 0.50, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': 0.%d}"


@pytest.fixture(scope="module")
def on() -> Prepared:
    return prepared(load_pack())


def test_where_a_log_just_ends_the_last_step_stands_beside_the_last_line(on):
    steps = [STEP % number for number in range(1, 4)]
    first = run_log(on, "\n".join([*steps, "uploaded 3 shards of the replay buffer"])).diagnoses[0]
    assert first.rule == "detectors/stopped"
    assert [one.line for one in first.evidence] == [3, 4]


def test_the_last_line_is_shown_once_where_it_is_the_last_step(on):
    first = run_log(on, "\n".join(STEP % number for number in range(1, 4))).diagnoses[0]
    assert [one.line for one in first.evidence] == [3]


@pytest.mark.parametrize("prefix", ["", "engine  | "])
def test_what_all_ranks_of_a_container_raise_at_once_is_not_lived_through(on, prefix):
    raised = [
        "[2025-03-01 10:00:00 TP%d] Scheduler hit an exception: Traceback (most recent call last):",
        '  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 636, in event_loop_normal',
        "    batch = self.get_next_batch_to_run()",
        "TypeError: expected Tensor as element 1 in argument 0, but got NoneType",
        "",
    ]
    lines = [prefix + line.replace("%d", str(rank)) for rank in range(4) for line in raised]
    report = run_log(on, "\n".join(lines))
    assert report.status.value == "failed"
    assert report.diagnoses[0].evidence[0].text.endswith("but got NoneType")
