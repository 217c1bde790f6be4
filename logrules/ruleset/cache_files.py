"""Files in the user's cache folder, believed only when everything about them is right.

A torn file has another checksum, a foreign one another owner; a folder that cannot be written is
no fault. Whatever is wrong, what was kept is made again.
"""

import contextlib
import os
import stat
import sys
import zlib
from pathlib import Path

# A team's packs and their older editions; beyond these, what was not used for longest goes.
KEPT_OF_A_KIND = 8
# The largest that we write has four; what is larger is none of ours, and is to take no memory.
_MAX_BYTES = 64 << 20
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
# What it may raise to read, from a file whose checksum is right, what is no value of ours.
SPOILT = (
    AttributeError,
    EOFError,
    ImportError,
    KeyError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
_CHECKSUM_BYTES = len(b"%08x\n" % 0)


def cache_folder() -> Path:
    """Where compiled packs are kept: ``$LOGRULES_CACHE_DIR``, else the user's cache folder."""
    usual = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return user_folder("LOGRULES_CACHE_DIR", "XDG_CACHE_HOME", usual)


def user_folder(own: str, standard: str, usual: str) -> Path:
    """Our folder of one kind: what the variable ``own`` names, else below what ``standard`` or the system names.

    ``usual`` is below the home folder. Raises RuntimeError where there is none. (platformdirs would do; importing it
    takes as long as reading the pack.)
    """
    chosen = os.environ.get(own)
    if chosen:
        return Path(chosen)
    root = os.environ.get(standard) or os.environ.get("LOCALAPPDATA")
    return (Path(root) if root else Path.home() / usual) / "logrules"


def can_keep() -> bool:
    """Whether there is a folder for what is to be kept, or one can be made."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = cache_folder().absolute()
        nearest = next(one for one in (folder, *folder.parents) if one.exists())
        return nearest.is_dir() and os.access(nearest, os.W_OK)
    return False


def kept(name: str) -> memoryview | None:
    """What was kept under this name, or None. It is as it was read: a copy of megabytes is a tenth of a start."""
    try:
        body = memoryview(_read_own(cache_folder() / name))
    except (OSError, ValueError, RuntimeError):
        return None
    checksum, body = body[:_CHECKSUM_BYTES], body[_CHECKSUM_BYTES:]
    return body if checksum == _checksum(body) else None


def kept_for(kind: str, asked: bytes) -> memoryview | None:
    """What was kept for exactly these bytes, or None."""
    body = kept(_name_for(kind, asked))
    # As bytes: views are compared item by item.
    return body[len(asked) :] if body is not None and bytes(body[: len(asked)]) == asked else None


def keep(kind: str, name: str, body: bytes) -> None:
    """Keep bytes for the next start under a name that begins with ``kind``; silently not, where that is impossible."""
    import tempfile

    with contextlib.suppress(OSError, RuntimeError):
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, unfinished = tempfile.mkstemp(dir=folder, prefix=f".{kind}-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(_checksum(body) + body)
            Path(unfinished).replace(folder / name)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        found = sorted(folder.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in found[KEPT_OF_A_KIND:]:
            path.unlink(missing_ok=True)


def keep_for(kind: str, asked: bytes, body: bytes) -> None:
    """Keep bytes for the next start that asks for them with the same ``asked``."""
    keep(kind, _name_for(kind, asked), asked + body)


def _checksum(body: bytes | memoryview) -> bytes:
    """A line that tells a torn file from a whole one. Who could forge it owns it; importing `hashlib` takes 4 ms."""
    return b"%08x\n" % zlib.crc32(body)


def _name_for(kind: str, asked: bytes) -> str:
    return f"{kind}-{zlib.crc32(asked):08x}"


def _read_own(path: Path) -> bytes:
    """A regular file of a size of ours that this user owns and nobody else may write."""
    # A named pipe that nobody writes to would be waited for.
    with open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | _WITHOUT_WAITING)) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            raise ValueError("no file of ours")
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            raise ValueError("somebody else could have written it")
        with contextlib.suppress(OSError):
            os.utime(stream.fileno())  # what is in use is not old
        return stream.read()
