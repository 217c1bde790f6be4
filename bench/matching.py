"""How fast a log is read of whose lines each is one that a rule looks for.

    python bench/matching.py [--mb 20] [--kinds 40] [--draws 3] [FORM ...]

The worst that a log can do to the reader, for no line can be passed over. Each log is made of so many literals of the
shipped rules in an order drawn by lot, in one form of line, and read by a process of its own, start-up included. A job
that fails says some 40 things for ever; with all 5,000 literals (``--kinds 0``) it is an attack. How fast depends on
which 40 these are: the figure is that of all draws together. Each literal's hash decides of which draw it is, so that
another rule changes a draw by one literal at most.
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from literals import literals
from run import diagnose

RATE_MB_PER_S = 5
SEED = 7
MEGABYTE = 1_000_000
RANKS = 64
# For each writer of JSON records its own names for the time, the level and the text.
RECORD_NAMES = (("ts", "level", "msg"), ("time", "levelname", "message"), ("@timestamp", "severity", "message"))


def _clock(number: int) -> str:
    return f"2026-03-01 {number // 3_600_000 % 24:02}:{number // 60_000 % 60:02}:{number // 1000 % 60:02}"


def _record(number: int, text: str, names: tuple[str, str, str]) -> str:
    when, level, message = names
    return json.dumps({when: f"{_clock(number)}.{number % 1000:03}Z", level: "ERROR", message: text})


# By name: a line of this number that says so.
FORMS: dict[str, Callable[[int, str], str]] = {
    "text": lambda number, text: f"{text} {number}",
    "errors": lambda number, text: f"RuntimeError: {text} {number}",
    "timed": lambda number, text: f"{_clock(number)},{number % 1000:03} ERROR trainer: {text} {number}",
    "ranks": lambda number, text: f"[rank{number % RANKS}]: {text} {number}",
    "records": lambda number, text: _record(number, text, RECORD_NAMES[0]),
    "records of three writers": lambda number, text: _record(number, text, RECORD_NAMES[number % 3]),
}


def drawn(kinds: int, number: int) -> list[str]:
    """The literals of a draw, or all."""
    known = sorted(literal for literal in literals() if literal.isprintable())
    return sorted(known, key=lambda text: hashlib.sha256(f"{number} {text}".encode()).digest())[: kinds or None]


def write_matching_log(path: Path, form: Callable[[int, str], str], size: int, known: Sequence[str]) -> None:
    """A log of about so many bytes, each of whose lines holds one of the known literals."""
    draw = random.Random(SEED)
    written = number = 0
    with path.open("w", encoding="utf-8") as log:
        while written < size:
            number += 1
            written += log.write(form(number, draw.choice(known)) + "\n")


def main() -> int:
    """Read each form of log and print how fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("forms", nargs="*", metavar="FORM", help=f"of {', '.join(FORMS)}")
    parser.add_argument("--mb", type=int, default=20, help="size of each log")
    parser.add_argument("--kinds", type=int, default=40, help="how many literals; 0: all")
    parser.add_argument("--draws", type=int, default=3, help="how many sets of literals, each in a log of its own")
    options = parser.parse_args()
    for name in options.forms or FORMS:
        read = took = 0.0
        for number in range(options.draws):
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "matching.log"
                known = drawn(options.kinds, number)
                write_matching_log(log, FORMS[name], options.mb * MEGABYTE, known)
                command = diagnose(log)
                took += sorted(command.run().wall_s for _ in range(3))[1]
                read += log.stat().st_size
        rate = read / took / MEGABYTE
        print(f"{name:28} {rate:5.1f} MB/s  {'met' if rate >= RATE_MB_PER_S else 'NOT MET'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
