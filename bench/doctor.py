"""`logrules doctor` with every probe hanging: ``python bench/doctor.py``."""

import json
import os
import stat
import sys
import tempfile
import time
from pathlib import Path

from measure import Command

LIMIT_S = 10.0
HANGING = ("nvidia-smi", "python", "python3", "ray")


def hanging_doctor(folder: Path) -> tuple[float, int]:
    """Seconds that the whole command takes with fakes that hang, and how many checks answered nonetheless."""
    for name in HANGING:
        fake = folder / name
        fake.write_text("#!/bin/sh\nsleep 600 & wait\n")
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    root = str(Path(__file__).resolve().parent.parent)
    # An address that drops packets, as a firewall does.
    environment = {
        **os.environ,
        "PATH": f"{folder}:/usr/bin:/bin",
        "PYTHONPATH": root,
        "HF_ENDPOINT": "https://10.255.255.1",
    }
    begun = time.perf_counter()
    said = Command(
        [sys.executable, "-m", "logrules", "doctor", "--format", "json"], frozenset({0, 1}), environment
    ).output()
    taken = time.perf_counter() - begun
    checks = json.loads(said)["checks"] if said else []
    return taken, sum(one["outcome"] != "unknown" for one in checks)


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        taken, answered = hanging_doctor(Path(folder))
    verdict = "met" if taken <= LIMIT_S else "NOT MET"
    sys.stdout.write(
        f"doctor with every probe hanging: {taken:.1f} s, {answered} checks answered  [<= {LIMIT_S:g} s: {verdict}]\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
