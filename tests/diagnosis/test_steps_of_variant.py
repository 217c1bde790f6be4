"""Of the steps of a rule only those are shown that the variant in the log's own words asks for."""

import re

import pytest

from logrules.engine.run import prepared
from logrules.model.errors import PackError
from logrules.ruleset.load import shipped_rules
from logrules.ruletest.harness import run_log

PIPELINE = "phases: [{id: launch, title: l, about: l}]"
CAUSES = """
tiers: [{id: process}]
causes:
  - {id: preempted, family: x, tier: process, title: x, about: x, fixes: [look]}
"""
FIXES = """
fixes:
  - {id: look, do: look}
  - {id: longer, do: longer, where: DUE TO TIME}
  - {id: elsewhere, do: elsewhere, unless: DUE TO TIME}
"""
ENDED = """
id: toy/ended
cause: preempted
title: ended
why: w
signals: {ended: ENDED}
fixes: [longer, elsewhere, {do: requeue, where: 'DUE TO (?:PREEMPTION|SIGNAL)'}, look]
examples: {fires: ENDED, silent: fine}
"""
ONLY_TIME = ENDED.replace("[longer, elsewhere, {do: requeue, where: 'DUE TO (?:PREEMPTION|SIGNAL)'}, look]", "[longer]")


@pytest.mark.parametrize(
    ("log", "steps"),
    [
        ("ENDED DUE TO TIME LIMIT", ["longer", "look"]),
        ("ENDED DUE TO PREEMPTION", ["elsewhere", "requeue", "look"]),
        ("ENDED", ["elsewhere", "look"]),
        # What another line of the log says, which is none of the diagnosis, chooses nothing.
        ("DUE TO PREEMPTION\n" + "fine\n" * 30 + "ENDED", ["elsewhere", "look"]),
    ],
)
def test_the_variant_chooses_the_steps(small_pack, log, steps):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, ENDED)), log).diagnoses
    assert [fix.do.en for fix in found.fixes] == steps


QUOTING = CAUSES.replace("fixes: [look]", "fixes: [longer, look], quotes: [quoted]")
QUOTED = """
fixes:
  - {id: look, do: look}
  - {id: longer, do: longer, where: DUE TO TIME}
  - {id: elsewhere, do: elsewhere, unless: DUE TO TIME}
  - {id: quoted, do: 'it says {limit}'}
"""
OF_CAUSE = ENDED.replace("fixes: [longer, elsewhere, {do: requeue, where: 'DUE TO (?:PREEMPTION|SIGNAL)'}, look]\n", "")
TELLING = OF_CAUSE.replace("{ended: ENDED}", "{ended: {contains: ENDED, pattern: 'ENDED(?:.*LIMIT (?P<limit>\\S+))?'}}")
OWN = TELLING.replace("examples:", "fixes: [{do: own}, look]\nexamples:")


@pytest.mark.parametrize(
    ("rule", "log", "steps"),
    [
        (TELLING, "ENDED DUE TO TIME LIMIT 7", ["longer", "it says 7", "look"]),
        # What it does not say is not quoted.
        (TELLING, "ENDED", ["look"]),
        # The first step that a rule has itself goes before what the message says.
        (OWN, "ENDED DUE TO TIME LIMIT 7", ["own", "it says 7", "look"]),
    ],
)
def test_what_the_message_says_comes_before_general_steps(small_pack, rule, log, steps):
    (found,) = run_log(prepared(small_pack(PIPELINE, QUOTED, QUOTING, rule)), log).diagnoses
    assert [fix.do.en for fix in found.fixes] == steps


CLEARING = ENDED.replace(
    "fixes: [longer, elsewhere,",
    "fixes: [{do: clear, run: rm -rf c, risk: destructive}, {do: unlock, run: rm l, risk: destructive, where: LIMIT},",
)


def test_what_destroys_comes_last_unless_the_log_speaks_of_it(small_pack):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, CLEARING)), "ENDED DUE TO TIME LIMIT").diagnoses
    assert [fix.do.en for fix in found.fixes] == ["unlock", "look", "clear"]


def test_a_step_for_another_variant_is_not_shown_where_there_is_no_other(small_pack):
    (found,) = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, ONLY_TIME)), "ENDED").diagnoses
    assert list(found.fixes) == []


def test_a_variant_is_a_pattern(small_pack):
    with pytest.raises(PackError, match=r"`fixes\.2\.where`: not a valid pattern"):
        small_pack(PIPELINE, FIXES, CAUSES, ENDED.replace("PREEMPTION|SIGNAL)", "PREEMPTION"))


