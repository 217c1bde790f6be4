"""In which phase a failure was whose frames end where another process was asked to do something."""

import pytest

from logrules.engine.run import replay
from logrules.ruleset.pack import Pack
from logrules.sources.source import MemorySource

ASKED = """Traceback (most recent call last):
  File "/v/lib/python3.11/site-packages/verl/trainer/ppo/ray_trainer.py", line 90, in fit
    {statement}
{below}  File "/v/lib/python3.11/site-packages/ray/_private/worker.py", line 70, in get
    raise value
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR
"""
VALIDATES = """  File "/v/lib/python3.11/site-packages/verl/trainer/ppo/ray_trainer.py", line 40, in _validate
    padded = divide(batch)
"""
CASES = {
    "what was asked of the workers": ("out = self.actor_rollout_wg.generate_sequences(batch)", "", "rollout"),
    "the loop itself where it asked for nothing": ("out = divide(batch)", "", "train_step"),
    "a frame further in tells better": ("out = self.actor_rollout_wg.generate_sequences(batch)", VALIDATES, "eval"),
}


@pytest.mark.parametrize(("statement", "below", "phase"), CASES.values(), ids=CASES)
def test_the_statement_of_the_frame_that_tells_the_phase(shipped: Pack, statement: str, below: str, phase: str):
    text = ASKED.format(statement=statement, below=below)
    assert replay([MemorySource("train.log", text)], shipped).diagnoses[0].phase == phase
