"""The promises on speed and size, measured side by side: ``python bench/run.py [--runs 5] [--sizes 100M 1G]``.

Prints one table and exits with 0 whatever it finds: a slow machine is no failure.
"""

import argparse
import hashlib
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from generate import size_of, write_log
from measure import Command, Run, Series, side_by_side
from real_lines import CORPUS, write_real_log
from subset import checkout_with_some_rules

HERE = Path(__file__).resolve().parent
SEED = 7
PEAK_LIMIT_BYTES = 150_000_000
START_LIMIT_S = 0.25
RG_RATIO = 2
REAL_RG_RATIO = 1.5
REAL_RG_RATIO_ALONE = 0.8
RE_RATIO = 100
RE_SAMPLE_BYTES = 10_000_000
RE_SAMPLE_S = 60
CUTS = ((4096, 1), (65_536, 2), (1 << 20, 1), (1 << 20, 2), (1 << 20, 4), (3_333_333, 3))


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; ``met`` is None where nothing was promised or nothing could be measured."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None


def diagnose(log: Path, *flags: str, root: Path = HERE.parent) -> Command:
    """The command of a checkout; status 1 says that something is wrong with the job, as there is."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    words = [sys.executable, "-m", "logrules", "diagnose", "--format", "json", *flags, str(log)]
    return Command(words, frozenset({0, 1}), environment)


def throughput_rows(log: Path, literals: Path | None, rounds: int) -> Iterator[Row]:
    """The command and ripgrep on one log, in turn."""
    size = log.stat().st_size
    commands = {
        f"logrules, {log.name}": diagnose(log),
        f"logrules --threads 1, {log.name}": diagnose(log, "--threads", "1"),
    }
    if literals and shutil.which("rg"):
        commands[f"rg -c -F -f, {log.name}"] = Command(
            ["rg", "-c", "-F", "-f", str(literals), str(log)], frozenset({0, 1})
        )
    series = side_by_side(commands, rounds)
    yield from (Row(name, described(one, size)) for name, one in series.items())
    ours, *_, last = series.values()
    if f"rg -c -F -f, {log.name}" in series:
        yield ratio_row(f"logrules against rg, {log.name}", ours, last, RG_RATIO)
    else:
        yield Row(f"logrules against rg, {log.name}", "skipped: rg is not installed, or the rules did not load")
    if ours.failure() is None:
        peak = ours.peak_bytes
        yield Row(f"peak memory, {log.name}", f"{peak / 1e6:.0f} MB", "<= 150 MB", peak <= PEAK_LIMIT_BYTES)


def some_rules_row(log: Path, folder: Path, rounds: int) -> Row:
    """The command with some of the rules against ripgrep with their literals."""
    root = checkout_with_some_rules(folder)
    literals = scanned_literals(folder, root)
    if literals is None or not shutil.which("rg"):
        return Row("against rg with some of the rules", "skipped: rg is not installed, or the rules did not load")
    count = len(literals.read_bytes().splitlines())
    what = f"logrules against rg, {count} literals, {log.name}"
    rg = Command(["rg", "-c", "-F", "-f", str(literals), str(log)], frozenset({0, 1}))
    series = side_by_side({"logrules, some rules": diagnose(log, root=root), "rg, their literals": rg}, rounds)
    ours, theirs = series.values()
    return ratio_row(what, ours, theirs, RG_RATIO)


def real_rows(folder: Path, size: str, literals: Path, rounds: int) -> Iterator[Row]:
    """The command and ripgrep on real lines, in turn: a third of these lines holds a literal."""
    log = folder / f"{size}-real.log"
    if not log.exists():
        sys.stderr.write(f"\r\x1b[Kwriting {log.name}")
        sys.stderr.flush()
        write_real_log(log, size_of(size), SEED)
    words = ["rg", "-c", "-F", "-f", str(literals), str(log)]
    commands = {
        "ours": diagnose(log),
        "ours, 1 thread": diagnose(log, "--threads", "1"),
        "rg": Command(words, frozenset({0, 1})),
    }
    series = side_by_side(commands, rounds)
    for name, what in (("ours", f"logrules, {log.name}"), ("ours, 1 thread", f"logrules --threads 1, {log.name}")):
        yield Row(what, described(series[name], log.stat().st_size), f"<= {PEAK_LIMIT_BYTES // 10**6} MB peak",
                  series[name].peak_bytes <= PEAK_LIMIT_BYTES)  # fmt: skip
    yield Row(f"rg -c -F -f, {log.name}", described(series["rg"], log.stat().st_size))
    yield ratio_row(f"logrules against rg, {log.name}", series["ours"], series["rg"], REAL_RG_RATIO)
    yield ratio_row(
        f"logrules --threads 1 against rg, {log.name}", series["ours, 1 thread"], series["rg"], REAL_RG_RATIO_ALONE
    )


def described(series: Series, size: int) -> str:
    """Throughput, wall time and memory of a series, or why there is none."""
    if failure := series.failure():
        return f"failed, {failure}"
    rate = size / series.median_s / 1e6
    return f"{rate:8.0f} MB/s  {series.median_s:7.2f} s ({series.spread})  {series.peak_bytes / 1e6:4.0f} MB peak"


def ratio_row(what: str, ours: Series, theirs: Series, target: float) -> Row:
    """How many times as fast as theirs ours is."""
    if ours.failure() or theirs.failure():
        return Row(what, "not measured", f">= {target}x")
    ratio = theirs.median_s / ours.median_s
    return Row(what, f"{ratio:.1f}x", f">= {target}x", ratio >= target)


def loop_row(log: Path, rounds: int) -> Row:
    """The loop over lines and patterns, on a sample: all of a big log would take hours."""
    what = f"logrules against a loop of re, {log.name}"
    words = [sys.executable, str(HERE / "reloop.py"), str(log), str(RE_SAMPLE_BYTES), str(RE_SAMPLE_S)]
    sys.stderr.write(f"\r\x1b[Kloop of re: at most {RE_SAMPLE_S} s")
    sys.stderr.flush()
    loop = Command(words).output()
    ours = side_by_side({"logrules": diagnose(log)}, rounds)["logrules"]
    if loop is None or ours.failure():
        return Row(what, "not measured", f">= {RE_RATIO}x")
    seen, taken_s = (float(word) for word in loop.split())
    ratio = (log.stat().st_size / ours.median_s) / (seen / taken_s)
    measured = f"{ratio:.0f}x ({seen / taken_s / 1e6:.2f} MB/s on the first {seen / 1e6:.1f} MB, scaled)"
    return Row(what, measured, f">= {RE_RATIO}x", ratio >= RE_RATIO)


def hundred_lines(log: Path) -> bytes:
    """Sixty lines of start-up and the forty last, read without the rest: our own memory counts into our children's."""
    with log.open("rb") as file:
        head = b"".join(file.readline() for _ in range(60))
        file.seek(-100_000, os.SEEK_END)
        return head + b"".join(file.read().splitlines(keepends=True)[-40:])


