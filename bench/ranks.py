"""Many ranks: how often the culprit is named, whichever rank and fault it is, and what a thousand logs cost.

``python bench/ranks.py [--ranks 8] [--many 1024] [--megabytes 10]``: jobs are made up, with clocks of hosts up to
5 s apart.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import yaml

from logrules.engine.run import Prepared, prepared, replay_prepared
from logrules.parsing.clean import clean
from logrules.parsing.header import HeaderParser
from logrules.ruleset.load import load_pack
from logrules.ruleset.pack import Pack
from logrules.sources.discover import discover

CAPTURED = Path(__file__).resolve().parent.parent / "fixtures" / "captured"
BEGAN = 1_750_000_000.0
STEP_S = 2.0
STEPS = 30
LIMIT_S = 600.0
MAX_SKEW_S = 5.0
RANKS_A_HOST = 2
TOLD = 0.95
FILLER = (
    "INFO trainer: bucket {} reduced in 0.0123 s, tokens 123456, memory 41.2 GB reserved, queue depth 3, all is well"
)


class RankLog:
    """The log of one rank by its own host's clock."""

    def __init__(self, rank: int, skew_s: float, world: int) -> None:
        self.rank = rank
        self._skew_s = skew_s
        where = f"node-{rank // RANKS_A_HOST}:{100 + rank}:1 [0]"
        self._lines = [f"{where} NCCL INFO ncclCommInitRank comm 0x7f rank {rank} nranks {world} - Init COMPLETE"]

    def say(self, at: float, text: str) -> None:
        """A line of the trainer's logger."""
        self._lines.append(f"{self._clock(at):%Y-%m-%d %H:%M:%S,%f}"[:-3] + f" {text}")

    def say_all(self, at: float, texts: list[str]) -> None:
        """Many lines of the same moment."""
        stamp = f"{self._clock(at):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        if texts:
            self._lines.append(f"{stamp} " + f"\n{stamp} ".join(texts))

    def say_bare(self, at: float, texts: list[str]) -> None:
        """A line of the logger, then lines as a process prints them."""
        self.say(at, "INFO next batch")
        self._lines += texts

    def c10d(self, at: float, text: str) -> None:
        """A line of c10d."""
        stamp = f"{self._clock(at):%m%d %H:%M:%S.%f}000"
        prefix = (
            f"[rank{self.rank}]:[E{stamp} ProcessGroupNCCL.cpp:616] [PG ID 0 PG GUID 0(default_pg) Rank {self.rank}] "
        )
        self._lines.append(prefix + text)

    def caught(self, at: float, seq: int, op: str = "ALLREDUCE", size: int = 4) -> None:
        """The watchdog's report."""
        work = f"SeqNum={seq}, OpType={op}, NumelIn={size}, NumelOut={size}, Timeout(ms)={LIMIT_S * 1000:.0f}"
        ran = "ran for 600010 milliseconds before timing out."
        self.c10d(at, f"Watchdog caught collective operation timeout: WorkNCCL({work}) {ran}")

    def raises(self, at: float, summary: str) -> None:
        """A traceback."""
        for line in ("Traceback (most recent call last):", '  File "/app/train.py", line 12, in step', summary):
            self.say(at, f"[rank{self.rank}]: {line}")

    def text(self) -> str:
        """The whole log."""
        return "\n".join(self._lines) + "\n"

    def _clock(self, at: float) -> datetime:
        return datetime.fromtimestamp(at - self._skew_s, UTC)


Fault = Callable[[RankLog, bool, float, random.Random], None]


def _timeout(**odd: int | str) -> Fault:
    def end(log: RankLog, is_odd: bool, at: float, chance: random.Random) -> None:  # noqa: FBT001
        log.caught(at + LIMIT_S + chance.random(), **{"seq": 91, **(odd if is_odd else {})})  # type: ignore[arg-type]

    return end


def _silent(log: RankLog, is_odd: bool, at: float, chance: random.Random) -> None:  # noqa: FBT001
    if not is_odd:
        log.caught(at + LIMIT_S + chance.random(), 91)


