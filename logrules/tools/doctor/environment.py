"""Environment variables that contradict each other, have another name by now, or do nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from logrules.model.report import Text
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, warning
from logrules.tools.doctor.machine import Machine

# Old name -> the name that is read now. torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp, since PyTorch 2.2;
# c10/core/AllocatorConfig.h, since PyTorch 2.9; huggingface_hub/constants.py; vllm/envs.py.
RENAMED = {
    "NCCL_ASYNC_ERROR_HANDLING": "TORCH_NCCL_ASYNC_ERROR_HANDLING",
    "NCCL_BLOCKING_WAIT": "TORCH_NCCL_BLOCKING_WAIT",
    "NCCL_DESYNC_DEBUG": "TORCH_NCCL_DESYNC_DEBUG",
    "NCCL_ENABLE_TIMING": "TORCH_NCCL_ENABLE_TIMING",
    "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_ALLOC_CONF",
    "TRANSFORMERS_CACHE": "HF_HOME",
    "HUGGING_FACE_HUB_TOKEN": "HF_TOKEN",
    "HUGGINGFACE_HUB_CACHE": "HF_HUB_CACHE",
}
# Read by nothing, though they are often copied: the limit is an argument of init_process_group and of the trainers.
IDLE = {
    "NCCL_TIMEOUT": "the time-out of collectives is `timeout=` of init_process_group (ddp_timeout in Transformers)",
    "NCCL_COMM_TIMEOUT": "the time-out of collectives is `timeout=` of init_process_group",
    "NCCL_SOCKET_TIMEOUT": "the time-out of collectives is `timeout=` of init_process_group",
    "TORCH_NCCL_TIMEOUT": "the time-out of collectives is `timeout=` of init_process_group",
    "NCCL_TREE_THRESHOLD": "NCCL gave it up in 2.5; NCCL_ALGO chooses the algorithm",
    "NCCL_LL_THRESHOLD": "NCCL gave it up in 2.5; NCCL_PROTO chooses the protocol",
}
# The old name works as before.
_STILL_READ = {"PYTORCH_CUDA_ALLOC_CONF", "HUGGINGFACE_HUB_CACHE"}
_OFF = {"", "0", "false", "no", "off"}


def check_environment(machine: Machine) -> Iterator[DoctorFinding]:
    """What of the environment will surprise its author."""
    found = [*_renamed(machine.env), *_idle(machine.env), *_contradictions(machine.env)]
    yield from found
    if not found:
        yield ok("no variable contradicts another or does nothing", "没有互相矛盾或无效的环境变量")


def _renamed(env: Mapping[str, str]) -> Iterator[DoctorFinding]:
    for old, new in RENAMED.items():
        if old in env and new not in env and old not in _STILL_READ:
            yield warning(
                f"{old} is the old name of {new}", f"{old} 是 {new} 的旧名", Text(f"export {new}=…", f"export {new}=…")
            )
        elif old in env and new in env and env[old] != env[new]:
            yield warning(f"{old} and {new} are both set, and differ", f"{old} 与 {new} 同时设置且不一致")


def _idle(env: Mapping[str, str]) -> Iterator[DoctorFinding]:
    for name, why in IDLE.items():
        if name in env:
            yield warning(f"{name} does nothing: {why}", f"{name} 不起作用：{why}")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Variables that cannot all mean what they say. The sentences may quote them: ``{MASTER_ADDR}``."""

    holds: Callable[[Mapping[str, str]], bool]
    judge: Callable[[str, str], DoctorFinding]
    en: str
    zh: str


def _on(env: Mapping[str, str], name: str) -> bool:
    return env.get(name, "").lower() not in _OFF


def _count(env: Mapping[str, str], *names: str) -> int | None:
    return next((int(env[name]) for name in names if env.get(name, "").isdigit()), None)


def _beyond(env: Mapping[str, str]) -> bool:
    rank, world = _count(env, "RANK"), _count(env, "WORLD_SIZE")
    return rank is not None and world is not None and rank >= world


