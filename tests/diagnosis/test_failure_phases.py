"""In which phase a failure was whose frames end where another process was asked to do something."""

import pytest

from logrules.engine.run import replay
from logrules.ruleset.pack import Pack
from tests.conftest import MemorySource

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


SERVES = """INFO 03-02 19:49:40 [api_server.py:912] vLLM API server version 0.8.1
INFO:     127.0.0.1:40118 - "POST /v1/chat/completions HTTP/1.1" 200 OK
"""
CLEANS_UP = """(VllmWorker rank=1 pid=42) Traceback (most recent call last):
(VllmWorker rank=1 pid=42)   File "/opt/vllm/vllm/v1/executor/multiproc_executor.py", line 426, in worker_main
(VllmWorker rank=1 pid=42)     worker.shutdown()
(VllmWorker rank=1 pid=42)   File "/opt/vllm/vllm/v1/executor/multiproc_executor.py", line 380, in shutdown
(VllmWorker rank=1 pid=42)     destroy_model_parallel()
(VllmWorker rank=1 pid=42)   File "/opt/vllm/vllm/distributed/parallel_state.py", line 1100, in destroy_model_parallel
(VllmWorker rank=1 pid=42)     _TP.destroy()
(VllmWorker rank=1 pid=42) {raised}
"""
ASYNCHRONOUS = "RuntimeError: CUDA error: an illegal memory access was encountered"
OWN = "RuntimeError: the group of this rank is gone"


@pytest.mark.parametrize(
    ("above", "raised", "phase"),
    [
        pytest.param(SERVES, ASYNCHRONOUS, "serve", id="it happened before what cleans up behind it"),
        pytest.param(
            SERVES + "INFO:     Shutting down\n", ASYNCHRONOUS, "serve", id="also where the end was announced"
        ),
        pytest.param(SERVES, OWN, "shutdown", id="what the cleaning up itself raises is of the end"),
    ],
)
def test_what_the_gpu_did_is_reported_late(shipped: Pack, above: str, raised: str, phase: str):
    text = above + CLEANS_UP.format(raised=raised)
    assert replay([MemorySource("serve.log", text)], shipped).diagnoses[0].phase == phase


def test_of_a_log_that_is_cut_at_both_ends_the_frames_that_are_there_tell_the_phase(shipped: Pack):
    text = """ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
Traceback (most recent call last):
  File "/v/lib/python3.11/site-packages/vllm/v1/worker/gpu_worker.py", line 90, in load_model
"""
    assert replay([MemorySource("serve.log", text)], shipped).diagnoses[0].phase == "model_load"


@pytest.mark.parametrize(
    ("behind", "phase"),
    [
        pytest.param(
            "Loading safetensors checkpoint shards:   0% Completed | 0/4 [00:00<?, ?it/s]\n",
            "model_load",
            id="it starts",
        ),
        pytest.param("Saving model checkpoint to /out/checkpoint-40\n", "train_step", id="it saves because it failed"),
    ],
)
def test_of_a_log_that_is_cut_at_its_head_the_next_phase_tells_but_for_what_a_failure_brings_about(
    shipped: Pack, behind: str, phase: str
):
    failed = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    assert replay([MemorySource("job.log", failed + behind)], shipped).diagnoses[0].phase == phase
