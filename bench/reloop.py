"""The naive way, for comparison: each pattern over each line with Python's `re`.

``python bench/reloop.py LOG BYTES SECONDS`` reads the head of a log until either limit
and prints how many bytes it got through and the seconds that this took.
"""

import re
import sys
import time
from pathlib import Path

from literals import signals


def patterns() -> list[re.Pattern[str]]:
    """One pattern a signal: its literals as alternatives. Captures, which come after, are left out in its favour."""
    return [re.compile("|".join(map(re.escape, literals))) for literals in signals()]


def loop(log: Path, max_bytes: int, max_s: float) -> tuple[int, float]:
    """Search every line for every pattern; the bytes seen and the seconds taken."""
    searches = [pattern.search for pattern in patterns()]
    seen = 0
    start = time.perf_counter()
    with log.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        for line in lines:
            for search in searches:
                search(line)
            seen += len(line.encode())
            if seen >= max_bytes or time.perf_counter() - start > max_s:
                break
    return seen, time.perf_counter() - start


if __name__ == "__main__":
    done, taken = loop(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
    sys.stdout.write(f"{done} {taken}\n")
