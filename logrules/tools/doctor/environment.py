"""Environment variables that contradict each other, have another name by now, or do nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from logrules.ruleset.bounded_read import packaged_table
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, warning
from logrules.tools.doctor.machine import Machine

_OFF = {"", "0", "false", "no", "off"}


def check_environment(machine: Machine) -> Iterator[DoctorFinding]:
    """What of the environment will surprise its author."""
    tables = packaged_table("logrules.tools.doctor", "environment.toml")
    found = [*_misnamed(machine.env, tables), *_contradictions(machine.env)]
    yield from found
    if not found:
        yield ok("environment")


def _misnamed(env: Mapping[str, str], tables: Mapping[str, dict[str, str]]) -> Iterator[DoctorFinding]:
    for old, new in (tables["renamed"] | tables["still_read"]).items():
        if old in env and new not in env and old in tables["renamed"]:
            yield warning("variable-renamed", old=old, new=new)
        elif old in env and new in env and env[old] != env[new]:
            yield warning("variables-differ", old=old, new=new)
    yield from (warning("variable-idle", name=name, why=why) for name, why in tables["idle"].items() if name in env)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Variables that cannot all mean what they say. The sentence may quote them: ``{MASTER_ADDR}``."""

    judge: Callable[..., DoctorFinding]
    key: str
    holds: Callable[[Mapping[str, str]], bool]


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
    Contradiction(failed, "rank-without-world", lambda env: "RANK" in env and "WORLD_SIZE" not in env),
    Contradiction(failed, "rank-beyond-world", _beyond),
    Contradiction(
        failed, "world-without-master", lambda env: (_count(env, "WORLD_SIZE") or 1) > 1 and not env.get("MASTER_ADDR")
    ),
    Contradiction(failed, "master-is-each-node", _own_address),
    Contradiction(warning, "no-device-visible", lambda env: env.get("CUDA_VISIBLE_DEVICES") in {"", "-1"}),
    Contradiction(
        warning, "p2p-level-idle", lambda env: _on(env, "NCCL_P2P_DISABLE") and bool(env.get("NCCL_P2P_LEVEL"))
    ),
    Contradiction(
        warning,
        "ib-variables-idle",
        lambda env: _on(env, "NCCL_IB_DISABLE") and bool(env.get("NCCL_IB_HCA") or env.get("NCCL_IB_GID_INDEX")),
    ),
    Contradiction(
        warning,
        "debug-subsys-idle",
        lambda env: bool(env.get("NCCL_DEBUG_SUBSYS")) and env.get("NCCL_DEBUG", "").upper() not in {"INFO", "TRACE"},
    ),
    Contradiction(warning, "launch-blocking", lambda env: _on(env, "CUDA_LAUNCH_BLOCKING")),
    Contradiction(
        warning, "hub-endpoint-idle", lambda env: _on(env, "HF_HUB_OFFLINE") and bool(env.get("HF_ENDPOINT"))
    ),
)


def _contradictions(env: Mapping[str, str]) -> Iterator[DoctorFinding]:
    for one in CONTRADICTIONS:
        if one.holds(env):
            yield one.judge(one.key, **env)
