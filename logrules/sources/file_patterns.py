"""What is there of a pattern of file names (PowerShell and cmd leave ``rank*.log`` to us), and where folders lead."""

import glob
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from logrules.sources.log_names import natural

_ANY_DEPTH = "**"
# Where the kernel makes folders up: they hold no logs, and links that lead everywhere.
_OF_KERNEL = ("/proc", "/sys", "/dev")


def matches(pattern: str, within: Path | None = None) -> list[str]:
    """The paths that match, in natural order; of a bare name, that name.

    As `glob.glob` finds them, ``**`` for folders of any depth, but each folder once: of two links that lead back it
    makes paths without end. With ``within`` (a resolved path) links that lead out of it are not followed.
    """
    if not glob.has_magic(pattern) or os.path.lexists(pattern):
        return [pattern]
    path = Path(pattern)
    parts = path.parts[1:] if path.anchor else path.parts
    return sorted(dict.fromkeys(_found(path.anchor, parts, within)), key=natural)


def _found(start: str, parts: tuple[str, ...], within: Path | None) -> Iterator[str]:
    left = [(start, 0)]
    seen: set[tuple[int, int, int]] = set()
    while left:
        path, at = left.pop()
        if at == len(parts):
            if path:
                yield path
        elif not glob.has_magic(parts[at]):
            deeper = os.path.join(path, parts[at])  # noqa: PTH118 (the pattern's own spelling)
            if os.path.lexists(deeper):
                left.append((deeper, at + 1))
        elif _is_new(path, at, seen):
            is_deep = parts[at] == _ANY_DEPTH
            if is_deep:
                left.append((path, at + 1))
            for entry in _entries(path, parts[at], within):
                left += [(os.path.join(path, entry.name), to) for to in _steps(entry, at, parts, is_deep=is_deep)]  # noqa: PTH118


def _steps(entry: "os.DirEntry[str]", at: int, parts: tuple[str, ...], *, is_deep: bool) -> Iterator[int]:
    """Which part of the pattern what is found has to match next."""
    if not is_deep or at + 1 == len(parts):
        yield at + 1
    if is_deep and entry.is_dir():
        yield at


def _is_new(folder: str, at: int, seen: set[tuple[int, int, int]]) -> bool:
    try:
        status = os.stat(folder or os.curdir)  # noqa: PTH116
    except OSError:
        return False
    size = len(seen)
    seen.add((status.st_dev, status.st_ino, at))
    return len(seen) > size


def _entries(folder: str, wanted: str, within: Path | None) -> list["os.DirEntry[str]"]:
    """What of a folder matches, links first: what is looked at last is looked at under its own name before."""
    try:
        with os.scandir(folder or os.curdir) as found:
            named = [one for one in found if _is_wanted(one.name, wanted)]
    except OSError:
        return []
    if within is not None:
        named = [one for one in named if not one.is_symlink() or leads_inside(Path(one.path), within)]
    return sorted(named, key=lambda one: not one.is_symlink())


def _is_wanted(name: str, wanted: str) -> bool:
    is_hidden = name.startswith(".") and not wanted.startswith(".")
    return not is_hidden and (wanted == _ANY_DEPTH or fnmatch(name, wanted))


def leads_inside(link: Path, folder: Path) -> bool:
    """Whether a link leads to something in a folder (a resolved path); one in a loop leads nowhere."""
    try:
        return link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):
        return False


def leads_to_kernel(status: os.stat_result, top: os.stat_result) -> bool:
    """Whether a folder below ``top`` is one of the kernel's, and ``top`` is none."""
    return status.st_dev != top.st_dev and status.st_dev in _devices() and top.st_dev not in _devices()


@cache
def _devices() -> frozenset[int]:
    """The devices of the kernel's own file systems; what is no mount of its own is an ordinary folder."""
    return frozenset(os.stat(place).st_dev for place in _OF_KERNEL if os.path.ismount(place))  # noqa: PTH116