def _idle(log: RankLog, is_odd: bool, at: float, chance: random.Random) -> None:  # noqa: FBT001
    if is_odd:
        log.c10d(at + LIMIT_S + 2, "Last enqueued NCCL work: 90, last completed NCCL work: 90.")
    else:
        log.caught(at + LIMIT_S + chance.random(), 91)


def _raising(summary: str, echo: str) -> Fault:
    """One rank raises; a second later the others lose it."""

    def end(log: RankLog, is_odd: bool, at: float, chance: random.Random) -> None:  # noqa: FBT001
        log.raises(at if is_odd else at + 1.5 + chance.random(), summary if is_odd else echo)

    return end


LOST = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"
FAULTS: dict[str, Fault] = {
    "silent in a collective": _silent,
    "idle, by its own counts": _idle,
    "a collective behind": _timeout(seq=88),
    "a collective ahead": _timeout(seq=95),
    "another operation": _timeout(op="BROADCAST"),
    "another size": _timeout(size=9),
    "out of GPU memory": _raising("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", LOST),
    "an exception": _raising("KeyError: 'input_ids'", LOST),
    "an illegal access": _raising("RuntimeError: CUDA error: an illegal memory access was encountered", LOST),
    "the same error, first": _raising(
        "RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.",
        "RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.",
    ),
    "a full disk": _raising("OSError: [Errno 28] No space left on device", LOST),
}


