"""Folders as launchers leave them: whose each file is, by its path and by what is in it."""

from pathlib import Path

import pytest

from logrules.engine.run import replay
from logrules.model.event import Worker
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover

STEP = "2025-06-01 10:00:00 INFO step 1 loss 0.5\n"
GLOBAL = "[rank{}]: 2025-06-01 10:00:00 INFO step 1 loss 0.5\n"
NCCL = "{}:77:99 [0] NCCL INFO Connected all rings\n"

# (a tree as {path: text}, what each file's last line is: (host, role, pid, rank))
TREES = {
    "torchrun --log-dir on one node: the folder is the rank": (
        {
            "none_k2x/attempt_0/0/stdout.log": STEP,
            "none_k2x/attempt_0/0/stderr.log": STEP,
            "none_k2x/attempt_0/11/stdout.log": STEP,
        },
        {
            "none_k2x/attempt_0/0/stdout.log": (None, None, None, 0),
            "none_k2x/attempt_0/0/stderr.log": (None, None, None, 0),
            "none_k2x/attempt_0/11/stdout.log": (None, None, None, 11),
        },
    ),
    "torchrun --log-dir on two nodes: the folder is the rank within the node, the lines say which it is": (
        {
            "node-0/job_a/attempt_0/1/stderr.log": GLOBAL.format(1) + STEP,
            "node-1/job_b/attempt_0/1/stderr.log": GLOBAL.format(9) + STEP,
        },
        {
            "node-0/job_a/attempt_0/1/stderr.log": ("node-0", None, None, 1),
            "node-1/job_b/attempt_0/1/stderr.log": ("node-1", None, None, 9),
        },
    ),
    "Slurm %j_%t.out: the task is the rank, NCCL says the host": (
        {"81234_0.out": NCCL.format("gpu-a") + STEP, "81234_13.out": NCCL.format("gpu-b") + STEP, "81234_13.err": STEP},
        {
            "81234_0.out": ("gpu-a", None, None, 0),
            "81234_13.out": ("gpu-b", None, None, 13),
            "81234_13.err": (None, None, None, 13),
        },
    ),
    "Slurm %x_%j_%t.out and %j_%N_%t.out": (
        {"pretrain_81234_2.out": STEP, "81234_nid001234_3.out": STEP},
        {"pretrain_81234_2.out": (None, None, None, 2), "81234_nid001234_3.out": ("nid001234", None, None, 3)},
    ),
    "srun --label: each line says its task": (
        {"slurm-81234.out": "0: " + STEP + "5: " + STEP},
        {"slurm-81234.out": (None, None, None, 5)},
    ),
    "a Ray session: workers by process, daemons by name": (
        {
            "session_2025/logs/worker-0a1b2c-01000000-4321.out": ":job_id:01000000\n" + STEP,
            "session_2025/logs/worker-0a1b2c-01000000-4321.err": STEP,
            "session_2025/logs/python-core-worker-0a1b2c_4321.log": STEP,
            "session_2025/logs/raylet.out": STEP,
            "session_2025/logs/gcs_server.out": STEP,
            "session_2025/logs/job-driver-raysubmit_x1.log": STEP,
        },
        {
            "session_2025/logs/worker-0a1b2c-01000000-4321.out": (None, "worker", 4321, None),
            "session_2025/logs/worker-0a1b2c-01000000-4321.err": (None, "worker", 4321, None),
            "session_2025/logs/python-core-worker-0a1b2c_4321.log": (None, "python-core-worker", 4321, None),
            "session_2025/logs/raylet.out": (None, "raylet", None, None),
            "session_2025/logs/gcs_server.out": (None, "gcs_server", None, None),
            "session_2025/logs/job-driver-raysubmit_x1.log": (None, "driver", None, None),
        },
    ),
    "Ray sessions gathered from two nodes": (
        {"10.0.0.3/logs/raylet.out": STEP, "10.0.0.4/logs/worker-0a-01-77.err": STEP},
        {
            "10.0.0.3/logs/raylet.out": ("10.0.0.3", "raylet", None, None),
            "10.0.0.4/logs/worker-0a-01-77.err": ("10.0.0.4", "worker", 77, None),
        },
    ),
    "kubectl logs --prefix: each line says its pod": (
        {"job.log": "[pod/llm-worker-3/pytorch] " + STEP},
        {"job.log": ("llm-worker-3", "pytorch", None, None)},
    ),
    "one file a pod; the lines say the rank": (
        {"llm-master-0.log": GLOBAL.format(0), "llm-worker-0.log": GLOBAL.format(8), "llm-worker-1.txt": STEP},
        {
            "llm-master-0.log": ("llm-master-0", None, None, 0),
            "llm-worker-0.log": ("llm-worker-0", None, None, 8),
            "llm-worker-1.txt": ("llm-worker-1", None, None, None),
        },
    ),
    "/var/log/containers and /var/log/pods of a node": (
        {
            f"containers/llm-worker-3_ml_pytorch-{'0a' * 32}.log": STEP,
            "pods/ml_llm-worker-4_01234567-89ab-cdef-0123-456789abcdef/pytorch/0.log": STEP,
        },
        {
            f"containers/llm-worker-3_ml_pytorch-{'0a' * 32}.log": ("llm-worker-3", "pytorch", None, None),
            "pods/ml_llm-worker-4_01234567-89ab-cdef-0123-456789abcdef/pytorch/0.log": (
                "llm-worker-4", "pytorch", None, None,
            ),
        },
    ),
    "DeepSpeed --enable_each_rank_log, and its launcher's output through pdsh": (
        {"logs/20250718014516_rank0.log": STEP, "logs/20250718014516_rank11.log": STEP, "launch.log": "node1: " + STEP},
        {
            "logs/20250718014516_rank0.log": (None, None, None, 0),
            "logs/20250718014516_rank11.log": (None, None, None, 11),
            "launch.log": ("node1", None, None, None),
        },
    ),
    "plain names": (
        {"rank0.log": STEP, "node-3/rank-07.txt": STEP, "out/train_rank_12.log": STEP, "task_5.log": STEP},
        {
            "rank0.log": (None, None, None, 0),
            "node-3/rank-07.txt": ("node-3", None, None, 7),
            "out/train_rank_12.log": (None, None, None, 12),
            "task_5.log": (None, None, None, 5),
        },
    ),
    "mpirun --output-filename": (
        {"1/rank.0/stdout": STEP, "1/rank.0/stderr": STEP, "1/rank.3/stdout": STEP},
        {
            "1/rank.0/stdout": (None, None, None, 0),
            "1/rank.0/stderr": (None, None, None, 0),
            "1/rank.3/stdout": (None, None, None, 3),
        },
    ),
    "a file of several ranks is nobody's": (
        {"train.log": GLOBAL.format(0) + GLOBAL.format(1) + STEP, "epoch_3.log": STEP},
        {"train.log": (None, None, None, None), "epoch_3.log": (None, None, None, None)},
    ),
    "a rank's file that quotes two others is its own": (
        {"rank2.log": GLOBAL.format(0) + GLOBAL.format(1) + STEP, "rank3.log": STEP},
        {"rank2.log": (None, None, None, 2), "rank3.log": (None, None, None, 3)},
    ),
}  # fmt: skip


def workers_of(tree: Path, pack: Pack) -> dict[str, tuple[str | None, str | None, int | None, int | None]]:
    """Who wrote the last line of each file."""
    last: dict[str, Worker] = {}
    replay(
        discover([str(tree)]).sources, pack, threads=1, observe=lambda event: last.update({event.source: event.worker})
    )
    return {source: (one.host, one.role, one.pid, one.rank) for source, one in last.items()}


@pytest.mark.parametrize("story", TREES)
def test_whose_the_files_of_a_tree_are(shipped: Pack, tmp_path: Path, story: str):
    files, expected = TREES[story]
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert workers_of(tmp_path, shipped) == expected
