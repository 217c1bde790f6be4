"""Disks: room and inodes where a run writes, and data that can be read."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from logrules.model.errors import reason_of
from logrules.model.report import Text
from logrules.tools.doctor.doctor_finding import DoctorFinding, failed, ok, unknown, warning
from logrules.tools.doctor.machine import Machine

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


def check_disk(machine: Machine) -> Iterator[DoctorFinding]:
    """Room and inodes below the output folder, the caches and the temporary folder."""
    seen: set[int] = set()
    for folder in _written(machine):
        there = _existing(folder)
        try:
            device = there.stat().st_dev
            usage = shutil.disk_usage(there)
        except OSError as fault:
            yield failed(f"{folder} cannot be looked at ({fault.strerror})", f"无法查看 {folder}（{fault.strerror}）")
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
    shown = f"{free / (1 << 30):.1f} GiB"
    if free < FULL_BYTES:
        return failed(
            f"{folder} has only {shown} left",
            f"{folder} 仅剩 {shown}",
            Text(
                "Free some room or write elsewhere; a checkpoint that does not fit ends the run",
                "清理或换到其他盘；检查点写不下会让训练中断",
            ),
        )
    if free < TIGHT_BYTES:
        return warning(f"{folder} has {shown} left: few checkpoints fit", f"{folder} 剩余 {shown}：放不下几个检查点")
    return ok(f"{folder} has {shown} left", f"{folder} 剩余 {shown}")


def _inodes(folder: Path, there: Path) -> Iterator[DoctorFinding]:
    if not hasattr(os, "statvfs"):
        return
    found = os.statvfs(there)
    # Some file systems have no fixed number of inodes, and say 0.
    if found.f_files and found.f_favail < FEW_INODES:
        yield failed(f"{folder} has only {found.f_favail} inodes left", f"{folder} 仅剩 {found.f_favail} 个 inode")


def check_data(machine: Machine) -> Iterator[DoctorFinding]:
    """Whether the data that was named can be read."""
    if not machine.asked.data:
        yield unknown("no data path was named (--data PATH)", "未指定数据路径（--data PATH）")
    for name in machine.asked.data:
        yield _readable(Path(name))


def _readable(path: Path) -> DoctorFinding:
    try:
        if path.is_dir():
            with os.scandir(path) as entries:
                empty = next(entries, None) is None
            if empty:
                return failed(f"{path} is empty", f"{path} 为空")
            return ok(f"{path} can be listed", f"{path} 可以读取")
        if path.is_fifo():  # whoever opens it waits for a writer
            return failed(f"{path} is a named pipe and holds no data", f"{path} 是命名管道，没有数据")
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as fault:
        reason = reason_of(fault)
        return failed(f"{path} cannot be read ({reason})", f"{path} 无法读取（{reason}）")
    return failed(f"{path} is empty", f"{path} 为空") if empty else ok(f"{path} can be read", f"{path} 可以读取")
