"""Processes that are killed take no other with them, and leave none behind."""

import os
import signal
import subprocess
import sys
import threading
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


def test_no_pool_begins_whose_threads_would_be_refused(monkeypatch):
    begun = []

    def start(thread):
        begun.append(thread)
        raise RuntimeError("can't start new thread")

    def tried() -> None:
        with process_pool(1, prepare, None, None) as pool:
            pool.submit(time.sleep, 0)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        tried()
    assert len(begun) == 1


def test_what_is_typed_at_the_terminal_is_for_the_first_process():
    with process_pool(1, prepare, None, None) as pool:
        assert pool.submit(signal.raise_signal, signal.SIGINT).exception() is None


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a signal ends a process without a word")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_takes_what_it_put_aside_with_it(tmp_path, number):
    logs, aside = tmp_path / "logs", tmp_path / "aside"
    logs.mkdir()
    aside.mkdir()
    for rank in range(16):
        lines = "".join(f"2026-03-01 10:00:00,000 ERROR [rank{rank}]: item {n}: OSError: lost\n" for n in range(20_000))
        (logs / f"rank{rank}.log").write_text(lines)
    words = [sys.executable, "-m", "logrules", "diagnose", str(logs), "-j", "2"]
    # What runs in the background of a script ignores it, and so does what that starts.
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(aside)}) as process:
        signal.signal(signal.SIGINT, ours)
        # One log was read: while processes are forked, Python may swallow what a signal raises.
        until(lambda: any(path.stat().st_size for path in aside.rglob("events")))
        process.send_signal(number)
    assert process.returncode == (-number if number == signal.SIGTERM else 130)
    assert not list(aside.iterdir())


def test_what_is_typed_in_the_last_moments_is_no_traceback():
    words = "import logrules.__main__ as command\ndef main(): raise KeyboardInterrupt\ncommand.main = main\n"
    ran = subprocess.run(
        [sys.executable, "-c", f"{words}raise SystemExit(command.command())"], capture_output=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (130, b"")


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
