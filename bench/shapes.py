"""Memory of a diagnosis, for logs of every shape that has no end of a line where one would be expected.

    python bench/shapes.py [--mb 150] [SHAPE ...]

Each log is made, read by a process of its own, and removed. Exit status 1 where one takes more than the limit.
"""

import argparse
import gzip
import json
import lzma
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

LIMIT_MB = 150
MEGABYTE = 1 << 20


def _repeated(piece: bytes) -> Callable[[int], bytes]:
    return lambda size: piece * (size // len(piece))


def _bars(size: int) -> bytes:
    return b"".join(b"\rtrain: %6d/100000 [00:01<00:02, 3.3it/s]" % number for number in range(size // 44))


def _records(size: int) -> bytes:
    record = json.dumps({"msg": "loss nan CUDA out of memory " * 37_000}).encode() + b"\n"
    return record * (size // len(record))


# By name: what makes a log of about so many bytes; an archive is made of what it expands to.
SHAPES: dict[str, Callable[[int], bytes]] = {
    "one-line": _repeated(b"x y "),
    "one-line-of-errors": _repeated(b"RuntimeError: CUDA out of memory. "),
    "carriage-returns": _bars,
    "nuls-and-a-word": lambda size: bytes(size) + b"word",
    "vertical-tabs": _repeated(b"Error loss\x0b"),
    "utf-16-on-one-line": lambda size: "\ufefftrain step 1 loss 2.0 ".encode("utf-16-le") * (size // 50),
    "records-of-a-megabyte": _records,
    "short-lines": _repeated(b"a\n"),
    "errors": _repeated(b"RuntimeError: CUDA out of memory\n"),
    "frames": _repeated(b'  File "/a/b.py", line 3, in f\n    x()\n'),
    "archive.gz": lambda size: gzip.compress(b"x" * MEGABYTE) * (4 * size // MEGABYTE),
    "archive.xz": lambda size: lzma.compress(b"x" * MEGABYTE) * (4 * size // MEGABYTE),
}


def peak_mb(path: Path) -> tuple[float, int]:
    """The most memory that a diagnosis of this log took, and its exit status."""
    words = [sys.executable, "-m", "logrules", "diagnose", str(path), "-o", os.devnull]
    _, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.executable, words), 0)  # noqa: S606 (this interpreter)
    scale = 1 if sys.platform == "darwin" else 1 << 10
    return float(used.ru_maxrss) * scale / MEGABYTE, os.waitstatus_to_exitcode(status)


def main() -> int:
    """Try the shapes and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--mb", type=int, default=150, help="size of each log")
    options = parser.parse_args()
    worst = 0.0
    for name in options.shapes or SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.log"
            path.write_bytes(SHAPES[name](options.mb * MEGABYTE))
            peak, status = peak_mb(path)
        worst = max(worst, peak)
        verdict = "met" if peak <= LIMIT_MB and status in {0, 1} else "NOT MET"
        print(f"{name:24} {peak:6.0f} MB  exit {status}  {verdict}", flush=True)
    return int(worst > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
