"""The exceptions that name a cause outside of the order of tiers, each on a log that shows why it is needed."""

from pathlib import Path

import pytest
import yaml

from logrules.engine.run import prepared
from logrules.ruleset.load import shipped_rules
from logrules.ruletest.harness import run_log


def test_a_loss_that_does_not_fall_explains_weights_that_seem_not_to_arrive(shipped):
    rule = yaml.safe_load(Path(shipped_rules(), "rl/not-converging.yaml").read_text(encoding="utf-8"))
    (first, *_) = run_log(prepared(shipped), rule["examples"]["fires"]["log"]).diagnoses
    assert first.rule == "rl/not-converging"
    assert "rl/weights-not-synced" in {one.rule for one in first.consequences}


def test_what_the_last_error_says_of_sizes_explains_the_call_that_failed(shipped):
    log = (
        "[rank3]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:77, unhandled system error "
        "(run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\n"
        "[rank3]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed.\n"
        "[rank3]: Last error:\n"
        "[rank3]: NET/Socket : peer 10.0.0.9<43210> message truncated : receiving 1048576 bytes instead of 65536.\n"
    )
    (first, *others) = run_log(prepared(shipped), log).diagnoses
    assert first.rule == "torch/collective-mismatch"
    assert first.ranks == ()  # which of the two called otherwise, neither can tell
    assert not others


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("EI0006: [PID: 77] 2025-01-02-03:04:05.100.200 Getting socket times out.", "nccl/hccl-socket-timeout"),
        ("EI0002: [PID: 77] 2025-01-02-03:04:05.100.200 The wait execution of the Notify register times out.",
         "nccl/hccl-notify-timeout"),
    ],
)  # fmt: skip
def test_the_code_below_a_call_of_hccl_says_why_it_failed(shipped, code, rule):
    log = (
        "[rank1]: Traceback (most recent call last):\n"
        '[rank1]:   File "/app/train.py", line 12, in main\n'
        "[rank1]:     dist.all_reduce(loss)\n"
        "[rank1]: RuntimeError: InnerRunOpApi:torch_npu/csrc/framework/OpParamMaker.cpp:88 "
        "OPS function error: HcclAllreduce, error code is 6\n"
        "[rank1]: [ERROR] 2025-01-02-03:04:05 (PID:77, Device:1, RankID:1) ERR01100 OPS call acl api failed.\n"
        f"[rank1]: {code}\n"
    )
    (first, *_) = run_log(prepared(shipped), log).diagnoses
    assert first.rule == rule
    assert "exceptions/hccl-call" in {one.rule for one in first.consequences}


def test_who_kept_the_monitored_barrier_gave_up_on_the_rank_that_never_came(shipped):
    log = (
        "[rank2]: RuntimeError: Rank 2 successfully reached monitoredBarrier, but received errors while waiting for "
        "send/recv from rank 0. Please check rank 0 logs for faulty rank.\n"
        "[rank0]: RuntimeError: Rank 1 failed to pass monitoredBarrier in 30000 ms\n"
    )
    (first, *_) = run_log(prepared(shipped), log).diagnoses
    assert (first.rule, first.ranks) == ("torch/monitored-barrier", (1,))
    assert "torch/monitored-barrier-left" in {one.rule for one in first.consequences}


def test_composer_ends_the_ranks_that_it_lists_before_the_one_that_failed(shipped):
    log = "Global rank 2 (PID 77) exited with code 143\nGlobal rank 5 (PID 80) exited with code 1\n"
    (first, *others) = run_log(prepared(shipped), log).diagnoses
    assert first.rule == "exits/exit-1"
    assert first.ranks == (5,)
    assert not others


_STEPS = "".join(f"step {number} loss 2.{number} lr 0.1\n" for number in range(1, 8))
_LIMIT = "slurmstepd: error: *** STEP 91.0 ON gpu-3 CANCELLED AT 2025-03-01T10:00:00 DUE TO TIME LIMIT ***\n"
_SIGNAL = "[rank: 0] Received SIGTERM: 15\n"
_KILLED = "train.sh: line 12: 40213 Killed                  python -u train.py --config base.yaml\n"


def test_the_scheduler_explains_the_signal_that_it_sends(shipped):
    (first, *_) = run_log(prepared(shipped), _STEPS + _LIMIT + _SIGNAL).diagnoses
    assert first.cause == "preempted"
    assert "worker-killed" in {one.cause for one in first.consequences}


_LOST = (
    "slurmstepd: error:  mpi/pmix_v5: _errhandler: gpu-3 [0]: pmixp_client_v2.c:225: Error handler invoked: "
    "status = -61, source = [slurm.pmix.91.0:5]\n"
)
_ENDED = "slurmstepd: error: *** STEP 91.0 ON gpu-3 CANCELLED AT 2025-03-01T10:00:00 ***\n"


