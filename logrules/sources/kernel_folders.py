"""Folders that the kernel makes up, as `/proc` and `/sys`: they hold no logs, and links that lead everywhere."""

import os
from functools import cache
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_MADE_UP = frozenset(
    ("binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "fusectl",
     "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs")
)  # fmt: skip


def leads_to_kernel(status: os.stat_result, top: os.stat_result) -> bool:
    """Whether a folder below ``top`` is one of the kernel's, and ``top`` is none."""
    return status.st_dev != top.st_dev and status.st_dev in _devices() and top.st_dev not in _devices()


@cache
def _devices() -> frozenset[int]:
    """The devices on which the kernel's own file systems are mounted; none on systems that do not tell."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    found = set()
    # See proc_pid_mountinfo(5): the device is the third field, the type stands behind a lone dash.
    for line in lines:
        before, _, behind = line.partition(" - ")
        if behind.split(" ", 1)[0] in _MADE_UP:
            major, _, minor = before.split(" ", 3)[2].partition(":")
            found.add(os.makedev(int(major), int(minor)))
    return frozenset(found)
