"""Processes that are killed take no other with them, and leave none behind."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from logrules.engine.resilient_pool import process_pool
from tests.conftest import until

_PARENT = """
import os, time
from logrules.engine.resilient_pool import process_pool

def begin(_given):
    pass

if __name__ == "__main__":
    with process_pool(2, begin, None, None) as pool:
        tasks = [pool.submit(time.sleep, 600) for _ in range(2)]
        while len(pool._processes) < 2:
            time.sleep(0.01)
        print(*pool._processes, flush=True)
        time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are asked after in /proc")
def test_the_processes_of_one_that_was_killed_end_too(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    ) as parent:
        workers = [int(word) for word in parent.stdout.readline().split()]
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        try:
            until(lambda: not any(map(lives, workers)))
        finally:
            for worker in filter(lives, workers):
                os.kill(worker, signal.SIGKILL)
    assert len(workers) == 2


def prepare(_given: object) -> None:
    pass


def test_work_that_is_broken_off_is_not_waited_for():
    tasks: list[Future[None]] = []

    def interrupted() -> None:
        with process_pool(1, prepare, None, None) as pool:
            tasks.extend(pool.submit(time.sleep, 5) for _ in range(3))
            until(tasks[0].running)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert all(isinstance(task.exception(), BrokenProcessPool) for task in tasks)


def test_what_is_typed_at_the_terminal_is_for_the_first_process():
    with process_pool(1, prepare, None, None) as pool:
        assert pool.submit(signal.raise_signal, signal.SIGINT).exception() is None


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
