"""What a command says: as much as is kept, within its time, whatever it does."""

import os
import subprocess
import sys
from threading import Thread

import pytest

from logrules.tools.command_output import MAX_OUTPUT_BYTES, CommandOutput, output_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the fakes are shell commands")

# In a process of its own, whose memory can be asked for.
_FLOODED = f"""
import os, resource
from logrules.tools.command_output import output_of
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
said = output_of(("head", "-c", "{128 << 20}", "/dev/zero"), 60, os.environ)
print(said.status, len(said.text), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_of_a_flood_the_beginning_is_kept_and_the_rest_takes_no_memory():
    done = subprocess.run([sys.executable, "-c", _FLOODED], capture_output=True, text=True, check=True)
    status, kept, grown = (int(word) for word in done.stdout.split())
    assert (status, kept) == (0, MAX_OUTPUT_BYTES)
    assert grown * (1 if sys.platform == "darwin" else 1024) < 32 << 20


def test_what_does_not_end_in_its_time_is_ended_with_what_it_started():
    assert output_of(("sh", "-c", "sleep 1000 & sleep 1000"), 0.2, os.environ) == CommandOutput()
    assert output_of(("yes",), 0.2, os.environ) == CommandOutput()


def test_where_no_thread_can_be_had_a_command_is_ended(monkeypatch):
    def none_left(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", none_left)
    assert output_of(("sh", "-c", "sleep 1000 & sleep 1000"), 60, os.environ) == CommandOutput()


def test_what_closes_its_output_is_still_waited_for():
    assert output_of(("sh", "-c", "echo a; exec >&- 2>&-; sleep 0.1; exit 3"), 60, os.environ) == CommandOutput(
        "a\n", 3
    )
    assert output_of(("sh", "-c", "exec >&- 2>&-; sleep 1000"), 0.2, os.environ) == CommandOutput()
