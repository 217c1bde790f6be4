"""A Ray cluster on this machine whose nodes are processes of their own, each with its own view of one folder."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

STARTS_IN_S = 60.0
# Ports that no other cluster of this machine is likely to have.
_PORT = 26379
_QUIET = {"RAY_DISABLE_IMPORT_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}


class ToyCluster:
    """A head that does no work and nodes of one CPU each, called ``node-0`` and so on. Close it."""

    def __init__(self, folder: Path) -> None:
        self.address = f"127.0.0.1:{_PORT}"
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self.nodes: list[subprocess.Popen[bytes]] = []
        folder.mkdir(parents=True, exist_ok=True)
        head = ["--head", f"--port={_PORT}", "--num-cpus=0", "--include-dashboard=false", "--node-name=head"]
        self._start([*head, f"--temp-dir={folder}"])
        self._wait(1)

    def add_node(self, disk: Path | None = None, mounted_at: Path | None = None) -> None:
        """Start a node; with ``disk`` it alone sees that folder at ``mounted_at`` (which needs root)."""
        name = f"node-{len(self.nodes)}"
        words = [f"--address={self.address}", "--num-cpus=1", f"--node-name={name}", "--object-store-memory=200000000"]
        before: list[str] = []
        if disk is not None:
            mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
            before = [
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                mount,
                "-",
                str(disk),
                str(mounted_at),
            ]
        self.nodes.append(self._start(words, before))
        self._wait(1 + len(self.nodes))

    def kill_node(self, number: int) -> None:
        """End a node and everything on it at once, as a power cut would."""
        os.killpg(self.nodes[number].pid, signal.SIGKILL)
        self.nodes[number].wait()

    def close(self) -> None:
        """End all of it."""
        for child in reversed(self._started):
            if child.poll() is None:
                child.terminate()
        for child in self._started:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)

    def _start(self, words: Sequence[str], before: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
        ray = shutil.which("ray", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert ray is not None, "Ray is not installed: pip install 'logrules[ray]'"
        ports = ["--min-worker-port=0", "--max-worker-port=0", "--node-ip-address=127.0.0.1", "--block"]
        with (self._folder.parent / f"ray-{len(self._started)}.out").open("wb") as out:
            child = subprocess.Popen(
                [*before, ray, "start", *words, *ports],
                stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True, env={**os.environ, **_QUIET},
            )  # fmt: skip
        self._started.append(child)
        return child

    def _wait(self, count: int) -> None:
        """Until so many nodes are up."""
        ask = (
            f"import ray; ray.init('{self.address}', log_to_driver=False, logging_level='ERROR');"
            f" print(sum(node['Alive'] for node in ray.nodes()))"
        )
        until = time.monotonic() + STARTS_IN_S
        while time.monotonic() < until:
            done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False)
            if done.stdout.strip().endswith(str(count)):
                return
            time.sleep(0.5)
        raise TimeoutError(f"no {count} nodes after {STARTS_IN_S:.0f} s: {done.stderr[-500:]}")
