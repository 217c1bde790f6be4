"""How long `logrules test` and `logrules check` take: ``python bench/testing.py``. Cold is an empty cache folder."""

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


def seconds(words: list[str], cache: str, folder: Path = ROOT, verb: str = "test") -> float:
    """The wall clock of one run; a failed test is no matter here, an unusable rule is."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "LOGRULES_CACHE_DIR": cache}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "logrules", verb, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    taken = time.perf_counter() - begun
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stderr.decode(errors="replace"))
    return taken


def cold(verb: str) -> float:
    """All that is shipped with nothing cached."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds([], cache, verb=verb)


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
    for verb in ("test", "check"):
        write(row(f"logrules {verb}, all that is shipped, cold", [cold(verb) for _ in range(RUNS)], ALL_S))
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        seconds([], cache)
        write(row("the same once more", [seconds([], cache) for _ in range(RUNS)], ALL_S))
        write(row("logrules test --mutate", [seconds(["--mutate"], cache)], MUTATE_S))
        work = repository(Path(folder) / "work")
        seconds([], cache, work)
        write(row("logrules test --changed, one rule", [changed(work, cache) for _ in range(RUNS)], CHANGED_S))
        one = [seconds([str(_EDITED)], cache, work, "check") for _ in range(RUNS)]
        write(row("logrules check, one rule", one, ALL_S))
    return 0


if __name__ == "__main__":
    sys.exit(main())