def start_rows(log: Path, folder: Path, rounds: int) -> Iterator[Row]:
    """The whole of a process on 100 lines, beside a Python that does nothing."""
    short = folder / "100-lines.log"
    short.write_bytes(hundred_lines(log))
    empty = Command([sys.executable, "-c", "pass"])
    series = side_by_side({"start": diagnose(short), "python -c pass": empty}, max(rounds, 10))
    ours, bare = series.values()
    yield Row("python -c pass", f"{bare.median_s:.3f} s ({bare.spread})")
    if failure := ours.failure():
        yield Row("logrules on 100 lines", f"failed, {failure}")
        return
    measured = f"{ours.median_s:.3f} s ({ours.spread})"
    yield Row("logrules on 100 lines", measured, f"<= {START_LIMIT_S} s", ours.median_s <= START_LIMIT_S)


def checkout_digest() -> str:
    """What the code and the rules are at this moment: somebody may be at work on them."""
    seen = hashlib.sha256()
    for folder in ("logrules", "rules"):
        for path in sorted((HERE.parent / folder).rglob("*")):
            if path.suffix in {".py", ".yaml", ".yml"}:
                seen.update(str(path).encode() + path.read_bytes())
    return seen.hexdigest()


def same_report_row(log: Path) -> Row:
    """The report for several sizes of block and numbers of threads, compared byte by byte."""
    what = f"same report for {len(CUTS)} cuts and threads, {log.name}"
    cuts = {
        f"{block_bytes} bytes, {threads} threads": diagnose(
            log, "--block-bytes", str(block_bytes), "--threads", str(threads)
        )
        for block_bytes, threads in CUTS
    }
    before = checkout_digest()
    runs: dict[str, Run] = {}
    for name, command in cuts.items():
        sys.stderr.write(f"\r\x1b[Ksame report: {name}")
        sys.stderr.flush()
        runs[name] = command.run()
        if runs[name].status not in command.fine:
            return Row(what, f"failed, {name}: {runs[name].errors.strip()[-120:]}", "identical")
    if checkout_digest() != before:
        return Row(what, "not measured: the code or the rules changed meanwhile", "identical")
    digests = statistics.multimode(run.output_digest for run in runs.values())
    odd = [name for name, run in runs.items() if run.output_digest != digests[0]]
    return Row(what, f"different for {'; '.join(odd)}" if odd else "identical", "identical", not odd)


