"""Parts to one `.tar.gz`, byte for byte the same for the same parts, and there as a whole or not at all."""

import gzip
import io
import os
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from logrules.model.errors import LogrulesError
from logrules.tools.bundle.gather import Part


def write_archive(parts: Sequence[Part], path: Path, folder: str) -> None:
    """Write the parts into ``folder`` of a new archive. Raises LogrulesError where that fails; nothing is left then."""
    unfinished = None
    try:
        handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(_packed(parts, folder))
        Path(unfinished).replace(path)
    except OSError as fault:
        if unfinished is not None:
            Path(unfinished).unlink(missing_ok=True)
        raise LogrulesError(f"{path}: cannot be written ({(fault.strerror or str(fault)).lower()})") from None


def _packed(parts: Sequence[Part], folder: str) -> bytes:
    packed = io.BytesIO()
    # Without the name and the time of the packing, which gzip would put into the header.
    zipped = gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0)
    with zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for part in parts:
            raw = part.text.encode()
            entry = tarfile.TarInfo(f"{folder}/{part.name}")
            entry.size, entry.mode = len(raw), 0o600
            archive.addfile(entry, io.BytesIO(raw))
    return packed.getvalue()
