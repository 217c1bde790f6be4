"""What changed since a commit, asked of git."""

import subprocess
from pathlib import Path

from logrules.model.errors import LogrulesError

_LIMIT_S = 60
_LATEST = "HEAD"


def changed_files(since: str) -> dict[Path, str]:
    """Every file that differs from the commit ``since`` or is new, with its name in the repository.

    Before the first commit of a repository every file is new.

    Raises LogrulesError where there is no repository or no such commit.
    """
    if since.startswith("-"):
        raise LogrulesError(f"{since}: no such commit")
    root = Path(_git("rev-parse", "--show-toplevel").decode().rstrip("\n"))
    if since == _LATEST and not _has_commits():
        since = _git("hash-object", "-t", "tree", "--stdin").decode().strip()  # that of a tree without a file
    changed = _git("diff", "--name-only", "--no-renames", "-z", since, "--")
    new = _git("-C", str(root), "ls-files", "--others", "--exclude-standard", "-z")
    names = [name.decode(errors="surrogateescape") for name in (changed + new).split(b"\0") if name]
    return {(root / name).resolve(): name for name in names}


def old_text(since: str, name: str) -> bytes | None:
    """A file as it was at a commit; None where it was not there yet."""
    try:
        return _git("show", f"{since}:{name}")
    except LogrulesError:
        return None


def _has_commits() -> bool:
    try:
        _git("rev-parse", "--verify", "--quiet", _LATEST)
    except LogrulesError:
        return False
    return True


def _git(*words: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise LogrulesError(f"--changed needs git, which cannot be run: {fault}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise LogrulesError(f"--changed: git says: {said[0] if said else done.returncode}")
    return done.stdout
