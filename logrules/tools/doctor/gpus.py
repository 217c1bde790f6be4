"""GPUs: visible, free, and of one mind with their driver."""

from collections.abc import Iterator
from dataclasses import dataclass

from logrules.model.report import Text
from logrules.notify.command_output import CommandOutput
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.machine import Machine

# A desktop or a monitoring agent takes some hundred MB; a left-over trainer takes gigabytes.
BUSY_MB = 1_000
_GPU_FIELDS = "index,uuid,name,memory.total,memory.used,driver_version"


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device as nvidia-smi lists it; memory in MB."""

    index: int
    uuid: str
    name: str
    total_mb: int
    used_mb: int
    driver: str


def gpus_of(machine: Machine) -> tuple[list[Gpu], CommandOutput]:
    """The devices, and what nvidia-smi said."""
    said = machine.ask("nvidia-smi", f"--query-gpu={_GPU_FIELDS}", "--format=csv,noheader,nounits")
    return (list(_parsed(said.text)) if said.fine else []), said


def _parsed(text: str) -> Iterator[Gpu]:
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) == len(_GPU_FIELDS.split(",")) and parts[0].isdigit():
            yield Gpu(int(parts[0]), parts[1], parts[2], _mb(parts[3]), _mb(parts[4]), parts[5])


def _mb(text: str) -> int:
    return int(text) if text.isdigit() else 0


def visible(gpus: list[Gpu], mask: str | None) -> list[Gpu]:
    """The devices that ``CUDA_VISIBLE_DEVICES`` lets a process see; as CUDA does, it stops at the first unknown."""
    if mask is None:
        return gpus
    seen = []
    for word in (part.strip() for part in mask.split(",")):
        found = [
            gpu for gpu in gpus if word == str(gpu.index) or (word.startswith("GPU-") and gpu.uuid.startswith(word))
        ]
        if not found:
            break
        seen.append(found[0])
    return seen


def check_gpus(machine: Machine) -> Iterator[DoctorFinding]:
    """Enough devices, visible, with free memory."""
    gpus, said = gpus_of(machine)
    if said.hung:
        yield failed(
            f"nvidia-smi did not answer within {machine.limit_s:g} s: the driver or a GPU hangs",
            f"nvidia-smi 在 {machine.limit_s:g} 秒内没有响应：驱动或 GPU 已挂起",
            Text(
                "Look for Xid lines: dmesg -T | grep -i xid; drain the node and reset or reboot it",
                "查看 Xid：dmesg -T | grep -i xid；将节点下线后复位或重启",
            ),
        )
        return
    if said.missing:
        yield _without(
            machine, "nvidia-smi is not installed: no NVIDIA GPU was looked for", "没有 nvidia-smi，未检查 NVIDIA GPU"
        )
        return
    if not said.fine:
        first = next((line for line in said.text.splitlines() if line.strip()), "no reason given")
        yield failed(f"nvidia-smi failed: {first}", f"nvidia-smi 失败：{first}")
        return
    mask = machine.env.get("CUDA_VISIBLE_DEVICES")
    seen = visible(gpus, mask)
    wanted = machine.asked.gpus
    shown = f"{len(seen)} of {len(gpus)} GPUs visible"
    if mask is not None and len(seen) < len([word for word in mask.split(",") if word.strip()]):
        yield failed(
            f"CUDA_VISIBLE_DEVICES={mask} names a GPU that is not there; CUDA ignores it and all behind it",
            f"CUDA_VISIBLE_DEVICES={mask} 含不存在的 GPU；CUDA 会忽略它及其后的所有设备",
        )
    if wanted is not None and len(seen) < wanted:
        yield failed(f"{shown}, {wanted} asked for", f"可见 GPU {len(seen)}/{len(gpus)}，需要 {wanted}")
    else:
        yield ok(f"{shown} ({_names(seen)})", f"可见 GPU {len(seen)}/{len(gpus)}（{_names(seen)}）")
    yield from _busy(seen)


def _without(machine: Machine, en: str, zh: str) -> DoctorFinding:
    wanted = machine.asked.gpus
    if wanted:
        return failed(f"{en}, {wanted} asked for", f"{zh}，需要 {wanted}")
    return unknown(en, zh)


def _names(gpus: list[Gpu]) -> str:
    names = sorted({gpu.name for gpu in gpus})
    return ", ".join(names) or "none"


def _busy(gpus: list[Gpu]) -> Iterator[DoctorFinding]:
    for gpu in gpus:
        if gpu.used_mb > BUSY_MB:
            yield warning(
                f"GPU {gpu.index} has {gpu.used_mb} of {gpu.total_mb} MB in use already",
                f"GPU {gpu.index} 已占用 {gpu.used_mb}/{gpu.total_mb} MB",
                Text(
                    "See who holds it: nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv",
                    "查看占用者：nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv",
                ),
            )


def check_leftovers(machine: Machine) -> Iterator[DoctorFinding]:
    """Processes of an earlier run that still hold GPUs."""
    said = machine.ask(
        "nvidia-smi", "--query-compute-apps=pid,process_name,used_memory", "--format=csv,noheader,nounits"
    )
    if not said.fine:
        yield unknown("what runs on the GPUs could not be listed", "无法列出 GPU 上的进程")
        return
    held = [line.strip() for line in said.text.splitlines() if line.split(",")[0].strip().isdigit()]
    if not held:
        yield ok("no process holds a GPU", "没有进程占用 GPU")
    for line in held:
        pid, name, used = ([part.strip() for part in line.split(",")] + ["", ""])[:3]
        yield warning(
            f"process {pid} ({name}) holds {used} MB of a GPU",
            f"进程 {pid}（{name}）占用 {used} MB 显存",
            Text(f"If it is left over: ps -fp {pid}, then end it", f"若为残留进程：ps -fp {pid}，确认后结束"),
        )