def _own_address(env: Mapping[str, str]) -> bool:
    nodes = _count(env, "NNODES", "SLURM_NNODES", "SLURM_JOB_NUM_NODES") or 1
    return nodes > 1 and env.get("MASTER_ADDR") in {"localhost", "127.0.0.1", "::1"}


CONTRADICTIONS = (
    Contradiction(
        lambda env: "RANK" in env and "WORLD_SIZE" not in env,
        failed,
        "RANK is set but WORLD_SIZE is not",
        "设置了 RANK 却没有 WORLD_SIZE",
    ),
    Contradiction(
        _beyond, failed, "RANK={RANK} is beyond WORLD_SIZE={WORLD_SIZE}", "RANK={RANK} 超出 WORLD_SIZE={WORLD_SIZE}"
    ),
    Contradiction(
        lambda env: (_count(env, "WORLD_SIZE") or 1) > 1 and not env.get("MASTER_ADDR"),
        failed,
        "WORLD_SIZE={WORLD_SIZE} but MASTER_ADDR is not set",
        "WORLD_SIZE={WORLD_SIZE} 但未设置 MASTER_ADDR",
    ),
    Contradiction(
        _own_address,
        failed,
        "several nodes, but MASTER_ADDR={MASTER_ADDR} is each node's own",
        "有多个节点，但 MASTER_ADDR={MASTER_ADDR} 在每个节点上都指向自己",
    ),
    Contradiction(
        lambda env: env.get("CUDA_VISIBLE_DEVICES") in {"", "-1"},
        warning,
        "CUDA_VISIBLE_DEVICES is set to nothing: no GPU can be seen",
        "CUDA_VISIBLE_DEVICES 为空：看不到任何 GPU",
    ),
    Contradiction(
        lambda env: _on(env, "NCCL_P2P_DISABLE") and bool(env.get("NCCL_P2P_LEVEL")),
        warning,
        "NCCL_P2P_DISABLE makes NCCL_P2P_LEVEL idle",
        "设置了 NCCL_P2P_DISABLE，NCCL_P2P_LEVEL 不起作用",
    ),
    Contradiction(
        lambda env: _on(env, "NCCL_IB_DISABLE") and bool(env.get("NCCL_IB_HCA") or env.get("NCCL_IB_GID_INDEX")),
        warning,
        "NCCL_IB_DISABLE makes the other NCCL_IB_* variables idle",
        "设置了 NCCL_IB_DISABLE，其他 NCCL_IB_* 不起作用",
    ),
    Contradiction(
        lambda env: bool(env.get("NCCL_DEBUG_SUBSYS")) and env.get("NCCL_DEBUG", "").upper() not in {"INFO", "TRACE"},
        warning,
        "NCCL_DEBUG_SUBSYS does nothing without NCCL_DEBUG=INFO",
        "没有 NCCL_DEBUG=INFO 时 NCCL_DEBUG_SUBSYS 不起作用",
    ),
    Contradiction(
        lambda env: _on(env, "CUDA_LAUNCH_BLOCKING"),
        warning,
        "CUDA_LAUNCH_BLOCKING makes every kernel wait: for debugging only",
        "CUDA_LAUNCH_BLOCKING 使每个 kernel 同步等待：仅用于调试",
    ),
    Contradiction(
        lambda env: _on(env, "HF_HUB_OFFLINE") and bool(env.get("HF_ENDPOINT")),
        warning,
        "HF_HUB_OFFLINE makes HF_ENDPOINT idle",
        "设置了 HF_HUB_OFFLINE，HF_ENDPOINT 不起作用",
    ),
)


def _contradictions(env: Mapping[str, str]) -> Iterator[DoctorFinding]:
    for one in CONTRADICTIONS:
        if one.holds(env):
            yield one.judge(one.en.format_map(env), one.zh.format_map(env))
