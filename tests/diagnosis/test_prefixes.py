"""The rank at fault is the same whoever passes the lines on: launchers, collectors, loggers, a file a rank."""

import json
from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from logrules.engine.run import replay
from logrules.ruleset.pack import Pack
from tests.conftest import MemorySource

RANKS, AT_FAULT = 8, 5
# A line, and the rank that wrote it; None is a launcher.
Written = tuple[int | None, str]

FRAMES = (
    "Traceback (most recent call last):",
    '  File "/job/train.py", line 61, in <module>',
    "    main()",
    '  File "/job/train.py", line 40, in main',
    "    {}",
)
FAULTS = {
    "cuda-oom": ("model(batch)", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."),
    "python-exception": ("check(batch)", "ValueError: bad reward shape (4, 2)"),
}
# What those print that wait for the one at fault, or lose it.
LOSSES = {
    "nothing": (),
    "a lost connection": ("dist.barrier()", "RuntimeError: [pair.cc:537] gloo/transport/tcp/pair.cc:537] Connection closed by peer [10.0.0.9]:4242"),
    "a remote error": ("dist.all_reduce(x)", "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"),
}  # fmt: skip


def raised(rank: int, told: tuple[str, ...]) -> list[Written]:
    if not told:
        return []
    return [(rank, line) for line in (*(line.format(told[0]) for line in FRAMES), told[1])]


def story(fault: str, loss: str, before: int) -> list[Written]:
    """All ranks step; then the one at fault raises, behind the losses of so many others."""
    steps = [(rank, f"step {step} loss 2.{9 - step}") for step in range(1, 6) for rank in range(RANKS)]
    others = [rank for rank in range(RANKS) if rank != AT_FAULT]
    losses = [raised(rank, LOSSES[loss]) for rank in others]
    blocks = [*losses[:before], raised(AT_FAULT, FAULTS[fault]), *losses[before:]]
    return [*steps, *(line for block in blocks for line in block)]


PREFIXES: Mapping[str, str] = {
    "torchrun": "[rank{rank}]: {text}",
    "torchrun, by its role": "[default{rank}]:{text}",
    "torchrun, by a role of one's own": "[trainer{rank}]:{text}",
    "srun --label": "{rank}: {text}",
    "mpirun": "[1,{rank}]<stderr>:{text}",
    "mpirun with times": "Fri Mar  7 10:00:02 2025[1,{rank}]<stderr>:{text}",
    "prterun": "[prterun-n1-4242@1,{rank}]<stderr>: {text}",
    "horovodrun": "[{rank}]<stderr>:{text}",
    "PALS": "nid00123{rank} {rank}: {text}",
    "a rank of a world": "{rank}/8: {text}",
    "Ray, where it says its rank": "(Worker pid=40{rank}, ip=10.0.0.{rank}) [rank{rank}]: {text}",
    "a record": '{{"level": "ERROR", "rank": {rank}, "message": {quoted}}}',
    "loguru": "2025-01-02 03:04:05.678 | ERROR    | train:step:40 - [rank {rank}] {text}",
    "a logger in columns": "2025-01-02 03:04:05.678 | rank {rank} | ERROR | {text}",
    "a logger in brackets": "[2025-01-02 03:04:05,678][rank{rank}][ERROR] {text}",
    "logging": "2025-01-02 03:04:05,678 [Rank {rank}] ERROR {text}",
    "a rank in round brackets": "(rank={rank}) {text}",
    "a rank and its node": "[gpu-node07 | rank {rank}] {text}",
}
FILES: Mapping[str, str] = {
    "a file a rank": "rank{rank}.log",
    "torchrun's folder": "logs/job_x/attempt_0/{rank}/stderr.log",
    "a file a task": "slurm-1234_{rank}.out",
}


def prefixed(lines: list[Written], prefix: str) -> Iterator[MemorySource]:
    def carried(rank: int | None, text: str) -> str:
        return text if rank is None else prefix.format(rank=rank, text=text, quoted=json.dumps(text))

    yield MemorySource("log.txt", "".join(f"{carried(rank, text)}\n" for rank, text in lines))


def in_files(lines: list[Written], name: str) -> Iterator[MemorySource]:
    for rank in range(RANKS):
        own = (text for writer, text in lines if writer == rank)
        yield MemorySource(name.format(rank=rank), "".join(f"{text}\n" for text in own))


FIRST, IN_THE_MIDST = 0, 6  # how many of those who lose the rank say so before it tells why


@pytest.mark.one_in(11)
@pytest.mark.parametrize("row", list(product([*PREFIXES, *FILES], FAULTS, LOSSES, [FIRST, IN_THE_MIDST])))
def test_whoever_carries_the_lines_the_same_rank_is_at_fault(row: tuple[str, str, str, int], shipped: Pack):
    carrier, fault, loss, before = row
    lines = story(fault, loss, before)
    logs = in_files(lines, FILES[carrier]) if carrier in FILES else prefixed(lines, PREFIXES[carrier])
    first = replay(list(logs), shipped).diagnoses[0]
    assert (first.cause, first.ranks) == (fault, (AT_FAULT,))


HOSTS: Mapping[str, str] = {
    "kubectl": "[pod/train-worker-{rank}/pytorch] {text}",
    "pdsh": "node{rank}: {text}",
    "Ray": "(Worker pid=400, ip=10.0.0.{rank}) {text}",
    "XLA": "2025-01-02 03:04:05 10.0.0.{rank} [{rank}] {text}",
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("carrier", HOSTS)
def test_where_only_hosts_are_named_it_is_that_host(carrier: str, loss: str, shipped: Pack):
    first = replay(list(prefixed(story("cuda-oom", loss, 6), HOSTS[carrier])), shipped).diagnoses[0]
    assert first.cause == "cuda-oom"
    assert [host[-1] for host in first.hosts] == [str(AT_FAULT)]


def test_of_containers_it_is_the_number_of_the_container_and_not_of_its_device(shipped: Pack):
    lines = [
        *story("cuda-oom", "nothing", 0),
        (AT_FAULT, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB"),
        (0, "[rank0]:[E ProcessGroupNCCL.cpp:523] [Rank 0] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=70, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) "
            "ran for 600033 milliseconds before timing out."),
    ]  # fmt: skip
    first = replay(list(prefixed(lines, "worker-{rank}  | {text}")), shipped).diagnoses[0]
    assert (first.cause, first.ranks) == ("cuda-oom", (AT_FAULT,))


def test_an_error_of_one_host_is_not_announced_by_the_line_of_another(shipped: Pack):
    watchdog = (
        "[rank1]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=70, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) "
        "ran for 600033 milliseconds before timing out."
    )
    lines: list[Written] = [(1, watchdog), *raised(2, ("write()", "OSError: [Errno 28] No space left on device"))]
    first = replay(list(prefixed(lines, HOSTS["kubectl"])), shipped).diagnoses[0]
    assert (first.cause, first.ranks, first.hosts) == ("disk-full", (), ("train-worker-2",))


def test_who_misses_another_is_not_on_the_host_of_that_one(shipped: Pack):
    lines: list[Written] = [(0, "RuntimeError: Rank 2 failed to pass monitoredBarrier in 600000 ms")]
    first = replay(list(prefixed(lines, HOSTS["kubectl"])), shipped).diagnoses[0]
    assert (first.ranks, first.hosts) == ((2,), ())


@pytest.mark.parametrize(("waiting", "named"), [((0, 1, 3), (2, 0, 1, 3)), ((0, 3), ()), ((0, 1, 2), ())])
def test_of_those_who_wait_for_all_the_few_that_were_never_heard_of_are_named_first(
    waiting: tuple[int, ...], named: tuple[int, ...], shipped: Pack
):
    said = "[2025-01-02 03:04:05,678] [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"
    lines: list[Written] = [(rank, said) for rank in waiting]
    first = replay(list(prefixed(lines, PREFIXES["torchrun"])), shipped).diagnoses[0]
    assert (first.cause, first.ranks) == ("rendezvous-timeout", named)


# Logs without times tell nothing of each other's order.


def test_what_others_step_in_logs_of_their_own_proves_no_survival(shipped: Pack):
    lines = story("python-exception", "nothing", 0)
    for stream in (FILES["a file a rank"], FILES["torchrun's folder"]):
        assert replay(list(in_files(lines, stream)), shipped).status.value == "failed"


def test_nor_in_the_other_stream_of_the_same_rank(shipped: Pack):
    logs = []
    for rank in range(3):
        error = "".join(f"{text}\n" for _, text in raised(rank, FAULTS["python-exception"])) if rank == 1 else ""
        logs.append(MemorySource(f"x/attempt_0/{rank}/stderr.log", f"starting\n{error}"))
        logs.append(MemorySource(f"x/attempt_0/{rank}/stdout.log", "".join(f"step {n} loss 2.{n}\n" for n in range(9))))
    report = replay(logs, shipped)
    assert (report.diagnoses[0].cause, report.diagnoses[0].ranks) == ("python-exception", (1,))


def test_what_the_same_log_steps_behind_it_does(shipped: Pack):
    error = "".join(f"{text}\n" for _, text in raised(1, FAULTS["python-exception"]))
    steps = "".join(f"step {n} loss 2.{n}\n" for n in range(9))
    report = replay([MemorySource("rank0.log", steps), MemorySource("rank1.log", error + steps)], shipped)
    assert report.status.value != "failed"
