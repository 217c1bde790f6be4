"""A watched job's exit status is passed on though whoever is told of it, or reads a report of it, hangs."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shell scripts and named pipes")

_RAISES = "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')"
_JOB = ["--", sys.executable, "-c", _RAISES]


def _watched(folder: Path, *words: str, job: list[str] = _JOB) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "logrules", "watch", "--panel", "off", *words, *job]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def _wait_for(path: Path) -> None:
    for _ in range(2_000):
        if path.exists():
            return
        time.sleep(0.01)
    pytest.fail(f"{path.name} never came")


def test_a_hook_that_hangs_is_left_behind_and_goes_on(tmp_path):
    (tmp_path / "told.sh").write_text("cat > body\nwhile [ ! -e go ]; do sleep 0.05; done\ntouch done\n")
    assert _watched(tmp_path, "--on-diagnosis", "sh told.sh").returncode == 1
    assert not (tmp_path / "done").exists()
    (tmp_path / "go").touch()
    _wait_for(tmp_path / "done")
    assert '"diagnoses"' in (tmp_path / "body").read_text()


def test_a_web_address_that_never_answers_is_left_behind_and_told_all(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert _watched(tmp_path, "--notify", address).returncode == 1
        connection, _ = server.accept()
        with connection:
            connection.settimeout(60)
            assert connection.recv(4) == b"POST"


def test_a_report_into_a_pipe_that_nobody_reads_holds_nothing_up(tmp_path):
    os.mkfifo(tmp_path / "now.json")
    done = _watched(tmp_path, "--report", "now.json")
    assert done.returncode == 1
    assert "now.json: cannot be written" in done.stderr


def test_what_a_job_leaves_behind_holds_nothing_up_and_is_passed_on(tmp_path):
    left = "while [ ! -e go ]; do sleep 0.05; done; echo later; touch done"
    (tmp_path / "job.sh").write_text(f"( {left} ) &\necho begun\nexit 7\n")
    command = [sys.executable, "-m", "logrules", "watch", "--panel", "off", "--", "sh", "job.sh"]
    # A pipe would stay open as long as what was left behind, as it does without us.
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        done = subprocess.run(command, cwd=tmp_path, stdout=out, stderr=err, check=False, timeout=60)
    assert done.returncode == 7
    assert (tmp_path / "out").read_text() == "begun\n"
    (tmp_path / "go").touch()
    _wait_for(tmp_path / "done")
    for _ in range(2_000):
        if (tmp_path / "out").read_text() == "begun\nlater\n":
            break
        time.sleep(0.01)
    assert (tmp_path / "out").read_text() == "begun\nlater\n"
