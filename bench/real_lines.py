"""Write a big log of real lines: ``python bench/real_lines.py 1G big.log --corpus ../shared/corpus``.

The labelled logs are read as so many workers: eight at a time take turns, a burst of lines each, so that bars, metrics
and whole tracebacks of several meet as they do in one file of a job; which eight changes when a log has ended. The
same size, seed and corpus give the same bytes.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from generate import size_of

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
AT_ONCE = 8
# A worker writes a line, or some that belong together; a traceback is about thirty.
_BURST_LINES = (1, 1, 2, 5, 40)


def logs_of(corpus: Path) -> list[Path]:
    """The labelled logs. Raises SystemExit where there are none."""
    found = sorted(path for case in corpus.rglob("case.yaml") for path in case.parent.iterdir() if path != case)
    if not found:
        sys.exit(f"{corpus}: no labelled logs here; nothing is written")
    return found


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a log, each with an end."""
    return (line + b"\n" for line in path.read_bytes().split(b"\n") if line)


def endless(logs: list[Path], chosen: random.Random) -> Iterator[Path]:
    """All logs in an order of chance, and again in another."""
    while True:
        yield from chosen.sample(logs, len(logs))


def real_bytes(logs: list[Path], size: int, seed: int) -> Iterator[bytes]:
    """Bursts of lines up to a number of bytes."""
    chosen = random.Random(seed)
    coming = endless(logs, chosen)
    workers = [lines_of(path) for path in islice(coming, AT_ONCE)]
    while size > 0:
        place = chosen.randrange(AT_ONCE)
        burst = b"".join(islice(workers[place], chosen.choice(_BURST_LINES)))
        if not burst:
            workers[place] = lines_of(next(coming))
            continue
        yield burst[:size]
        size -= len(burst)


def write_real_log(path: Path, size: int, seed: int, corpus: Path = CORPUS) -> int:
    """Write ``size`` bytes of real lines and return how many they are. Raises SystemExit without a corpus."""
    logs = logs_of(corpus)
    with path.open("wb", buffering=1 << 20) as out:
        return sum(out.write(burst) for burst in real_bytes(logs, size, seed))


def main() -> int:
    """Read the command line and write the log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("size", type=size_of, help="100M, 1G or a number of bytes")
    options.add_argument("out", type=Path)
    options.add_argument("--corpus", type=Path, default=CORPUS)
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    written = write_real_log(chosen.out, chosen.size, chosen.seed, chosen.corpus)
    sys.stderr.write(f"{chosen.out}: {written:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
