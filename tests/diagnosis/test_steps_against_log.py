"""No step is shown that asks for what the log shows to be absent, done or not what is wrong."""

import re

import pytest

from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log

OWN = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    rows = table["left"]
KeyError: 'left'
"""
NO_INTERFACE = """
n1:7:7 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth7
n1:7:7 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found
"""
ABSENT = (
    "RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: ens9"
)
SPANNING = """
WARNING 01-02 03:04:05 x.py:1] Custom allreduce is disabled because this process group spans across nodes.
RuntimeError: NCCL error in: ../ProcessGroupNCCL.cpp:1269, unhandled system error, NCCL version 2.14.3
"""
LINKED = """
n1:7:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
n1:7:9 [0] NCCL INFO Connected all trees
n1:7:9 [0] NCCL INFO Connected NVLS tree
n1:7:9 [0] NCCL INFO threadThresholds 8/8/64 | 128/8/64 | 512 | 512
"""
IN_MPI_GROUP = """
  ub_tp_comm_overlap: true
[n1:227  :0:227] Caught signal 11 (Segmentation fault: address not mapped to object at address 0xc)
==== backtrace (tid:    227) ====
 8 0x00000000ce0afb c10d::ProcessGroupMPI::createProcessGroupMPI()  ???:0
"""
ON_NPU = """
[rank0]:[W1209 11:24:53.7 compiler_depend.ts:117] Warning: Driver Version is invalid
Processed prompts:   0%|          | 0/4 [00:00<?, ?it/s, est. speed input: 0.00 toks/s, output: 0.00 toks/s]
"""
OF_BUILD = """
INFO 01-02 03:04:05 [core.py:1] Initializing a V1 LLM engine (v{}) with config: model=m
RuntimeError: CUDA error: an illegal memory access was encountered
"""
FLASH = """
Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/flash_attn/flash_attn_interface.py", line 5, in forward
    out = flash_attn_cuda.fwd(q)
RuntimeError: {}
"""
CRASHED_IN_PYTHON = """
Fatal Python error: Segmentation fault

Current thread 0x00007f00aa11bb22 (most recent call first):
  File "/x/torch/distributed/distributed_c10d.py", line 2806 in {}
"""
PRIVATE = "ModuleNotFoundError: No module named 'acme.utils._old'"
MISSING = "OSError: /models/a does not appear to have a file named {}."
CHANNEL = "ray.exceptions.RayChannelTimeoutError: System error: increase RAY_CGRAPH_get_timeout which is currently {} seconds."
DUMPED = """
WARNING 01-02 03:04:05 scheduler.py:9] Sequence group a1 is {} because there is not enough room.
INFO 01-02 03:04:06 model_runner_base.py:120] Writing input of failed execution to /tmp/input.pkl...
"""
FORKED = """
INFO 01-02 03:04:05 llm_engine.py:9] Initializing an LLM engine (v0.6.1) with config: model='m'
{}, line 2
RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use 'spawn'
"""
NO_ROOM = """
(EngineCore_0 pid=7) INFO 01-02 03:04:05 [core.py:9] Initializing a V1 LLM engine (v0.10.1) with config: model=m{}
(EngineCore_0 pid=7) ERROR 01-02 03:13:09 [core.py:80] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.
"""
NO_KERNEL = "sglang.launch_server\n{}\nRuntimeError: HIP error: invalid device function"
REGISTERING = (
    "{} worker_pool.cc:9] Some workers of the worker process(77) have not registered to raylet within timeout."
)
LOG_PROB = """
ray init kwargs: {{'num_cpus': None}}
actor_rollout_ref.rollout.log_prob_use_dynamic_bsz={}
  File "/x/verl/workers/fsdp_workers.py", line 9, in compute_log_prob
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.91 GiB.
"""
BARRIER = """
  File "/x/train.py", line 9, in main
    dist.init_process_group("nccl"{})
RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)
"""
WHOLE = """
[2025-01-02 03:04:05,006] [INFO] [config.py:9:print]   zero_optimization_stage ...... {}
  File "/x/deepspeed/runtime/engine.py", line 9, in forward
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.
"""
STEPS = "".join(f"[2024-01-02 03:04:0{n}] step {n} loss 0.4\n" for n in range(9))


def _shown(shipped, log: str) -> str:
    return "\n".join(
        " ".join(
            (
                step.do.en,
                step.run or "",
                step.code or "",
                *step.flags,
                *step.env,
                *step.config,
                step.note.en if step.note else "",
            )
        )
        for step in run_log(prepared(shipped), log).diagnoses[0].fixes
    )


@pytest.mark.parametrize(
    ("log", "told", "foreign"),
    [
        ("ModuleNotFoundError: No module named 'huggingface_hub.utils._errors'", "huggingface_hub==0.24.7", "install -U"),
        (PRIVATE, "acme.utils._old is private to acme", "install -U"),
        (NO_INTERFACE, "told to take eth7", "MASTER_ADDR|Several nodes"),
        (ABSENT, "names the interface, ens9", "MASTER_ADDR"),
        (SPANNING, "the way between them", "/dev/shm that is too small"),
        (LINKED, "Rings and trees are connected", "NCCL_P2P_DISABLE"),
        (IN_MPI_GROUP, "makes a process group of MPI", "srun|UCX_HANDLE|core file|faulthandler"),
        (ON_NPU, "npu-smi info", "nvidia-smi|NCCL_DEBUG|disable_custom_all_reduce"),
        (ON_NPU.replace("compiler_depend.ts:117", "x.cpp:1] RCCL"), "rocm-smi", "nvidia-smi"),
        (OF_BUILD.format("0.9.1.dev18+g0c15c2e48"), "synchronous launches", "newest release of the engine before"),
        (FLASH.format("FlashAttention only supports Ampere GPUs or newer."), "Cards before Ampere", "no-build-isolation"),
        ("AssertionError: Device compute capability 8.9 or higher required for FP8 execution.", "which cards this can do", "install torch"),
        (MISSING.format("modeling_a.py"), "modeling_a.py is not in it", "hf download"),
        (OWN + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n", "/app/train.py:9", "error_file"),
        (CRASHED_IN_PYTHON.format("all_reduce"), "Inside NCCL", "Read the stack"),
        (CHANNEL.format(10), "default of 10 seconds", "Raise the time limit"),
        (DUMPED.format("preempted by PreemptionMode.RECOMPUTE mode"), "without preemption", "holds alone"),
        (FORKED.format("Cell In[2]"), "kernel of the notebook", "main guard|workers by spawn"),
        (NO_ROOM.format(""), "--max-num-seqs <fewer than now>", r"--max-num-(?:seqs|batched-tokens) \d|_fewer"),
        (NO_KERNEL.format("gfx908"), "gfx", "HSA_OVERRIDE"),
        (REGISTERING.format("(pid=raylet) I0807 17:00:41.788261 71814 71814"), "--system-config", "RAY_worker"),
        (LOG_PROB.format("True"), "log_prob_max_token_len", "log_prob_micro_batch_size_per_gpu"),
        (BARRIER.format(", init_method='env://'"), "Only 1 of 2", "CUDA_VISIBLE_DEVICES"),
        (WHOLE.format(3), "offload them to the CPU", r"zero_optimization\.stage\b"),
        ("launch.py:9] dist_world_size=1\n" + STEPS + "step 9 loss", "Tell data from computing", "on one GPU|CUDA_VISIBLE"),
        ("loading acme/Acme-70B\n" + STEPS + "step 9 loss", "Tell data from computing", "on one GPU|CUDA_VISIBLE"),
        (STEPS + "step 9 - batch: 9/13 - loss: 0.4 - data_time: 12.5\nstep 10 loss", "12.5 s", "Tell data from computing"),
    ],
)  # fmt: skip
def test_what_the_log_shows_replaces_what_it_speaks_against(shipped, log, told, foreign):
    shown = _shown(shipped, log)
    assert told in shown
    assert not re.search(foreign, shown)


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        (NO_INTERFACE.replace("NCCL_SOCKET_IFNAME set by environment to eth7", "Bootstrap"), "Several nodes"),
        (SPANNING.replace("spans across nodes", "has one node"), "/dev/shm that is too small"),
        (IN_MPI_GROUP.replace("true", "false"), "Start it with mpirun"),
        (ON_NPU.replace("compiler_depend.ts", "ProcessGroupNCCL.cpp"), "nvidia-smi"),
        (OF_BUILD.format("0.9.1"), "newest release of the engine before"),
        (FLASH.format("CUDA error: no kernel image is available for execution on the device"), "no-build-isolation"),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "install torch"),
        (MISSING.format("model-00001.safetensors"), "hf download"),
        (CRASHED_IN_PYTHON.format("forward"), "Read the stack"),
        (CHANNEL.format(300), "Raise the time limit"),
        (DUMPED.format("swapped out"), "holds alone"),
        (FORKED.format('File "/app/serve.py"'), "workers by spawn"),
        (NO_ROOM.format(", max_num_seqs=256"), "--max-num-seqs 128"),
        (NO_KERNEL.format("gfx1031"), "HSA_OVERRIDE"),
        (REGISTERING.format("(raylet) [2024-01-02 03:04:05,006 W 7 7]"), "RAY_worker_register"),
        (LOG_PROB.format("False"), "log_prob_micro_batch_size_per_gpu"),
        (BARRIER.format(""), "CUDA_VISIBLE_DEVICES"),
        ("loading acme/Acme-7B\n" + STEPS + "step 9 loss", "CUDA_VISIBLE_DEVICES"),
    ],
)
def test_they_stay_where_the_log_says_nothing_against_them(shipped, log, kept):
    assert kept in _shown(shipped, log)


@pytest.mark.parametrize(("end", "asked"), [("step 9 loss", True), ("  7/80 ^C^Z", False)])
def test_what_its_user_stopped_was_not_killed_by_the_kernel(shipped, end, asked):
    assert ("killed process" in _shown(shipped, STEPS + end)) is asked


@pytest.mark.parametrize(("reader", "asked"), [("torch", True), ("nvidia.dali", False)])
def test_the_loader_of_torch_is_for_jobs_that_have_it(shipped, reader, asked):
    shown = _shown(shipped, f"import {reader}\n{STEPS}step 9 loss")
    assert ("Tell data from computing" in shown) is asked
