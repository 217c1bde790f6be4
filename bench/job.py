"""One made-up training job, line by line: eight ranks on two nodes, from launch to a CUDA OOM on rank 3.

Every format is the one that the framework prints (torchrun, DeepSpeed, Ray, vLLM, NCCL,
Transformers, Megatron-LM, verl, tqdm, Python logging); every value is made up.
"""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

RANKS = 8
OOM_RANK = 3
STEPS = 8_000_000
STRETCH = 500  # steps in one framework's style before the next takes over
_START = datetime(2025, 6, 2, 6, 50)  # noqa: DTZ001 (a log's own clock has no zone)
_HOSTS = ("node-a", "node-b")
_BAR = "▏▎▍▌▋▊▉█"

STARTUP = """\
W0602 06:50:01.114000 4180 torch/distributed/run.py:766] *****************************************
W0602 06:50:01.114000 4180 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each \
process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal \
performance in your application as needed.
[2025-06-02 06:50:07,102] [INFO] [real_accelerator.py:254:get_accelerator] Setting ds_accelerator to cuda (auto detect)
[2025-06-02 06:50:09,640] [INFO] [comm.py:669:init_distributed] cdb=None
[2025-06-02 06:50:09,641] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl
2025-06-02 06:50:14,331\tINFO worker.py:1879 -- Started a local Ray instance. View the dashboard at 127.0.0.1:8265
(TaskRunner pid=5120) Using dataset class: RLHFDataset
(TaskRunner pid=5120) dataset len: 118274
(TaskRunner pid=5120) Size of train dataloader: 924, Size of val dataloader: 1
"""

MODEL_LOAD = """\
(WorkerDict pid=5602) INFO 06-02 06:52:11 [loader.py:458] Loading weights took 3.27 seconds
(WorkerDict pid=5602) INFO 06-02 06:52:12 [gpu_model_runner.py:1347] Model loading took 14.2717 GiB and 4.101 seconds
(WorkerDict pid=5602) INFO 06-02 06:52:31 [kv_cache_utils.py:634] GPU KV cache size: 412,672 tokens
(WorkerDict pid=5602) INFO 06-02 06:52:58 [gpu_model_runner.py:1686] Graph capturing finished in 26 secs, took 0.54 GiB
(WorkerDict pid=5602) INFO 06-02 06:52:58 [core.py:159] init engine (profile, create kv cache, warmup model) took \
46.20 seconds
(WorkerDict pid=5607, ip=10.0.0.12) Actor use_remove_padding=True [repeated 7x across cluster]
[2025-06-02 06:53:02,870] [INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer
***** Running training *****
  Num examples = 118,274
  Total optimization steps = 8,000,000
"""

HARMLESS = (
    """\
huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling \
parallelism to avoid deadlocks...
To disable this warning, you can either:
\t- Avoid using `tokenizers` before the fork if possible
\t- Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)
""",
    """\
(raylet) [{clock},114 E 4711 4733] (raylet) file_system_monitor.cc:116: /tmp/ray/session_latest is over 95% full, \
available space: 41.2 GB; capacity: 1.7 TB. Object creation will fail if spilling is required.
""",
    """\
[rank2]: UserWarning: None of the inputs have requires_grad=True. Gradients will be None
""",
    """\
Token indices sequence length is longer than the specified maximum sequence length for this model (9120 > 8192).
""",
    """\
(WorkerDict pid=5602) WARNING {short} [cuda.py:87] Detected different devices in the system. Please make sure to set \
`CUDA_DEVICE_ORDER=PCI_BUS_ID` to avoid unexpected behavior.
""",
)

OOM = """\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/train.py", line 412, in <module>
[rank3]:     main(parse_arguments())
[rank3]:   File "/app/train.py", line 365, in main
[rank3]:     loss = trainer.step(next(batches))
[rank3]:   File "/app/trainer.py", line 208, in step
[rank3]:     loss.backward()
[rank3]:   File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 648, in backward
[rank3]:     torch.autograd.backward(
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.27 GiB. GPU 3 has a total capacity of 79.11 \
GiB of which 1.88 GiB is free. Process 5133 has 77.22 GiB memory in use. Of the allocated memory 71.94 GiB is \
allocated by PyTorch, and 3.40 GiB is reserved by PyTorch but unallocated.
"""

