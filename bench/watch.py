"""What watching costs, for real: ``python bench/watch.py [--seconds 60] [--bytes 2000000000] [--only latency ...]``.

latency: 50,000 lines/s into ``logrules watch``, among them lines that are diagnosed for the first time, each bearing
no other mark than its text; the time from its write to the line of the diagnosis on our side, and the CPU time.
pass-through: bytes through ``logrules watch -- cmd`` against ``cmd | cat``, in turn, with a checksum.
rate: what jobs that write all the time can write through us and through ``cat``, start-up left out.
memory: a day of 64 interleaved workers, replayed. idle: a log in which nothing happens.
"""

import argparse
import hashlib
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import IO, cast

from generate import size_of, write_log

HERE = Path(__file__).resolve().parent
LINES_PER_S = 50_000
TICKS_PER_S = 100
# A probe in every so many writes.
PROBE_TICKS = 50
FIRST_PROBE = 1000
READY_LIMIT_S = 60
# What is not shown so long after the last line was written will not be.
LATE_LIMIT_S = 60
LATENCY_LIMIT_MS = 50
BUSY_LIMIT = 0.5
RATE_LIMIT = 0.9
PEAK_LIMIT_BYTES = 120_000_000
IDLE_LIMIT = 0.01
WORKERS = 64
DAY_S = 86_400
PAUSE_S = 20
# A trainer's every-day lines; a few per cent are what rules sample.
FILLER = (
    "2026-03-01 10:00:00,000 - INFO - worker {n} fetched shard {n} of the training split from the cache in 12 ms\n",
    "(WorkerDict pid={n}) gathered 128 samples, queue length 17, prefetch 4, 3.1 MB waiting in the pinned buffer\n",
    "[rank3]: forward 41.2 ms backward 83.0 ms optimizer 9.7 ms, tokens in flight {n}, bucket 25 MB, overlap 0.93\n",
)
STEP = "{{'loss': 0.5{n}, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}}\n"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; ``met`` is None where nothing was promised."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None


def watch(*words: str) -> list[str]:
    """The command of this checkout."""
    return [sys.executable, "-m", "logrules", "watch", *words]


def environment() -> dict[str, str]:
    """Ours, with this checkout in front."""
    return {**os.environ, "PYTHONPATH": str(HERE.parent)}


def cpu_s(pid: int) -> float:
    """The CPU time that a process has used, in seconds; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_bytes(pid: int) -> int:
    """The largest resident size so far; Linux only."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def write_probes(folder: Path, count: int) -> None:
    """Rules beside the shipped ones, each with a literal of its own, so that each is news."""
    rule = """cause: probe-{n}
title: Probe {n} was seen
why: The benchmark wrote it.
signals:
  it: {{contains: ["PROBE-{n} went off"]}}
cleared_by: nothing
fixes: [{{do: Nothing}}]
references: ['https://example.org']
examples: {{fires: "PROBE-{n} went off", silent: "PROBE-{n} is armed"}}
"""
    (folder / "probe").mkdir(parents=True)
    causes = "".join(
        f"  - {{id: probe-{n}, family: more-of-the-environment, tier: hardware, title: Probe, about: A probe., "
        "phase: train_step}\n"
        for n in range(FIRST_PROBE, FIRST_PROBE + count)
    )
    (folder / "causes.yaml").write_text(f"causes:\n{causes}", encoding="utf-8")
    for n in range(FIRST_PROBE, FIRST_PROBE + count):
        (folder / "probe" / f"n{n}.yaml").write_text(rule.format(n=n), encoding="utf-8")


def probe_line(number: int) -> bytes:
    """The line that the rule of this number is for."""
    return f"PROBE-{number} went off\n".encode()


def write_lines(write: Callable[[bytes], object], seconds: float, every: int) -> dict[int, float]:
    """Fifty thousand lines a second for so long, a probe in every so many pieces; when each probe was written."""
    sent: dict[int, float] = {}
    count = LINES_PER_S // TICKS_PER_S
    bulk = "".join(
        STEP.format(n=n % 97) if n % 25 == 0 else FILLER[n % len(FILLER)].format(n=n % 8) for n in range(count)
    ).encode()
    start = time.monotonic()
    for tick in range(int(seconds * TICKS_PER_S)):
        time.sleep(max(0.0, start + tick / TICKS_PER_S - time.monotonic()))
        probe = b""
        if tick % every == every // 2:
            number = FIRST_PROBE + 1 + len(sent)
            probe = probe_line(number)
            sent[number] = time.monotonic()
        write(bulk + probe)
    return sent


def read_probes(stream: IO[bytes], seen: dict[int, float]) -> None:
    """When each probe was told of first."""
    for line in stream:
        if b"Probe " in line and (number := int(line.split(b"Probe ")[1].split()[0])) not in seen:
            seen[number] = time.monotonic()