ROOM = """
id: toy/no-room
cause: preempted
title: no room
why: w
signals: {full: {contains: no room, pattern: 'no room(?: beyond (?P<fits>\\d+))?'}}
fixes:
  - {do: 'Ask for {fits}.', flags: ['--length {fits}', '--eager'], where: beyond}
  - {do: Ask for less., flags: ['--length {fits}', '--eager']}
  - {do: Load less., where: 'in load_weights$'}
examples: {fires: no room, silent: fine}
"""
TRACES = (shipped_rules() / "frameworks" / "traceback.yaml").read_text(encoding="utf-8")
TRACEBACK = """
Traceback (most recent call last):
  File "/app/model.py", line 7, in load_weights
    param.copy_(loaded)
RuntimeError: no room
"""


@pytest.mark.parametrize(
    ("log", "steps"),
    [
        (
            "no room beyond 17",
            [("Ask for 17.", ("--length 17", "--eager")), ("Ask for less.", ("--length 17", "--eager"))],
        ),
        # A step or a flag that speaks of a number which the log does not say is left out.
        ("no room", [("Ask for less.", ("--eager",))]),
        # The frames of its traceback say which variant it is, too.
        (TRACEBACK, [("Ask for less.", ("--eager",)), ("Load less.", ())]),
    ],
)
def test_what_the_log_says_chooses_and_fills_the_steps(small_pack, log, steps):
    found = run_log(prepared(small_pack(PIPELINE, FIXES, CAUSES, TRACES, ROOM)), log).diagnoses[0]
    assert [(fix.do.en, fix.flags) for fix in found.fixes] == steps


@pytest.mark.parametrize("function", ["from_pretrained", "init_model", "fully_shard", "_configure_distributed_model"])
def test_no_batch_is_made_smaller_where_the_model_itself_does_not_fit(shipped, function):
    frames = f'  File "/w/train.py", line 9, in main\n  File "/w/build.py", line 80, in {function}\n'
    log = f"Traceback (most recent call last):\n{frames}torch.OutOfMemoryError: CUDA out of memory."
    steps = run_log(prepared(shipped), log).diagnoses[0].fixes
    assert "so that a smaller batch changes nothing" in steps[0].do.en
    assert not any("batch size" in step.do.en or "samples" in step.do.en for step in steps)


