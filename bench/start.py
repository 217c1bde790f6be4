"""What starting costs: ``python bench/start.py``. CPU time (user and system) of whole processes, with a warm cache."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = 9
DIAGNOSE_S, HELP_S, LOOP_S = 0.20, 0.15, 0.03
_LINES = 99
_LAST = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def cpu_s(words: Sequence[str], environment: dict[str, str]) -> float:
    """User and system seconds of a process, whatever its exit status."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(words[0], list(words), environment, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    os.close(nowhere)
    _, _, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime


def table(log: Path, environment: dict[str, str]) -> dict[str, list[float]]:
    """CPU seconds by command, the commands in turn; a first round warms the caches and does not count."""
    python = sys.executable
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "logrules --help": [python, "-m", "logrules", "--help"],
        "logrules diagnose, 100 lines": [python, "-m", "logrules", "diagnose", str(log)],
    }
    rounds = [{what: cpu_s(words, environment) for what, words in commands.items()} for _ in range(RUNS + 1)]
    return {what: [one[what] for one in rounds[1:]] for what in commands}


def loop_s(log: Path) -> float:
    """Seconds of a call in a loop, after the first."""
    sys.path.insert(0, str(HERE.parent))
    import logrules

    taken = []
    for _ in range(RUNS + 1):
        begun = time.process_time()
        logrules.diagnose(str(log))
        taken.append(time.process_time() - begun)
    return statistics.median(taken[1:])


def row(what: str, seconds: float, spread: str = "", limit_s: float | None = None) -> str:
    """A line of the table."""
    target = "" if limit_s is None else f"  [<= {limit_s:g} s: {'met' if seconds <= limit_s else 'NOT MET'}]"
    return f"{what:32} {seconds:.3f} s CPU {spread}{target}\n"


def main() -> None:
    """Measure and print."""
    limits = {"logrules --help": HELP_S, "logrules diagnose, 100 lines": DIAGNOSE_S}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "100-lines.log"
        steps = (f"2025-06-01 10:00:{step % 60:02d},000 INFO step {step} loss 0.5\n" for step in range(_LINES))
        log.write_text("".join(steps) + _LAST, encoding="utf-8")
        os.environ["LOGRULES_CACHE_DIR"] = str(Path(folder) / "cache")
        # What a second start finds compiled is of this run's own, also where Python is told to write none.
        compiled = {"PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent), **compiled}
        for what, seconds in table(log, environment).items():
            spread = f"({min(seconds):.3f}-{max(seconds):.3f})"
            sys.stdout.write(row(what, statistics.median(seconds), spread, limits.get(what)))
        sys.stdout.write(row("logrules.diagnose() in a loop", loop_s(log), "", LOOP_S))


if __name__ == "__main__":
    main()
