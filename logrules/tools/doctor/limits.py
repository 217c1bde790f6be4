"""Limits of the system and of the container: shared memory, memory, open files."""

import shutil
from collections.abc import Iterator

from logrules.model.report import Text
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.machine import Machine

# Docker gives 64 MB unless asked; NCCL alone wants some ten MB a rank, DataLoader workers hand batches through it.
SMALL_SHM_BYTES = 1 << 30
FEW_FILES = 4_096
# What cgroup v1 says for "no limit".
_NO_LIMIT_BYTES = 1 << 60


def check_shared_memory(machine: Machine) -> Iterator[DoctorFinding]:
    """How large ``/dev/shm`` is and how full."""
    path = machine.root / "dev/shm"
    try:
        usage = shutil.disk_usage(path)
    except OSError:
        yield unknown("/dev/shm cannot be looked at", "无法查看 /dev/shm")
        return
    size, free = _gib(usage.total), _gib(usage.free)
    if usage.free < SMALL_SHM_BYTES:
        yield failed(
            f"/dev/shm has {free} free of {size}: NCCL and DataLoader workers will die of it",
            f"/dev/shm 仅剩 {free}（共 {size}）：NCCL 与 DataLoader 会因此崩溃",
            Text(
                "Start the container with --shm-size=16g or --ipc=host; in Kubernetes mount an emptyDir (Memory)",
                "用 --shm-size=16g 或 --ipc=host 启动容器；Kubernetes 中挂载 medium: Memory 的 emptyDir",
            ),
        )
    else:
        yield ok(f"/dev/shm has {free} free of {size}", f"/dev/shm 剩余 {free}（共 {size}）")


def check_memory_limit(machine: Machine) -> Iterator[DoctorFinding]:
    """What the cgroup allows against what is used."""
    limit = _number(machine.read("/sys/fs/cgroup/memory.max")) or _number(
        machine.read("/sys/fs/cgroup/memory/memory.limit_in_bytes")
    )
    used = _number(machine.read("/sys/fs/cgroup/memory.current")) or _number(
        machine.read("/sys/fs/cgroup/memory/memory.usage_in_bytes")
    )
    if limit is None or limit >= _NO_LIMIT_BYTES:
        yield from _whole_machine(machine)
        return
    shown = f"{_gib(limit)}" + (f", {_gib(used)} in use" if used is not None else "")
    if used is not None and used > 0.9 * limit:
        yield warning(f"the cgroup's memory limit is {shown}", f"cgroup 内存上限 {shown}")
    else:
        yield ok(f"the cgroup's memory limit is {shown}", f"cgroup 内存上限 {shown}")


def _whole_machine(machine: Machine) -> Iterator[DoctorFinding]:
    info = machine.read("/proc/meminfo") or ""
    fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
    free = _number(fields.get("MemAvailable", "").replace("kB", ""))
    if free is None:
        yield unknown(
            "no memory limit of a cgroup, and the machine's memory cannot be read",
            "没有 cgroup 内存上限，也无法读取主机内存",
        )
    else:
        yield ok(
            f"no memory limit of a cgroup; {_gib(free * 1024)} available",
            f"没有 cgroup 内存上限；可用 {_gib(free * 1024)}",
        )


def check_open_files(machine: Machine) -> Iterator[DoctorFinding]:  # noqa: ARG001 (every check is asked alike)
    """The limit of open files of this process, which a job inherits."""
    try:
        import resource
    except ImportError:
        yield unknown("this system has no limit of open files to read", "此系统无法读取打开文件数上限")
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < FEW_FILES:
        most = "unlimited" if hard < 0 else str(hard)
        yield warning(
            f"only {soft} files may be open at once",
            f"最多只能同时打开 {soft} 个文件",
            Text(f"ulimit -n {most if hard > 0 else 65536}", f"ulimit -n {most if hard > 0 else 65536}"),
        )
    else:
        yield ok(f"{soft if soft >= 0 else 'any number of'} files may be open", f"可同时打开 {soft} 个文件")


def _number(text: str | None) -> int | None:
    try:
        return int((text or "").strip())
    except ValueError:
        return None


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"