@pytest.mark.parametrize(("end", "cause"), [(_LIMIT + _LOST, "preempted"), (_LOST + _ENDED, "peer-lost")])
def test_the_time_limit_explains_the_process_that_pmix_misses_and_its_loss_the_end_of_the_step(shipped, end, cause):
    (first, *_) = run_log(prepared(shipped), _STEPS + end).diagnoses
    assert first.cause == cause


def test_the_time_limit_explains_no_process_that_was_killed_before_it(shipped):
    (first, *_) = run_log(prepared(shipped), _STEPS + _KILLED + _LIMIT).diagnoses
    assert first.cause == "worker-killed"


_INTERRUPT = """Process SpawnProcess-3:
Traceback (most recent call last):
  File "/proj/train.py", line 40, in train_epoch
    loss.backward()
KeyboardInterrupt
"""
_LOADER = """Traceback (most recent call last):
  File "/usr/lib/python3.10/site-packages/torch/utils/data/_utils/pin_memory.py", line 52, in do_one_step
    r = in_queue.get(timeout=MP_STATUS_CHECK_INTERVAL)
  File "/usr/lib/python3.10/multiprocessing/connection.py", line 379, in _recv
    chunk = read(handle, remaining)
ConnectionResetError: [Errno 104] Connection reset by peer
"""


@pytest.mark.parametrize(
    ("story", "log", "cause"),
    [
        ("what breaks when all are interrupted is its doing", _INTERRUPT + _LOADER, "interrupted"),
        ("who interrupts what is broken did not break it", _LOADER + _INTERRUPT, "dataloader-worker-died"),
        (
            "what breaks much later is another matter",
            _INTERRUPT + "".join(f"note {number}: nothing new\n" for number in range(500)) + _LOADER,
            "dataloader-worker-died",
        ),
    ],
)
def test_an_interrupt_explains_how_processes_react_right_behind_it(shipped, story, log, cause):
    assert run_log(prepared(shipped), _STEPS + log).diagnoses[0].cause == cause


def test_an_engine_that_does_not_start_explains_its_child_that_failed(shipped):
    log = (
        "[2025-06-03 09:13:47 TP1] Scheduler hit an exception: Traceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.12/site-packages/sglang/srt/managers/scheduler.py", line 9, in run_scheduler_process\n'
        "    scheduler = Scheduler(server_args, port_args)\n"
    )
    (first, *others) = run_log(prepared(shipped), log).diagnoses
    assert first.cause == "engine-init-failed"
    assert "engine-dead" not in {one.cause for one in others}


@pytest.mark.parametrize(
    ("story", "log", "cause", "explained"),
    [
        (
            "what a check of the devices ran into, that it failed",
            "2025-03-04 10:00:00,100 - lmdeploy - ERROR - triton.py:53 - RuntimeError: CUDA error: out of memory\n"
            "2025-03-04 10:00:00,101 - lmdeploy - ERROR - base.py:54 - <Triton> check failed!\n",
            "cuda-oom",
            {"serving/lmdeploy-check-failed"},
        ),
        (
            "sources that cannot be reached, the build that fetches them",
            "  error: subprocess-exited-with-error\n"
            "      Cloning into 'kernels-src'...\n"
            "      fatal: unable to access 'https://github.com/org/kernels.git/': Could not resolve host: github.com\n"
            "      CMake Error at kernels-gitclone.cmake:50 (message):\n"
            "        Failed to clone repository\n",
            "hub-unreachable",
            {"install/build-failure"},
        ),
        (
            "that no more files may be open, shared memory that cannot be opened",
            "Traceback (most recent call last):\n"
            '  File "/opt/venv/lib/python3.12/site-packages/torch/multiprocessing/reductions.py", line 9, in reduce_storage\n'
            "    fd, size = storage._share_fd_cpu_()\n"
            "RuntimeError: unable to open shared memory object </torch_12_34> in read-write mode: Too many open files (24)\n",
            "file-descriptor-limit",
            {"host/shm-exhausted", "dataloader/shared-memory"},
        ),
        (
            "what the script raises, the workers that the thread of its loader meets gone",
            "Exception in thread Thread-1 (_pin_memory_loop):\n"
            + _LOADER
            + 'Traceback (most recent call last):\n  File "/proj/train.py", line 9, in <module>\n    a, b = net(x)\n'
            "ValueError: too many values to unpack (expected 2)\n",
            "python-exception",
            {"exceptions/loader-lost-connection"},
        ),
    ],
)
def test_what_explains_what_it_made_fail(shipped, story, log, cause, explained):
    first, *others = run_log(prepared(shipped), log).diagnoses
    assert first.cause == cause
    assert {one.rule for one in first.consequences} >= explained
    assert explained.isdisjoint(one.rule for one in others)


def test_every_such_exception_has_its_test_here():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Path(shipped_rules()).rglob("*.yaml")}
    assert {name for name, text in texts.items() if "\nexplained_by:" in text} == {
        "weights-not-synced",
        "monitored-barrier-left",
        "unhandled-error",
        "killed-by-signal",
        "child-failed",
        "build-failure",
        "lmdeploy-check-failed",
        "pmix-lost-process",
        "shm-exhausted",
        "shared-memory",
    }
