"""GPUs: visible, free, and of one mind with their driver."""

from collections.abc import Iterator
from dataclasses import dataclass

from logrules.tools.command_output import CommandOutput
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
        yield failed("smi-hangs", limit_s=machine.limit_s)
        return
    wanted = machine.asked.gpus
    if said.missing:
        yield failed("smi-missing-but-asked", wanted=wanted) if wanted else unknown("smi-missing")
        return
    if not said.fine:
        first = next((line for line in said.text.splitlines() if line.strip()), "no reason given")
        yield failed("smi-failed", reason=first)
        return
    mask = machine.env.get("CUDA_VISIBLE_DEVICES")
    seen = visible(gpus, mask)
    if mask is not None and len(seen) < len([word for word in mask.split(",") if word.strip()]):
        yield failed("mask-names-no-gpu", mask=mask)
    if wanted is not None and len(seen) < wanted:
        yield failed("too-few-gpus", seen=len(seen), all=len(gpus), wanted=wanted)
    else:
        names = ", ".join(sorted({gpu.name for gpu in seen})) or "none"
        yield ok("gpus-visible", seen=len(seen), all=len(gpus), names=names)
    yield from (warning("gpu-busy", gpu=gpu) for gpu in seen if gpu.used_mb > BUSY_MB)


def check_leftovers(machine: Machine) -> Iterator[DoctorFinding]:
    """Processes of an earlier run that still hold GPUs."""
    said = machine.ask(
        "nvidia-smi", "--query-compute-apps=pid,process_name,used_memory", "--format=csv,noheader,nounits"
    )
    if not said.fine:
        yield unknown("gpu-processes-unknown")
        return
    held = [line.strip() for line in said.text.splitlines() if line.split(",")[0].strip().isdigit()]
    if not held:
        yield ok("gpus-free")
    for line in held:
        pid, name, used = ([part.strip() for part in line.split(",")] + ["", ""])[:3]
        yield warning("gpu-held", pid=pid, name=name, used=used)