def write_job(folder: Path, world: int, odd: int, fault: Fault, seed: int, filler_bytes: int = 0) -> None:
    """A log a rank in folders of hosts, one rank at fault."""
    chance = random.Random(seed)
    filler = [FILLER.format(number) for number in range(filler_bytes // STEPS // 130)]
    skews = [chance.uniform(-MAX_SKEW_S, MAX_SKEW_S) if host % 2 else 0.0 for host in range(world)]
    for rank in range(world):
        log = RankLog(rank, skews[rank // RANKS_A_HOST], world)
        for step in range(STEPS):
            at = BEGAN + step * STEP_S
            log.say(at + chance.uniform(0, 0.05), f"INFO step {step} loss 0.5")
            log.say_all(at + 0.1, filler)
        fault(log, rank == odd, BEGAN + STEPS * STEP_S, chance)
        host = folder / f"node-{rank // RANKS_A_HOST}"
        host.mkdir(parents=True, exist_ok=True)
        (host / f"rank-{rank:04}.log").write_text(log.text())


_OF_MANY_RANKS = re.compile(r"local_rank|\[rank\d|\[default\d|world_size|rank[ =:]\d|torchrun|pid=\d", re.IGNORECASE)
# How much of a captured log before its telling line belongs to the failure.
_LEAD_LINES = 25


def lab_faults(pack: Pack) -> Iterator[tuple[str, Fault]]:
    """The failures that the lab captured from one process each, for any rank to print."""
    # A loss that is no number and a cluster without room are everybody's: their rules name no rank on purpose.
    nobodys = {rule.cause for rule in pack.rules} - {rule.cause for rule in pack.rules if rule.culprit != "none"}
    for case in sorted(CAPTURED.glob("*/case.yaml")):
        label = yaml.safe_load(case.read_text(encoding="utf-8"))
        logs = list(case.parent.glob("*.txt"))
        if label.get("kind") != "failure" or label.get("expected_miss") or len(logs) != 1:
            continue
        if label["cause"] in nobodys:
            continue
        text = logs[0].read_text(encoding="utf-8", errors="replace")
        if not _OF_MANY_RANKS.search(text):
            yield case.parent.name, _printing(_failing_part(text, str(label.get("evidence") or ""), pack))


def _failing_part(text: str, evidence: str, pack: Pack) -> list[str]:
    """The lines of a failure without the times and prefixes of the process that they were captured from."""
    lines = [clean(line.encode()) for line in text.splitlines()]
    at = next((number for number, line in enumerate(lines) if evidence and evidence.strip() in line), len(lines) - 1)
    peeler = HeaderParser(pack)
    return [peeler.peel(line).message for line in lines[max(at - _LEAD_LINES, 0) :]]


def _printing(lines: list[str]) -> Fault:
    """One rank prints this and is gone; seconds later the others lose it."""

    def end(log: RankLog, is_odd: bool, at: float, chance: random.Random) -> None:  # noqa: FBT001
        if is_odd:
            log.say_bare(at, lines)
        else:
            log.raises(at + 1.5 + chance.random(), LOST)

    return end


def named(on: Prepared, folder: Path) -> int | None:
    """The rank that the first diagnosis names."""
    report = replay_prepared(on, on.session(), discover([str(folder)]).sources)
    return next(iter(report.diagnoses[0].ranks), None) if report.diagnoses else None


def culprits(on: Prepared, world: int, faults: dict[str, Fault]) -> Iterator[tuple[str, int]]:
    """Each fault with how many of the ranks were named rightly."""
    for place, (name, fault) in enumerate(faults.items()):
        right = 0
        for odd in range(world):
            with tempfile.TemporaryDirectory() as folder:
                write_job(Path(folder), world, odd, fault, 100 * place + odd)
                right += named(on, Path(folder)) == odd
        yield name, right


def shown(words: str) -> float:
    """How long a shell command takes."""
    began = time.perf_counter()
    subprocess.run(words, shell=True, check=True, stdout=subprocess.DEVNULL)  # noqa: S602 (our own words)
    return time.perf_counter() - began


def resident_mb(pid: int) -> float:
    """The memory of a process and of all below it; what they share counts once."""
    try:
        kilobytes = sum(int(line.split()[1]) for line in _lines(f"/proc/{pid}/smaps_rollup") if line.startswith("Pss:"))
        below = " ".join(_lines(f"/proc/{pid}/task/{pid}/children")).split()
    except OSError:
        return 0.0
    return kilobytes / 1024 + sum(resident_mb(int(child)) for child in below)


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="ascii").splitlines()


def diagnosed(folder: Path, cores: int) -> tuple[float, float, list[int]]:
    """Seconds, megabytes at most, and the ranks of the first diagnosis of `logrules diagnose` on so many cores."""
    words = [sys.executable, "-m", "logrules", "diagnose", str(folder), "-j", str(cores), "--format", "json"]
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        job = subprocess.Popen(words, stdout=out)
        os.sched_setaffinity(job.pid, range(cores))
        peak = 0.0
        while job.poll() is None:
            peak = max(peak, resident_mb(job.pid))
            time.sleep(0.05)
        taken = time.perf_counter() - began
        out.seek(0)
        return taken, peak, json.load(out)["diagnoses"][0]["ranks"]


def many(ranks: int, megabytes: float) -> None:
    """What a job of a thousand logs costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_job(folder, ranks, ranks // 2, FAULTS["silent in a collective"], 7, int(megabytes * 1e6))
        files = f"find {folder} -type f -print0 | xargs -0 cat"
        shown(files)
        cat_s, copied_s = shown(files), shown(f"{files} | cat")
        one_s, _, _ = diagnosed(folder, 1)
        two_s, peak_mb, named = diagnosed(folder, 2)
    told = "named" if named[:1] == [ranks // 2] else "MISSED"
    print(f"{ranks} logs of {megabytes:g} MB: culprit {told} in {two_s:.1f} s; {peak_mb:.0f} MB at most (<= 400)")
    print(f"  cat to /dev/null {cat_s:.1f} s (x{two_s / cat_s:.1f}; <= 4)")
    print(f"  cat through a pipe, which copies every byte, {copied_s:.1f} s (x{two_s / copied_s:.1f}; <= 4)")
    print(f"  one core {one_s:.1f} s, two {two_s:.1f} s: x{one_s / two_s:.2f} (>= 1.7)")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--many", type=int, default=1024)
    parser.add_argument("--megabytes", type=float, default=10.0)
    options = parser.parse_args()
    pack = load_pack([], cache=True)
    on = prepared(pack, cache=True)
    faults = FAULTS | dict(lab_faults(pack))
    total = 0
    for name, right in culprits(on, options.ranks, faults):
        total += right
        print(f"{name:44} {right}/{options.ranks}")
    share = total / (len(faults) * options.ranks)
    print(
        f"{len(faults)} faults, culprit named: {share:.3f} (promised {TOLD}: {'met' if share >= TOLD else 'NOT MET'})"
    )
    if options.many:
        many(options.many, options.megabytes)


if __name__ == "__main__":
    main()