def scanned_literals(folder: Path, root: Path = HERE.parent) -> Path | None:
    """The literals of a checkout's rules in a file for ripgrep."""
    printed = Command([sys.executable, str(root / "bench" / "literals.py")]).output()
    if printed is None:
        return None
    path = folder / f"literals-of-{root.name}.txt"
    path.write_bytes(printed)
    return path


def rows(folder: Path, sizes: Sequence[str], rounds: int) -> Iterator[Row]:
    """Every row, from the smallest log to the largest."""
    literals = scanned_literals(folder)
    logs = []
    for size in sorted(sizes, key=size_of):
        log = folder / f"{size}.log"
        if not log.exists():
            sys.stderr.write(f"\r\x1b[Kwriting {log.name}")
            sys.stderr.flush()
            write_log(log, size_of(size), SEED)
        logs.append(log)
        yield from throughput_rows(log, literals, rounds)
    if CORPUS.is_dir() and literals and shutil.which("rg"):
        yield from real_rows(folder, max(sizes, key=size_of), literals, rounds)
    yield some_rules_row(logs[-1], folder, rounds)
    yield loop_row(logs[-1], rounds)
    yield from start_rows(logs[0], folder, rounds)
    yield same_report_row(logs[0])
    if literals:
        yield Row("literals scanned for", str(len(literals.read_bytes().splitlines())))


def printed(row: Row, width: int) -> str:
    """The row as a line."""
    verdict = {True: "met", False: "NOT MET", None: ""}[row.met]
    target = f"  [{row.target}{': ' if verdict else ''}{verdict}]" if row.target else ""
    return f"{row.what:{width}}  {row.measured}{target}\n"


def main() -> int:
    """Read the command line, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5, help="runs of each command after a warm-up (default: 5)")
    options.add_argument("--sizes", nargs="+", default=["100M", "1G"], help="sizes of the logs (default: 100M 1G)")
    options.add_argument("--dir", type=Path, help="keep the logs here for the next time (default: a temporary folder)")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.dir or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        table = list(rows(folder, chosen.sizes, chosen.runs))
    sys.stderr.write("\r\x1b[K")
    width = max(len(row.what) for row in table)
    machine = f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
    sys.stdout.write(f"medians of {chosen.runs} runs, warm page cache; {machine}\n")
    sys.stdout.writelines(printed(row, width) for row in table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
