"""Parts to one `.tar.gz`, byte for byte the same for the same parts, and there as a whole or not at all."""

import gzip
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

from logrules.output.atomic_write import write_file
from logrules.tools.bundle.gather import BundlePart


def write_archive(parts: Sequence[BundlePart], path: Path, folder: str) -> None:
    """Write the parts into ``folder`` of a new archive. Raises UnwritableError; nothing is left then."""
    # Secrets may be left in it all the same: it is for its owner's eyes.
    write_file(path, _packed(parts, folder), new_mode=0o600)


def _packed(parts: Sequence[BundlePart], folder: str) -> bytes:
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
