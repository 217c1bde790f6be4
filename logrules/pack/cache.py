"""A compiled pack on disk: JSON in the user's cache folder, believed only when everything about it is right.

A stale pack has another digest, a torn one another checksum, a foreign one another owner; a folder
that cannot be written is no fault. Whatever is wrong, the pack is compiled again.
"""

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path

from logrules.model.report import Severity
from logrules.pack import condition, pack
from logrules.pack.pack import Pack
from logrules.pack.plain import from_plain, to_plain

_CLASSES: dict[str, type] = {
    name: kind
    for module in (pack, condition)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and kind.__module__ == module.__name__
} | {"Severity": Severity}


def cache_folder() -> Path:
    """Where compiled packs are kept: ``$LOGRULES_CACHE_DIR``, else the user's cache folder."""
    chosen = os.environ.get("LOGRULES_CACHE_DIR")
    if chosen:
        return Path(chosen)
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(root) if root else Path.home() / ".cache") / "logrules"


def cached_pack(digest: str) -> Pack | None:
    """The pack that was kept under this digest, or None."""
    try:
        path = cache_folder() / f"pack-{digest[:32]}.json"
        raw = _read_own(path)
        checksum, _, body = raw.partition(b"\n")
        if checksum.decode("ascii") != hashlib.sha256(body).hexdigest():
            return None
        found = from_plain(json.loads(body), _CLASSES)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, RuntimeError):
        return None
    return found if isinstance(found, Pack) and found.digest == digest else None


def _read_own(path: Path) -> bytes:
    """The content of a regular file that this user owns and nobody else may write."""
    with path.open("rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a regular file")
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            raise ValueError("somebody else could have written it")
        return stream.read()


def keep_pack(found: Pack) -> None:
    """Keep a compiled pack for the next start; silently not, where that is impossible."""
    body = json.dumps(to_plain(found), ensure_ascii=False, separators=(",", ":")).encode()
    with contextlib.suppress(OSError, RuntimeError):
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".pack-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(body).hexdigest().encode("ascii") + b"\n" + body)
            Path(name).replace(folder / f"pack-{found.digest[:32]}.json")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _forget_old(folder)


def _forget_old(folder: Path, keep: int = 8) -> None:
    packs = sorted(folder.glob("pack-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in packs[keep:]:
        path.unlink(missing_ok=True)
