"""Which jobs there are: what a pattern matches below a folder, each match a job."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePath
from typing import NoReturn

from logrules.model.errors import LogrulesError
from logrules.sources.file_patterns import leads_to_kernel
from logrules.sources.log_names import is_log_name, may_be_log, natural

# What is a job where nobody says more: each folder, and each file that is called like a log or like nothing.
ANY_JOB = "*"
# The folder that is named is itself a job.
WHOLE = "."


@dataclass(frozen=True, slots=True)
class FoundJob:
    """A job: its name (the path below the root), where it is, what it is told apart by, and when it was last written.

    ``identity`` changes when a file of the job comes, goes or changes. ``node`` is the node of a cluster on whose disk
    it lies, empty where any machine can read it.
    """

    name: str
    path: Path
    identity: str
    modified: float
    node: str = ""

    @property
    def whole_path(self) -> Path:
        """Where it is, the same from whichever folder it was named."""
        return Path(os.path.normpath(self.path.absolute()))


def jobs_of(roots: Sequence[Path], pattern: str) -> Sequence[FoundJob]:
    """The jobs of a folder, named by what is below it; of several their whole paths. Raises LogrulesError for none.

    What lies in a job of another root is part of that job.
    """
    if len(roots) == 1 and roots[0].is_dir() and not _is_whole(pattern):
        return _below(roots[0], pattern, None) or _refused(roots[0], pattern)
    jobs = without_twins(named_jobs(roots, pattern))
    paths = {job.whole_path for job in jobs}
    return [job for job in jobs if paths.isdisjoint(job.whole_path.parents)]


def named_jobs(paths: Sequence[str | Path], pattern: str, most_files: int | None = None) -> Sequence[FoundJob]:
    """A file is a job; of a folder every entry that fits the pattern.

    Raises LogrulesError for what is not there, for folders of which none has a job, and for a job of too many files.
    """
    found: list[FoundJob] = []
    for path in map(Path, paths):
        if path.is_dir() and not _is_whole(pattern):
            found += (replace(job, name=str(path / job.name)) for job in _below(path, pattern, most_files))
        elif path.exists():
            found.append(job_at(str(path), path, most_files))
        else:
            raise LogrulesError(f"{path}: no such file or folder")
    return found if found or not paths else _refused(Path(paths[0]), pattern)


def _below(root: Path, pattern: str, most_files: int | None) -> tuple[FoundJob, ...]:
    try:
        found = [path for path in root.glob(pattern) if _is_job(path, pattern, root.stat()) and not _holds(path, root)]
    except (ValueError, NotImplementedError):
        raise LogrulesError(f"--jobs {pattern}: is no pattern of paths below {root}, such as '*/logs'") from None
    named = sorted(((str(path.relative_to(root)), path) for path in found), key=lambda pair: natural(pair[0]))
    return tuple(job_at(name, path, most_files) for name, path in named)


def _refused(root: Path, pattern: str) -> NoReturn:
    raise LogrulesError(f"{root}: {f'nothing matches {pattern}' if pattern != ANY_JOB else 'holds no job'}")


def _is_whole(pattern: str) -> bool:
    return PurePath(pattern) == PurePath(WHOLE)


def without_twins(jobs: Iterable[FoundJob]) -> Sequence[FoundJob]:
    """Each job once, however often it was named."""
    return list({str(job.whole_path): job for job in jobs}.values())


def _is_job(path: Path, pattern: str, root: os.stat_result) -> bool:
    name = path.name
    if name.startswith(".") or _never_ends(path, root):
        return False
    # Beside logs lie reports on them, pictures and configurations.
    return pattern != ANY_JOB or path.is_dir() or is_log_name(name) or may_be_log(name)


def _holds(path: Path, root: Path) -> bool:
    """Whether it is a link that leads back to the folder that is looked through, or to one that this lies in."""
    if not path.is_symlink():
        return False
    target, inside = os.path.realpath(path), os.path.realpath(root)
    return os.path.commonpath([target, inside]) == target


def _never_ends(path: Path, root: os.stat_result) -> bool:
    """Whether it is a pipe, a socket or a device, which a scan of many would wait for, or a folder of the kernel's."""
    try:
        status = path.stat()
    except OSError:
        return False  # whoever reads it says why that cannot be
    kind = status.st_mode
    return leads_to_kernel(status, root) if stat.S_ISDIR(kind) else not stat.S_ISREG(kind)


def job_at(name: str, path: Path, most_files: int | None = None) -> FoundJob:
    """The job whose log, or whose folder of logs, lies there. Raises LogrulesError for more than ``most_files``."""
    seen = hashlib.sha256()
    modified = 0.0
    files = list(islice(_files(path), None if most_files is None else most_files + 1))
    if most_files is not None and len(files) > most_files:
        raise LogrulesError(
            f"{path}: holds more than {most_files:,} files, too many for a job: name the folders of its logs"
        )
    for file, status in sorted(files):
        seen.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\0".encode(errors="surrogateescape"))
        modified = max(modified, status.st_mtime)
    return FoundJob(name, path, seen.hexdigest(), modified)


def _files(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    if not path.is_dir():
        yield from _stated(path)
        return
    top = path.stat()
    # Not os.walk: before Python 3.12 it calls itself for every level, and folders may be thousands deep.
    left = [path]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if not leads_to_kernel(entry.stat(follow_symlinks=False), top):
                            left.append(Path(entry.path))
                    else:
                        yield from _stated(Path(entry.path))
        except OSError:
            continue


def _stated(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    try:
        yield str(path), path.stat()
    except OSError:
        return
