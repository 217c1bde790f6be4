"""Write a big training log: ``python bench/generate.py 1G big.log``.

The same size and seed give the same bytes. The log is streamed, so memory stays small.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import job

_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
_WRITE_BYTES = 1 << 20


def size_of(text: str) -> int:
    """Bytes from ``100M``, ``1G`` or a plain number."""
    unit = _UNITS.get(text[-1:].upper())
    return round(float(text[:-1]) * unit) if unit else int(text)


def log_bytes(size: int, seed: int) -> Iterator[bytes]:
    """The log in pieces: start-up, as many steps as fit, and the failure at the end."""
    left = size
    for text in job.startup():
        data = text.encode()
        left -= len(data)
        yield data
    left -= len(job.ending(job.STEPS).encode())
    step = 0
    for step, text in enumerate(job.training(random.Random(seed))):  # noqa: B007
        data = text.encode()
        left -= len(data)
        if left < 0:
            break
        yield data
    yield job.ending(step).encode()


def write_log(path: Path, size: int, seed: int) -> int:
    """Write about ``size`` bytes (never more, if start-up and ending fit) and return how many they are."""
    written = 0
    with path.open("wb", buffering=_WRITE_BYTES) as out:
        for data in log_bytes(size, seed):
            written += out.write(data)
    return written


def main() -> int:
    """Read the command line and write the log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("size", type=size_of, help="100M, 1G or a number of bytes")
    options.add_argument("out", type=Path)
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    written = write_log(chosen.out, chosen.size, chosen.seed)
    sys.stderr.write(f"{chosen.out}: {written:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
