"""The same report from a Ray cluster, one of whose workers is killed midway: ``python bench/cluster.py``.

Needs the extra `ray`. A cluster of several worker processes is started on this machine and stopped again.
"""

import argparse
import io
import os
import signal
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

from ranks import FAULTS, write_job

from logrules.engine.distributed import read_here, replay_spread
from logrules.model.report import Report
from logrules.output.report_json import render_json
from logrules.ruleset.load import load_pack
from logrules.sources.discover import discover
from logrules.tools.cluster.ray_cluster import read_on_ray

LIMIT_S = 120.0


def told(report: Report) -> bytes:
    """The report as bytes."""
    out = io.StringIO()
    render_json(report, out, "en")
    return out.getvalue().encode()


class Killer(threading.Thread):
    """Kills the first worker that is seen at a task, as a node's out-of-memory killer would."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.killed: int | None = None

    def run(self) -> None:
        """Look until there is one."""
        until = time.monotonic() + LIMIT_S
        while self.killed is None and time.monotonic() < until:
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    if entry.read_bytes().startswith(b"ray::_read"):
                        self.killed = int(entry.parent.name)
                        os.kill(self.killed, signal.SIGKILL)
                        return
                except OSError:
                    continue
            time.sleep(0.01)


def main() -> int:
    """Compare and print; status 1 where the reports differ or nobody could be killed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ranks", type=int, default=48)
    options.add_argument("--megabytes", type=float, default=5.0)
    options.add_argument("--workers", type=int, default=3)
    chosen = options.parse_args()
    try:
        import ray
    except ModuleNotFoundError:
        sys.stdout.write("Ray is not installed: pip install 'logrules[ray]'\n")
        return 0
    pack = load_pack()
    with tempfile.TemporaryDirectory() as name:
        fault = FAULTS["silent in a collective"]
        write_job(Path(name), chosen.ranks, chosen.ranks // 2, fault, 7, int(chosen.megabytes * 1e6))
        began = time.perf_counter()
        here = told(replay_spread(discover([name]).sources, pack, partial(read_here, processes=2)))
        local_s = time.perf_counter() - began
        ray.init(num_cpus=chosen.workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        killer = Killer()
        killer.start()
        began = time.perf_counter()
        there = told(replay_spread(discover([name]).sources, pack, partial(read_on_ray, address=None)))
        ray_s = time.perf_counter() - began
        ray.shutdown()
    same = here == there and killer.killed is not None
    sys.stdout.write(
        f"{chosen.ranks} logs of {chosen.megabytes:g} MB: local {local_s:.1f} s, Ray with {chosen.workers} workers"
        f" {ray_s:.1f} s, worker {'killed midway' if killer.killed else 'NOT KILLED'};"
        f" reports {'the same, byte for byte' if here == there else 'DIFFER'} ({len(here)} bytes)\n"
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
