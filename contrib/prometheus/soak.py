"""Scrapes a real `logrules watch` with a real Prometheus, runs every query of the dashboard, and waits for the alerts.

Needs `prometheus` and `promtool` (Debian's package `prometheus`); where `prometheus-node-exporter` is there too, the
text file is collected by it. `make soak-metrics`.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_LIMIT_S = 90.0
# A job that steps, says of what it dies, and then hangs, so that every figure has something to show.
_JOB = """
import sys, time
from datetime import datetime
for step in range(10_000_000):
    print(f"{datetime.now():%Y-%m-%d %H:%M:%S} INFO step {step} loss 0.5", flush=True)
    if step == 20:
        print("[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", flush=True)
    time.sleep(0.2)
"""


def main() -> int:
    """Run it; 0 where every query had an answer and the alert fired."""
    missing = [name for name in ("prometheus", "promtool") if shutil.which(name) is None]
    if missing:
        print(f"soak-metrics: not installed: {', '.join(missing)} (Debian: apt-get install prometheus)")
        return 2
    _run(["promtool", "check", "rules", str(_HERE / "alerts.yaml")])
    _run(["promtool", "test", "rules", str(_HERE / "alerts_test.yaml")])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        return _soak(folder, stack)


def _soak(folder: Path, stack: ExitStack) -> int:
    metrics, web, node = _free_port(), _free_port(), _free_port()
    textfile = "--metrics-textfile" in _help()
    more = ["--metrics-textfile", str(folder / "job.prom")] if textfile else []
    environment = {**os.environ, "LOGRULES_JOB": "soak-1"}
    watch = [sys.executable, "-m", "logrules", "watch", "-q", "--metrics-port", str(metrics), *more, "--"]
    stack.enter_context(_started([*watch, sys.executable, "-c", _JOB], environment))
    targets = {"logrules": metrics}
    if textfile and shutil.which("prometheus-node-exporter"):
        collect = ["--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={folder}"]
        stack.enter_context(
            _started(["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{node}", *collect], environment)
        )
        targets["node"] = node
    config = folder / "prometheus.yml"
    config.write_text(json.dumps(_config(targets)), encoding="utf-8")
    stack.enter_context(
        _started(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{web}",
                "--log.level=error",
            ],
            environment,
        )
    )
    base = f"http://127.0.0.1:{web}"
    queries = [target["expr"] for panel in _dashboard()["panels"] for target in panel["targets"]]
    answers = {query: _answered(base, query.replace("$run", ".*")) for query in queries}
    for job in targets:
        answers[f'logrules_status{{job="{job}"}}'] = _answered(base, f'logrules_status{{job="{job}"}}')
    answers["alert TrainingDiagnosis"] = _answered(base, 'ALERTS{alertname="TrainingDiagnosis",cause="cuda-oom"}')
    for query, count in answers.items():
        print(f"{count:4d} series  {query}")
    return 0 if all(answers.values()) else 1


def _config(targets: dict[str, int]) -> dict[str, Any]:
    return {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(_HERE / "alerts.yaml")],
        "scrape_configs": [
            {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for job, port in targets.items()
        ],
    }


def _dashboard() -> Any:
    return json.loads((_HERE / "dashboard.json").read_text(encoding="utf-8"))


def _answered(base: str, query: str) -> int:
    """How many series a query has, waited for; a query that Prometheus refuses ends the run."""
    until = time.monotonic() + _LIMIT_S
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{base}/api/v1/query?{urllib.parse.urlencode({'query': query})}") as answer:
                found = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as fault:
            sys.exit(f"soak-metrics: {query}: {fault.read().decode()}")
        except OSError:
            found = []
        if found:
            return len(found)
        time.sleep(1.0)
    return 0


def _help() -> str:
    words = [sys.executable, "-m", "logrules", "watch", "--help"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def _run(words: Sequence[str]) -> None:
    if subprocess.run(words, check=False).returncode:
        sys.exit(1)


@contextmanager
def _started(words: Sequence[str], environment: dict[str, str]) -> Iterator[None]:
    child = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
