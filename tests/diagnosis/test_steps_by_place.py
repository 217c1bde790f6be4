"""Steps of shipped rules follow from who waits, where memory ran out, which batch system ended a job and who called."""

import pytest

from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log

WAITS = (
    "[rank{0}]:[E418 01:32:50.900000000 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum=41, OpType={1}, NumelIn={2}, NumelOut={2}, Timeout(ms)={3}) ran for 600010 milliseconds "
    "before timing out.\n"
)
DIED = (
    "2026-03-04 10:00:00,101 WARNING worker.py:2058 -- A worker died or was killed while executing a task by an "
    "unexpected system error. RayTask ID: 00aa Worker ID: 11bb Node ID: 22cc Worker IP address: 10.0.0.8 Worker port: "
    "10021 Worker PID: 4411 Worker exit type: SYSTEM_ERROR\n"
)
FULL = (
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[8,13,13,64] "
    "and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
)
WRAPPED = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    model = DistributedDataParallel(net)
  File "/env/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 93, in __init__
    self._ddp_init_helper()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.11 GiB.
"""
UNASKED = """
Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/acme/core.py", line 5, in run
    return self.gears
KeyError: 'gears'
"""
PATH_GIVEN = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    rows = [row["text"] for row in table]
TypeError: string indices must be integers, not 'str'
"""


@pytest.fixture(scope="module")
def on_shipped(shipped):
    return prepared(shipped)


def _steps(on_shipped, log: str) -> list[str]:
    return [step.do.en for step in run_log(on_shipped, log).diagnoses[0].fixes]


@pytest.mark.parametrize(
    ("log", "first"),
    [
        (WAITS.format(0, "ALLREDUCE", 99, 600000) + WAITS.format(1, "ALLREDUCE", 99, 600000), "All 2 ranks of this log wait"),
        (WAITS.format(0, "ALLREDUCE", 99, 600000), "See what the ranks that did not report wrote last"),
        (WAITS.format(0, "ALLREDUCE", 99, 60), "The limit is 60 milliseconds"),
        (DIED, "Read what the process 4411 itself wrote last on 10.0.0.8"),
        (FULL, "TensorFlow takes nearly all of the card"),
        (WRAPPED, "It happens while the weights come onto the GPU"),
        ("=>> PBS: job killed: walltime 86431 exceeded limit 86400", "PBS ended the job at its limit of time"),
        (UNASKED, "Only code of acme is in the traceback"),
        (PATH_GIVEN, "What is indexed with a name there is a text or a list"),
        ("/usr/bin/ld: cannot find -lcuda\ncollect2: error: ld returned 1 exit status", "The compiler works; the linker does not find libcuda"),
    ],
)  # fmt: skip
def test_the_first_step_is_that_of_the_place(on_shipped, log, first):
    assert _steps(on_shipped, log)[0].startswith(first)


@pytest.mark.parametrize(
    ("op", "of"),
    [("ALLREDUCE", "mostly that of the gradients"), ("_ALLGATHER_BASE", "FSDP, ZeRO-3"), ("BROADCAST", "waits for its source")],
)  # fmt: skip
def test_a_collective_tells_what_to_look_for(on_shipped, op, of):
    assert any(of in step for step in _steps(on_shipped, WAITS.format(0, op, 99, 600000))[:3])


@pytest.mark.parametrize(
    ("log", "unsaid"),
    [
        (FULL, "JAX"),
        (FULL, "ZeRO"),
        (WRAPPED, "Halve"),
        ("=>> PBS: job killed: walltime 86431 exceeded limit 86400", "SLURM"),
    ],
)
def test_no_step_is_of_another_stack_or_place(on_shipped, log, unsaid):
    assert not any(unsaid in step for step in _steps(on_shipped, log))


def test_what_stands_where_data_is_read_is_looked_for_there(on_shipped):
    assert "where data is read" in _steps(on_shipped, "hello from acme\ntokenized 3/9 shards\n")[2]
