"""Whether rule files are still those of the last start, told without opening them.

Reading three hundred files costs more than a diagnosis. A file counts as the same while its path, size, inode and
time of change are; whoever needs more certainty than that reads it.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def state_of(roots: Iterable[Path], also: Iterable[str]) -> bytes | None:
    """What identifies the files at and below ``roots`` as they are now, and ``also``; None where one cannot be seen."""
    try:
        seen = [line for root in roots for line in sorted(_seen(root))]
    except OSError:
        return None
    return "\n".join((*seen, *also, "")).encode(errors="surrogateescape")


def _seen(root: Path) -> Iterator[str]:
    status = root.stat()
    yield f"{root} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
    folders = [str(root)] if root.is_dir() else []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith((".yaml", ".yml", ".py")):
                    status = entry.stat()
                    yield f"{entry.path} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