def latency_rows(seconds: float, folder: Path) -> Iterator[Row]:
    """Through a pipe, as ``job | logrules watch``, and through a file that is followed."""
    write_probes(folder / "probes", int(seconds * TICKS_PER_S) // PROBE_TICKS + 2)
    yield from written_to(None, seconds, folder)
    yield from written_to(folder / "followed.log", seconds, folder)


def written_to(log: Path | None, seconds: float, folder: Path) -> Iterator[Row]:
    """From the write of a line to the line that names it; into ``log``, or into a pipe."""
    words = watch("--quiet", "--rules", str(folder / "probes"), *([] if log is None else [str(log)]))
    seen: dict[int, float] = {}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as child:
        reader = Thread(target=read_probes, args=(child.stdout, seen))
        reader.start()
        with cast("IO[bytes]", child.stdin) if log is None else log.open("wb") as into:
            into.write(probe_line(FIRST_PROBE))
            into.flush()
            until = time.monotonic() + READY_LIMIT_S
            while FIRST_PROBE not in seen and time.monotonic() < until:  # the rules are compiled once
                time.sleep(0.1)
            before, began = cpu_s(child.pid), time.monotonic()
            sent = write_lines(lambda data: (into.write(data), into.flush()), seconds, PROBE_TICKS)
            written_s = time.monotonic() - began
            busy, peak = (cpu_s(child.pid) - before) / written_s, peak_bytes(child.pid)
            until = time.monotonic() + LATE_LIMIT_S
            while len(seen) <= len(sent) and time.monotonic() < until:  # what is late is not lost
                time.sleep(0.1)
        if log is not None:
            child.terminate()
        reader.join()
    late = sorted((seen[n] - at) * 1000 for n, at in sent.items() if n in seen)
    how = "a pipe" if log is None else "a file"
    if len(late) < len(sent):
        yield Row(f"lines never shown, {how}", f"{len(sent) - len(late)} of {len(sent)}", "none", met=False)
    if late:
        worst = late[min(len(late) - 1, int(len(late) * 0.99))]
        rate = f"{LINES_PER_S * seconds / written_s:,.0f} lines/s for {seconds:.0f} s"
        text = f"p50 {statistics.median(late):.0f} ms, p99 {worst:.0f} ms, {len(late)} lines among {rate}"
        yield Row(f"line to diagnosis, {how}", text, f"p99 <= {LATENCY_LIMIT_MS} ms", worst <= LATENCY_LIMIT_MS)
    text = f"{busy:.0%}, {peak / 1e6:.0f} MB peak"
    yield Row(f"core busy meanwhile, {how}", text, f"<= {BUSY_LIMIT:.0%}", busy <= BUSY_LIMIT)


def passed(words: Sequence[str]) -> tuple[float, str]:
    """Seconds until the last byte of the output, and its checksum."""
    digest = hashlib.blake2b()
    start = last = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as child:
        out = cast("IO[bytes]", child.stdout).fileno()
        while data := os.read(out, 1 << 20):
            # The report comes after it: that is no time that the job had to wait.
            last = time.perf_counter()
            digest.update(data)
    return last - start, digest.hexdigest()


def passing_rows(size: int, rounds: int, folder: Path) -> Iterator[Row]:
    """Bytes of a log through us and through ``cat``; the reader is the same, and computes the checksum."""
    log = folder / "to-pass.log"
    write_log(log, min(size, 200_000_000), seed=7)
    times = size // log.stat().st_size or 1
    source = f"for i in $(seq {times}); do cat {log}; done"
    ours, theirs, sums = [], [], set()
    for _ in range(rounds):
        for words, into in ((watch("--", "sh", "-c", source), ours), (["sh", "-c", f"({source}) | cat"], theirs)):
            taken_s, digest = passed(words)
            into.append(taken_s)
            sums.add(digest)
    passed_bytes = times * log.stat().st_size
    ratio = statistics.median(theirs) / statistics.median(ours)
    rate = passed_bytes / statistics.median(ours) / 1e6
    text = f"{ratio:.2f}x ({passed_bytes / 1e9:.1f} GB at {rate:,.0f} MB/s, start-up included)"
    yield Row("watch -- cmd against cmd | cat", text, f">= {RATE_LIMIT}x", ratio >= RATE_LIMIT)
    yield Row("its bytes", "identical" if len(sums) == 1 else "DIFFERENT", "identical", len(sums) == 1)


# Jobs that write all the time, for as long as they are read: lines of Python, and bytes as fast as they are taken.
PRINTING = """
n = 0
while True:
    n += 1
    print(f"2026-03-01 10:00:00,000 - INFO - worker {n % 8} fetched shard {n} of the training split in 12 ms")
"""
JOBS = {"lines that Python prints": [sys.executable, "-c", PRINTING], "bytes as fast as can be": ["yes"]}


def flowing(words: Sequence[str], seconds: float) -> tuple[float, float]:
    """Bytes and lines a second of a command that never ends, once it runs."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as child:
        out = cast("IO[bytes]", child.stdout).fileno()
        os.read(out, 1)
        start = time.perf_counter()
        while time.perf_counter() - start < 1:
            os.read(out, 1 << 20)
        size, sample = 0, b""
        start = time.perf_counter()
        while (taken_s := time.perf_counter() - start) < seconds:
            sample = os.read(out, 1 << 20)
            size += len(sample)
        child.terminate()
        cast("IO[bytes]", child.stdout).close()
    return size / taken_s, size / taken_s * sample.count(b"\n") / len(sample)


def rate_rows(seconds: float, rounds: int) -> Iterator[Row]:
    """What a job can write through us and through ``cat``, in turn; pair by pair, start-up left out."""
    for what, job in JOBS.items():
        pairs = [
            (flowing(watch("--", *job), seconds), flowing(["sh", "-c", f"{shlex.join(job)} | cat"], seconds))
            for _ in range(rounds)
        ]
        ratio = statistics.median(ours[0] / theirs[0] for ours, theirs in pairs)
        size, lines = (statistics.median(ours[at] for ours, _ in pairs) for at in (0, 1))
        text = f"{ratio:.2f}x ({size / 1e6:,.0f} MB/s, {lines:,.0f} lines/s)"
        yield Row(f"{what}, against | cat", text, f">= {RATE_LIMIT}x", ratio >= RATE_LIMIT)


def write_day(path: Path) -> int:
    """A day of 64 workers in one log, a line each every twenty seconds; how many lines."""
    begin = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    count = 0
    with path.open("w", encoding="utf-8") as out:
        for second in range(0, DAY_S, PAUSE_S):
            for rank in range(WORKERS):
                at = f"{datetime.fromtimestamp(begin + second + rank / 10, UTC):%Y-%m-%d %H:%M:%S,%f}"[:-3]
                step = second // PAUSE_S
                text = f"{{'loss': {2 - step / 5000:.4f}, 'grad_norm': 1.{rank}, 'epoch': {step / 4320:.3f}}}"
                out.write(f"[rank{rank}]: {at} - INFO - trainer - step {step} {text}\n")
                count += 1
    return count


def memory_row(folder: Path) -> Row:
    """A replayed day, without sleeping: the peak, and the growth over the last three quarters."""
    log = folder / "day.log"
    count = write_day(log)
    sizes: list[int] = []
    with subprocess.Popen(
        watch("--replay", "max", str(log)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    ) as child:
        while child.poll() is None:
            try:
                status = Path(f"/proc/{child.pid}/status").read_text()
                sizes.append(int(status.split("VmRSS:")[1].split()[0]) * 1024)
            except (OSError, IndexError):
                break
            time.sleep(0.25)
    sizes = sizes[:-1] or [0]
    quarter = sizes[len(sizes) // 4]
    text = f"{max(sizes) / 1e6:.0f} MB, {(sizes[-1] - quarter) / 1e6:+.1f} MB since its first quarter ({count:,} lines)"
    return Row(f"memory over a replayed day of {WORKERS} workers", text, "<= 120 MB", max(sizes) <= PEAK_LIMIT_BYTES)


def idle_rows(seconds: float, folder: Path) -> Iterator[Row]:
    """A followed file and a command in which nothing happens."""
    log = folder / "idle.log"
    log.write_text("2026-03-01 10:00:00,000 - INFO - Initializing process group\n", encoding="utf-8")
    for what, words in (("a followed file", watch(str(log))), ("a silent command", watch("--", "sleep", "1000"))):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()) as child:
            time.sleep(4)
            before, began = cpu_s(child.pid), time.monotonic()
            time.sleep(seconds)
            busy = (cpu_s(child.pid) - before) / (time.monotonic() - began)
            child.terminate()
        yield Row(f"idle, {what}", f"{busy:.2%} of a core", f"< {IDLE_LIMIT:.0%}", busy < IDLE_LIMIT)


def rows(folder: Path, seconds: float, size: int, only: Sequence[str]) -> Iterator[Row]:
    """Every row that was asked for."""
    if "latency" in only:
        yield from latency_rows(seconds, folder)
    if "passing" in only:
        yield from passing_rows(size, 3, folder)
    if "rate" in only:
        yield from rate_rows(2.0, 5)
    if "memory" in only:
        yield memory_row(folder)
    if "idle" in only:
        yield from idle_rows(max(5.0, seconds / 4), folder)


KINDS = ("latency", "passing", "rate", "memory", "idle")


def main() -> int:
    """Read the command line, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60.0, help="how long to write lines (default: 60)")
    options.add_argument("--bytes", type=size_of, default=2_000_000_000, help="how much to pass through (default: 2G)")
    options.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    chosen = options.parse_args()
    if not sys.platform.startswith("linux"):
        sys.stdout.write("watching is measured on Linux only\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), chosen.seconds, chosen.bytes, chosen.only):
            verdict = {True: "met", False: "NOT MET", None: ""}[row.met]
            sys.stdout.write(f"{row.what:50}  {row.measured}  [{row.target}: {verdict}]\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