WATCHDOG = """\
[rank{rank}]:[E{glog} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for \
600{rank:03d} milliseconds before timing out.
[rank{rank}]:[E{glog} ProcessGroupNCCL.cpp:756] [Rank {rank}] Some NCCL operations have failed or timed out. Due to \
the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.
[rank{rank}]:[E{glog} ProcessGroupNCCL.cpp:762] [Rank {rank}] To avoid data inconsistency, we are taking the entire \
process down.
"""


def bar(label: str, done: int, total: int, unit: str) -> str:
    """A tqdm bar as it is redrawn: no newline of its own."""
    eighths = done * 80 // total
    drawn = "█" * (eighths // 8) + (_BAR[eighths % 8 - 1] if eighths % 8 else "")
    spent, left = divmod(done // 7, 60), divmod((total - done) // 7, 60)
    times = f"{spent[0]:02d}:{spent[1]:02d}<{left[0]:02d}:{left[1]:02d}"
    return f"\r{label}{done * 100 // total:3d}%|{drawn:<10}| {done}/{total} [{times},  7.04{unit}]"


def nccl_setup() -> Iterator[str]:
    """What NCCL_DEBUG=INFO prints while the communicators are made."""
    for rank in range(RANKS):
        who = f"{_HOSTS[rank * 2 // RANKS]}:{5130 + rank}:{6200 + rank} [{rank % 4}] NCCL INFO"
        address = f"10.0.0.{11 + rank * 2 // RANKS}"
        yield f"{who} Bootstrap : Using eth0:{address}<0>\n"
        yield f"{who} NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:{address}<0>\n"
        for channel in range(16):
            ring = f"{rank}[{rank % 4}] -> {(rank + 1) % RANKS}[{(rank + 1) % 4}]"
            yield f"{who} Channel {channel:02d}/0 : {ring} via P2P/CUMEM\n"
        yield f"{who} Connected all rings\n"
        yield f"{who} comm 0x55d0c8a0{rank:02x} rank {rank} nranks {RANKS} cudaDev {rank % 4} - Init COMPLETE\n"


def config_dump() -> Iterator[str]:
    """A resolved configuration, in which every alarming word is only a setting."""
    options = [f"'option_{place}': {place * 37 % 101 / 100}," for place in range(300)]
    alarming = ["'nccl_timeout': 600, 'truncation': 'error',", "'env': {'NCCL_DEBUG': 'INFO', 'error_file': None}}}"]
    yield "(TaskRunner pid=5120) {'actor_rollout_ref': {'actor': {'strategy': 'fsdp',\n"
    yield from (f"(TaskRunner pid=5120)                                  {line}\n" for line in options + alarming)


def startup() -> Iterator[str]:
    """Launch, rendezvous, data set and model load: some 600 lines."""
    yield STARTUP
    yield from nccl_setup()
    yield from config_dump()
    yield from (bar("Generating train split: ", done, 118274, " examples/s") for done in range(0, 118274, 1000))
    yield "\n"
    yield from (bar("Map (num_proc=8): ", done, 118274, " examples/s") for done in range(0, 118274, 500))
    yield "\n"
    yield from (bar("Loading checkpoint shards: ", done, 4, "s/it") for done in range(5))
    yield "\n" + MODEL_LOAD


def transformers_step(step: int, at: datetime, draw: random.Random) -> str:
    """Twelve redraws of the bar, the line of metrics glued to the last, and a line of each rank."""
    bars = "".join(bar("", step * 12 + redraw, STEPS * 12, "s/it") for redraw in range(12))
    metrics = {"loss": round(draw.random() + 1, 4), "grad_norm": round(draw.random(), 6), "epoch": round(step / 924, 2)}
    clock = f"{at:%Y-%m-%d %H:%M:%S}"
    ranks = "".join(
        f"[rank{rank}]:{clock},{draw.randrange(1000):03d} - trainer - INFO - micro batch {step * 4 + rank} of rank "
        f"{rank} took {draw.random() * 900:.1f} ms, data {draw.random() * 40:.1f} ms, {draw.randrange(4096)} tokens\n"
        for rank in range(RANKS)
    )
    return f"{bars}{metrics}\n{ranks}"


def verl_step(step: int, at: datetime, draw: random.Random) -> str:
    """Engine statistics, a rollout bar, repeated lines of the workers and one long line of metrics."""
    names = ("actor/pg_loss", "actor/entropy", "actor/grad_norm", "critic/rewards/mean", "critic/score/max",
             "response_length/mean", "response_length/clip_ratio", "timing_s/gen", "timing_s/update_actor",
             "perf/throughput", "perf/mfu/actor", "global_seqlen/mean")  # fmt: skip
    metrics = " - ".join(f"{name}:{draw.random() * 3:.6f}" for name in names)
    short = f"{at:%m-%d %H:%M:%S}"
    engines = "".join(
        f"(WorkerDict pid={5602 + rank}{', ip=10.0.0.12' if rank * 2 >= RANKS else ''}) INFO {short} [loggers.py:118] "
        f"Engine 000: Avg prompt throughput: {draw.random() * 900:.1f} tokens/s, Avg generation throughput: "
        f"{draw.random() * 9000:.1f} tokens/s, Running: {draw.randrange(1, 256)} reqs, Waiting: {draw.randrange(9)} "
        f"reqs, GPU KV cache usage: {draw.random() * 90:.1f}%, Prefix cache hit rate: {draw.random() * 90:.1f}%\n"
        for rank in range(RANKS)
    )
    return (
        f"{engines}\x1b[36m(WorkerDict pid=5607, ip=10.0.0.12)\x1b[0m After offload, memory allocated (GB): "
        f"{draw.random() * 9:.4f}\x1b[32m [repeated {RANKS - 1}x across cluster]\x1b[0m\n"
        f"(TaskRunner pid=5120) step:{step} - {metrics}\n"
    )


def megatron_step(step: int, at: datetime, draw: random.Random) -> str:
    """Megatron-LM's iteration line, DeepSpeed's two, and the timers of each rank."""
    clock = f"{at:%Y-%m-%d %H:%M:%S}"
    timers = "".join(
        f"{rank}:     rank {rank} forward-compute: {draw.random() * 900:.2f} backward-compute: "
        f"{draw.random() * 1800:.2f} all-grads-sync: {draw.random() * 90:.2f} optimizer: {draw.random() * 40:.2f}\n"
        for rank in range(RANKS)
    )
    return (
        f"{RANKS - 1}:  [{clock}] iteration {step:8d}/{STEPS:8d} | consumed samples: {step * 128:12d} | elapsed time "
        f"per iteration (ms): {2000 + draw.random() * 90:.1f} | learning rate: 1.000000E-05 | global batch size:   128 "
        f"| lm loss: {1 + draw.random():.6E} | loss scale: 1.0 | grad norm: {draw.random():.3f} | number of skipped "
        f"iterations:   0 | number of nan iterations:   0 |\n"
        f"0: [{clock},{draw.randrange(1000):03d}] [INFO] [logging.py:107:log_dist] [Rank 0] step={step}, skipped=0, "
        f"lr=[1e-05], mom=[(0.9, 0.95)]\n{timers}"
    )


_STYLES = (transformers_step, verl_step, megatron_step)


def time_of(step: int) -> datetime:
    """When a step ends: three minutes of start-up, then one step in two seconds."""
    return _START + timedelta(minutes=3, seconds=2 * step)


def training(draw: random.Random) -> Iterator[str]:
    """Steps without end: a harmless warning every 50 or so, a checkpoint every 1000."""
    step = 0
    while True:
        step += 1
        at = time_of(step)
        yield _STYLES[step // STRETCH % len(_STYLES)](step, at, draw)
        if draw.random() < 1 / 50:
            yield draw.choice(HARMLESS).format(clock=f"{at:%Y-%m-%d %H:%M:%S}", short=f"{at:%m-%d %H:%M:%S}")
        if step % 1000 == 0:
            yield f"Saving model checkpoint to ./out/checkpoint-{step}\n"


def ending(last_step: int) -> str:
    """Rank 3 runs out of memory; ten minutes later the watchdogs of all others give up."""
    at = time_of(last_step) + timedelta(minutes=10)
    watchdogs = (
        WATCHDOG.format(rank=rank, glog=f"{at:%m%d %H:%M:%S}.0421{rank}1307", seq=last_step * 6)
        for rank in range(RANKS)
        if rank != OOM_RANK
    )
    return OOM + "".join(watchdogs)
