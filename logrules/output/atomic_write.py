"""A file put in the place of another as a whole, so that nobody ever reads half of one."""

import os
import tempfile
from pathlib import Path

_READABLE = 0o644


def replace_file(path: Path, content: bytes) -> None:
    """Put a whole new file in the place of the old one, with its mode. Raises OSError, and the old one stays."""
    mode = path.stat().st_mode & 0o777 if path.exists() else _READABLE
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(unfinished).chmod(mode)
        Path(unfinished).replace(path)
    except OSError:
        Path(unfinished).unlink(missing_ok=True)
        raise
