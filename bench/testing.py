"""How long `logrules test` takes: ``python bench/testing.py``. Cold is a first run, its cache folder empty."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALL_S = 3.0
CHANGED_S = 0.5
MUTATE_S = 120.0
RUNS = 5
_EDITED = Path("rules") / "nccl" / "p2p-nvlink.yaml"


def seconds(words: list[str], cache: str, folder: Path = ROOT) -> float:
    """The wall clock of one `logrules test`; a failed test is no matter here, an unusable rule is."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "LOGRULES_CACHE_DIR": cache}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "logrules", "test", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    taken = time.perf_counter() - begun
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stderr.decode(errors="replace"))
    return taken


def cold() -> float:
    """All tests with nothing cached."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds([], cache)


def changed(folder: Path, cache: str) -> float:
    """One edited rule in a repository whose rules were tested before."""
    rule = folder / _EDITED
    rule.write_text(rule.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    return seconds(["--changed"], cache, folder)


def repository(folder: Path) -> Path:
    """A checkout of its own, so that an edit harms nobody."""
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(folder)], check=True, capture_output=True)
    return folder


def row(what: str, taken: list[float], limit_s: float) -> str:
    """A line of the table."""
    median = statistics.median(taken)
    return f"{what:44} {median:6.2f} s  [<= {limit_s:g} s: {'met' if median <= limit_s else 'NOT MET'}]\n"


def main() -> int:
    """Measure and print."""
    write = sys.stdout.write
    write(row("logrules test, all that is shipped, cold", [cold() for _ in range(RUNS)], ALL_S))
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        seconds([], cache)
        write(row("the same once more", [seconds([], cache) for _ in range(RUNS)], ALL_S))
        write(row("logrules test --mutate", [seconds(["--mutate"], cache)], MUTATE_S))
        work = repository(Path(folder) / "work")
        seconds([], cache, work)
        write(row("logrules test --changed, one rule", [changed(work, cache) for _ in range(RUNS)], CHANGED_S))
    return 0


if __name__ == "__main__":
    sys.exit(main())
