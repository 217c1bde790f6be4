"""How much there is of what a run needs: shared memory, memory, open files, disk space, and the data itself."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from logrules.model.errors import reason_of
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.machine import Machine

# Docker gives 64 MB unless asked; NCCL alone wants some ten MB a rank, DataLoader workers hand batches through it.
SMALL_SHM_BYTES = 1 << 30
FEW_FILES = 4_096
# What cgroup v1 says for "no limit".
_NO_LIMIT_BYTES = 1 << 60
FULL_BYTES = 1 << 30
TIGHT_BYTES = 20 << 30
FEW_INODES = 10_000
# Where frameworks write without being asked: variable, and the folder below home that stands for it.
_CACHES = (
    ("HF_HOME", ".cache/huggingface"),
    ("TMPDIR", None),
    ("TRITON_CACHE_DIR", ".triton"),
    ("VLLM_CACHE_ROOT", ".cache/vllm"),
)


def check_shared_memory(machine: Machine) -> Iterator[DoctorFinding]:
    """How large ``/dev/shm`` is and how full."""
    try:
        usage = shutil.disk_usage(machine.root / "dev/shm")
    except OSError:
        yield unknown("shm-unknown")
        return
    judged, key = (failed, "shm-small") if usage.free < SMALL_SHM_BYTES else (ok, "shm")
    yield judged(key, free=_gib(usage.free), size=_gib(usage.total))


def check_memory_limit(machine: Machine) -> Iterator[DoctorFinding]:
    """What the cgroup allows against what is used."""
    limit = _of_cgroup(machine, "memory.max", "memory/memory.limit_in_bytes")
    used = _of_cgroup(machine, "memory.current", "memory/memory.usage_in_bytes")
    if limit is None or limit >= _NO_LIMIT_BYTES:
        yield _whole_machine(machine)
        return
    judged = warning if used is not None and used > 0.9 * limit else ok
    yield judged("memory-limit", shown=_gib(limit) + (f", {_gib(used)} in use" if used is not None else ""))


def _of_cgroup(machine: Machine, *names: str) -> int | None:
    """What one of these files says: the first is that of cgroup v2."""
    numbers = (_number(machine.read(f"/sys/fs/cgroup/{name}")) for name in names)
    return next(filter(None, numbers), None)


def _whole_machine(machine: Machine) -> DoctorFinding:
    info = machine.read("/proc/meminfo") or ""
    fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
    free_kb = _number(fields.get("MemAvailable", "").replace("kB", ""))
    return unknown("memory-unknown") if free_kb is None else ok("memory-free", free=_gib(free_kb * 1024))


def check_open_files(machine: Machine) -> Iterator[DoctorFinding]:  # noqa: ARG001 (every check is asked alike)
    """The limit of open files of this process, which a job inherits."""
    try:
        import resource
    except ImportError:
        yield unknown("files-unknown")
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < FEW_FILES:
        yield warning("files-few", soft=soft, most=hard if hard > 0 else 65_536)
    else:
        yield ok("files", soft=soft, count=soft if soft >= 0 else "any number of")


def _number(text: str | None) -> int | None:
    try:
        return int((text or "").strip())
    except ValueError:
        return None


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"


def check_disk(machine: Machine) -> Iterator[DoctorFinding]:
    """Room and inodes below the output folder, the caches and the temporary folder."""
    seen: set[int] = set()
    for folder in _written(machine):
        there = _existing(folder)
        try:
            device = there.stat().st_dev
            usage = shutil.disk_usage(there)
        except OSError as fault:
            yield failed("disk-unknown", folder=folder, reason=fault.strerror)
            continue
        if device not in seen:
            seen.add(device)
            yield _room(folder, usage.free)
            yield from _inodes(folder, there)


def _written(machine: Machine) -> Iterator[Path]:
    yield Path(machine.asked.output).absolute()
    home = machine.env.get("HOME")
    for variable, below_home in _CACHES:
        if chosen := machine.env.get(variable):
            yield Path(chosen)
        elif below_home and home:
            yield Path(home, below_home)
    yield Path(machine.env.get("TMPDIR", "/tmp"))


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _room(folder: Path, free: int) -> DoctorFinding:
    if free < FULL_BYTES:
        return failed("disk-full", folder=folder, shown=_gib(free))
    if free < TIGHT_BYTES:
        return warning("disk-tight", folder=folder, shown=_gib(free))
    return ok("disk", folder=folder, shown=_gib(free))


def _inodes(folder: Path, there: Path) -> Iterator[DoctorFinding]:
    if not hasattr(os, "statvfs"):
        return
    found = os.statvfs(there)
    # Some file systems have no fixed number of inodes, and say 0.
    if found.f_files and found.f_favail < FEW_INODES:
        yield failed("inodes-few", folder=folder, count=found.f_favail)


def check_data(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether the data that was named can be read."""
    if not machine.asked.data:
        yield unknown("data-unnamed")
    for name in machine.asked.data:
        yield _readable(Path(name))


def _readable(path: Path) -> DoctorFinding:
    try:
        if path.is_dir():
            with os.scandir(path) as entries:
                empty = next(entries, None) is None
            return failed("data-empty", path=path) if empty else ok("data-folder", path=path)
        if path.is_fifo():  # whoever opens it waits for a writer
            return failed("data-pipe", path=path)
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as fault:
        return failed("data-unreadable", path=path, reason=reason_of(fault))
    return failed("data-empty", path=path) if empty else ok("data", path=path)
