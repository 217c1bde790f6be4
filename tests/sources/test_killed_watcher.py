"""A watched job outlives a watcher that is killed: it keeps writing, and ends by itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals that cannot be caught are a matter of POSIX")

# Writes more than a pipe holds, so that a job whose reader is gone would block or be ended, and then a file.
_JOB = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
print("step 1 loss 2.0", flush=True)
(folder / "started").touch()
while not (folder / "killed").exists():
    time.sleep(0.01)
for step in range(2, 4_000):
    print(f"step {step} loss 2.0 " + 60 * "x", flush=True)
    print(f"warning {step}", file=sys.stderr, flush=True)
(folder / "ending").write_text(str(step))
(folder / "ending").rename(folder / "ended")
sys.exit(7)
"""


def _wait_for(path: Path) -> str:
    for _ in range(2_000):
        if path.exists():
            time.sleep(0.01)
            return path.read_text()
        time.sleep(0.01)
    pytest.fail(f"{path.name} never came")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("more", [[], ["--pty"], ["--quiet"]], ids=["pipes", "pty", "quiet"])
def test_a_job_goes_on_when_its_watcher_is_killed(tmp_path, more):
    words = [sys.executable, "-m", "logrules", "watch", "--panel", "off", *more, "--", sys.executable, "-c", _JOB]
    # To files: a pipe that nobody reads holds its writer up, with us or without us.
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        watcher = subprocess.Popen([*words, str(tmp_path)], stdout=out, stderr=err)
        _wait_for(tmp_path / "started")
        watcher.send_signal(signal.SIGKILL)
        assert watcher.wait() == -signal.SIGKILL
    (tmp_path / "killed").touch()
    assert _wait_for(tmp_path / "ended") == "3999"