ALONE = (
    "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: "
    "store_based_barrier_key:1 (world_size=8, worker_count=1, timeout=0:30:00)"
)
SAMPLER = """
Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/vllm/v1/sample/ops/topk_topp_sampler.py", line 9, in apply_top_k_top_p
    mask = ordered.gather(1, ks)
RuntimeError: CUDA error: device-side assert triggered
"""
IN_NCCL = """
(RayWorkerWrapper pid=88) INFO 01-02 03:04:05 pynccl.py:9] vLLM is using nccl==2.20.5
(RayWorkerWrapper pid=88) *** SIGSEGV received at time=1712000000 on cpu 12 ***
(RayWorkerWrapper pid=88) PC: @     0x7f00aa11bb22  (unknown)  ncclProxyProgress()
"""
IN_PROFILE = """
Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/vllm/worker/model_runner.py", line 9, in profile_run
    self.execute_model(model_input, kv_caches)
RuntimeError: CUDA error: device-side assert triggered
"""
FIRST = "[rank{}]:[E ProcessGroupNCCL.cpp:523] [Rank {}] Watchdog caught collective operation timeout: "
NEVER_CAME = "\n".join(
    FIRST.format(rank, rank) + "WorkNCCL(SeqNum=1, OpType=BROADCAST, Timeout(ms)=600000) ran for 600033 milliseconds"
    for rank in (1, 2, 3)
)
TORN = """
terminate called after throwing an instance of 'std::system_error'
  what():  Transport endpoint is not connected
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 105, in spawn_main
    exitcode = _main(fd)
  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 115, in _main
    self = reduction.pickle.load(from_parent)
EOFError: Ran out of input
"""
TOLD_TO_END = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 771 got signal: 15"
NAN = "[2024-11-08 04:44:04 TP1] Detected errors during sampling! NaN in the logits."
OF_CACHE = "server_args=ServerArgs(kv_cache_dtype='{}', tp_size=2)\n" + NAN
SPIKE = "\n".join(
    [f"step {at} loss {2.1 + at % 5 / 10:.2f}" for at in range(60)] + ["step 60 loss 9.9", "step 61 loss 2.2"]
)
STEP_ENDED = """
+ srun -l --ntasks-per-node=4 --time=10 python train.py
0: slurmstepd: error: *** STEP 77.2 ON n2 CANCELLED AT 2025-01-02T03:04:05 DUE TO TIME LIMIT ***
"""


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (ALONE, "CUDA_VISIBLE_DEVICES=0 python train.py"),
        (SAMPLER, "top_k from 1 up to the vocabulary"),
        (IN_NCCL, "crashed inside NCCL (ncclProxyProgress)"),
        (SPIKE, "the last loss of this log is 2.2,"),
        (IN_PROFILE, "it made up that input itself"),
        (TORN, "a connection broke (Transport endpoint is not connected)"),
        (TOLD_TO_END, "The launcher itself was told to end"),
        (OF_CACHE.format("fp8_e5m2"), "is kept as fp8_e5m2"),
        ("AssertionError: nhead=8 not supported", "here each has 8 of them"),
        ("train.py: error: argument --fp8: ignored explicit argument 'false'", "--fp8 is a switch"),
        (
            " 1 0x00007f00aa11bb22 uploadProxyOps()  /n/enqueue.cc:77\nFatal Python error: Segmentation fault",
            "inside NCCL",
        ),
        (STEP_ENDED, "--time=10, which ended it"),
        ("Loading checkpoint from /runs/a/global_step_40\nFileNotFoundError: Checkpoint not found", "ls -la /runs/a"),
        ("Failed to initialize vLLM engine\nRuntimeError: Cannot allocate memory", "refused the memory"),
        (
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python,pid=7",
            "CONSTRAINT_NONE: the machine itself",
        ),
        ("slurmstepd: error: pyxis:     enroot-switchroot: failed to execute: /bin/bash: No such file", "has no bash"),
        ("AssertionError: num_rollouts_per_episodes should be > 0", "--train_batch_size 64"),
    ],
)
def test_the_first_steps_use_what_the_log_shows(shipped, log, told):
    steps = run_log(prepared(shipped), log).diagnoses[0].fixes[:3]
    assert any(told in " ".join((step.do.en, step.run or "", *step.flags)) for step in steps)


@pytest.mark.parametrize(
    ("log", "foreign"),
    [
        # A launcher gives ranks to a script that asks for none; one of eight is no node that is missing.
        (ALONE, r"^torchrun|\bGive every node"),
        (SAMPLER, "enforce-eager|token id beyond|synchronous"),
        # What nobody was late for is not looked for between the cards.
        (NEVER_CAME, "P2P|peer-to-peer"),
        (TORN, "num_workers=0"),
        (TOLD_TO_END, "that stopped by itself"),
        (OF_CACHE.format("auto"), "kv-cache-dtype|nan-detection"),
        # Without a stack there is none to read.
        ("train.sh: line 9: 77 Segmentation fault (core dumped) python train.py", "Read the stack"),
        (IN_NCCL, "Read the frames"),
        (SPIKE, "--clip-grad 1.0|--max_grad_norm 1.0"),
        ("RuntimeError: DataLoader worker (pid 6836) is killed by signal: Killed.", "faulthandler"),
        ("run.sh: line 9: 77 Killed      python generate.py", "--mem=0"),
        ("Failed to initialize vLLM engine\nRuntimeError: Cannot allocate memory", "prefetching|dmesg"),
        ("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python,pid=7", r"memory\.max"),
        ("slurmstepd: error: pyxis:     enroot-switchroot: failed to execute: /bin/bash: No such file", "entrypoint"),
        ("AssertionError: num_rollouts_per_episodes should be > 0", "Raise train_batch_size"),
        (
            "ValueError: Can't find a checkpoint index (pytorch_model.bin.index.json) in out/checkpoint-230.",
            "from the start|checkpoint-230/checkpoint",
        ),
        (
            "(APIServer pid=7) DEBUG 01-02 03:04:05 [utils.py:777] Waiting for 1 local, 0 remote core engine proc(s) to start.\n"
            "(APIServer pid=7) INFO 01-02 03:04:05 [x.py:1] tensor_parallel_size=1",
            "NCCL_P2P_DISABLE",
        ),
    ],
)
def test_no_step_is_for_what_the_log_does_not_show(shipped, log, foreign):
    for step in run_log(prepared(shipped), log).diagnoses[0].fixes:
        assert not re.search(foreign, " ".join((step.do.en, step.run or "", *step.flags, *step.env)))
