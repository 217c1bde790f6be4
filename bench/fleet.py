"""Many jobs on a Ray cluster that loses a node midway: ``python bench/fleet.py --dir /scratch/x``.

Writes 20,000 jobs (10 GB), scans them on this machine and on a cluster of three nodes, one of which is ended midway,
compares the two, changes a few jobs and scans again. Then logs that lie on the disk of one node only (`--on-node`),
where the system lets a process have its own view of a folder (root on Linux). Needs the extra `ray`.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import job
from generate import log_bytes, size_of
from ranks import FAULTS, write_job
from toy_cluster import ToyCluster

JOBS = 20_000
SIZE = "10G"
NODES = 3
# So many different bodies; jobs differ in kind, name and ending besides.
BODIES = 20
PAIR = 2
RANKS = 8
CHANGED, ADDED = 100, 20
ON_NODE_JOBS = 90
# Of so many jobs three are dense (start-up, steps, a failure), the others pairs of ranks that say little of note.
_KINDS = 16
_OWN = """Traceback (most recent call last):
  File "/app/train.py", line 88, in <module>
    main()
  File "/app/data.py", line {line}, in batch
    return table[key]
KeyError: 'column_{line}'
"""


class Jobs:
    """What jobs are made of: out of memory, healthy, a mistake of its own, two ranks with one at fault."""

    def __init__(self, size: int) -> None:
        whole = [b"".join(log_bytes(size, seed)) for seed in range(BODIES)]
        self._whole = whole
        self._bare = [text[: text.rindex(b"[rank3]: Traceback")] for text in whole]
        self._size = size

    def write(self, folder: Path, number: int) -> None:
        """A job of its own name."""
        body, kind = number // _KINDS % BODIES, number % _KINDS
        if kind > 2:  # noqa: PLR2004 (the dense ones are 0 to 2)
            fault = list(FAULTS.values())[number % len(FAULTS)]
            write_job(folder / f"{number}", PAIR, number % PAIR, fault, number, self._size // PAIR)
            return
        own = _OWN.format(line=number % 40).encode()
        text = (self._whole[body], self._bare[body], self._bare[body] + own)[kind]
        (folder / f"{number}.log").write_bytes(f"job {number}\n".encode() + text)


def scanned(root: Path, history: Path, out: Path, *more: str) -> tuple[float, bytes]:
    """The seconds that `logrules scan` took, and its list."""
    words = [sys.executable, "-m", "logrules", "scan", str(root), "--format", "jsonl", "--history", str(history)]
    began = time.perf_counter()
    done = subprocess.run([*words, "-o", str(out), *more], check=False, stderr=subprocess.PIPE)
    if done.returncode not in {0, 1}:
        sys.exit(done.stderr.decode())
    return time.perf_counter() - began, out.read_bytes()


def kept(history: Path) -> int:
    """How many jobs have been read and kept."""
    try:
        with closing(sqlite3.connect(f"file:{history}?mode=ro", uri=True)) as database:
            return int(database.execute("select count(*) from results").fetchone()[0])
    except sqlite3.Error:
        return 0


class Killer(threading.Thread):
    """Ends a node of the cluster when so many jobs have been read."""

    def __init__(self, cluster: ToyCluster, history: Path, at: int) -> None:
        super().__init__(daemon=True)
        self._cluster, self._history, self._at = cluster, history, at
        self.at = 0

    def run(self) -> None:
        while not self.at:
            count = kept(self._history)
            if count >= self._at:
                self._cluster.kill_node(0)
                self.at = count
            time.sleep(0.5)


@contextmanager
def cluster_in(folder: Path) -> Iterator[ToyCluster]:
    cluster = ToyCluster(folder)
    try:
        yield cluster
    finally:
        cluster.close()


def verdict(here: bytes, there: bytes) -> str:
    return "the same, byte for byte" if here == there else "DIFFERENT"


def bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def many(folder: Path, count: int, size: int) -> Iterator[str]:
    """The lines about many jobs on one machine and on a cluster."""
    runs, began = folder / "runs", time.perf_counter()
    runs.mkdir(exist_ok=True)
    made = Jobs(size // count)
    if not any(runs.iterdir()):
        for number in range(count):
            made.write(runs, number)
    yield f"{count:,} jobs, {bytes_below(runs) / 1e9:.1f} GB, written in {time.perf_counter() - began:.0f} s"
    here_s, here = scanned(runs, folder / "here.sqlite", folder / "here.jsonl")
    yield f"this machine, {os.cpu_count()} processes: {here_s:.0f} s, {len(here.splitlines()):,} jobs"
    with cluster_in(folder / "ray") as cluster:
        for _ in range(NODES):
            cluster.add_node()
        ray = ("--engine", "ray", "--ray-address", cluster.address)
        killer = Killer(cluster, folder / "there.sqlite", count // 2)
        killer.start()
        there_s, there = scanned(runs, folder / "there.sqlite", folder / "there.jsonl", *ray)
        died = f"one killed after {killer.at:,} jobs" if killer.at else "NONE KILLED"
        yield f"Ray, {NODES} nodes of one CPU, {died}: {there_s:.0f} s; the list is {verdict(here, there)}"
        for number in range(0, CHANGED * _KINDS, _KINDS):
            with (runs / f"{number}.log").open("ab") as out:
                out.write(job.ending(number).encode())
        for number in range(count, count + ADDED):
            made.write(runs, number)
        before = kept(folder / "there.sqlite")
        again_s, there = scanned(runs, folder / "there.sqlite", folder / "there.jsonl", *ray)
        read = kept(folder / "there.sqlite") - before
        _, here = scanned(runs, folder / "here.sqlite", folder / "here.jsonl")
        yield (
            f"again, {CHANGED} jobs changed and {ADDED} new: {read} read in {again_s:.0f} s;"
            f" the list is {verdict(here, there)}"
        )


def on_nodes(folder: Path, size: int) -> Iterator[str]:
    """The lines about logs that lie on the disk of one node only."""
    scratch, disks = folder / "scratch", [folder / "disks" / f"node-{number}" for number in range(NODES)]
    scratch.mkdir()
    made = Jobs(size)
    for number in range(ON_NODE_JOBS):
        disk = disks[number % NODES]
        (disk / "runs").mkdir(parents=True, exist_ok=True)
        made.write(disk / "runs", number)
    write_job(folder / "whole", RANKS * NODES, 5, FAULTS["silent in a collective"], 7, size)
    for place, log in enumerate(sorted((folder / "whole").rglob("*.log"))):
        (disks[place % NODES] / "one").mkdir(exist_ok=True)
        log.rename(disks[place % NODES] / "one" / log.name)
    with cluster_in(folder / "ray") as cluster:
        for disk in disks:
            cluster.add_node(disk, scratch)
        ray = ("--engine", "ray", "--on-node", "--ray-address", cluster.address)
        there_s, there = scanned(scratch / "runs", folder / "there2.sqlite", folder / "there2.jsonl", *ray)
        one = diagnosed([str(scratch / "one")], *ray)
    where = (folder / "disks", folder / "here2.sqlite", folder / "here2.jsonl", "--jobs", "*/runs/*")
    here = scanned(*where)[1].replace(b"/runs/", b"/")
    # Here the order is that of the names, there node by node: the same, since nodes are sorted by name.
    yield f"on node: {ON_NODE_JOBS} jobs on {NODES} disks in {there_s:.0f} s; the list is {verdict(here, there)}"
    for disk in disks:
        (disk / "one").rename(folder / "whole" / disk.name)
    yield f"on node: a job of {RANKS * NODES} ranks; the report is {verdict(diagnosed([str(folder / 'whole')]), one)}"
    yield f"here, where the folder is empty: {'nothing there' if not any(scratch.iterdir()) else 'LOGS'}"


def diagnosed(paths: Sequence[str], *more: str) -> bytes:
    """The report as JSON without the paths on disk, which a node's logs do not have."""
    words = [sys.executable, "-m", "logrules", "diagnose", *paths, "--format", "json", *more]
    said = subprocess.run(words, capture_output=True, check=False).stdout
    return b"\n".join(line for line in said.splitlines() if b'"path"' not in line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, required=True, help="an empty folder with room; what is written is removed")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--size", type=size_of, default=size_of(SIZE), help=f"of all jobs together (default: {SIZE})")
    chosen = parser.parse_args()
    chosen.dir.mkdir(parents=True, exist_ok=True)
    if any(chosen.dir.iterdir()):
        sys.exit(f"{chosen.dir}: is not empty")
    try:
        for line in many(chosen.dir, chosen.jobs, chosen.size):
            print(line, flush=True)
        shutil.rmtree(chosen.dir / "runs")
        for line in on_nodes(chosen.dir, chosen.size // chosen.jobs):
            print(line, flush=True)
    finally:
        shutil.rmtree(chosen.dir, ignore_errors=True)


if __name__ == "__main__":
    main()
