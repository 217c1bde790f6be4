"""What checks may ask of the machine: its environment, its files, and commands that only look."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

# A healthy nvidia-smi answers in two seconds, one on a lost GPU never.
COMMAND_LIMIT_S = 6.0
_MAX_OUTPUT_BYTES = 1 << 20
_AFTER_KILL_S = 0.5


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended. ``status`` is None where it did not end in time, ``missing`` where there is none."""

    text: str = ""
    status: int | None = None
    missing: bool = False

    @property
    def fine(self) -> bool:
        """Whether it ran to its end and succeeded."""
        return self.status == 0

    @property
    def hung(self) -> bool:
        """Whether it was still running when its time was over."""
        return self.status is None and not self.missing


@dataclass(frozen=True, slots=True)
class Asked:
    """What the run will need, as far as the user said: GPUs, a data path, a Python, a port."""

    gpus: int | None = None
    data: tuple[str, ...] = ()
    python: str = "python"
    output: str = "."


@dataclass(slots=True)
class Machine:
    """The machine as checks see it. Each command runs once, whoever asks."""

    env: Mapping[str, str]
    asked: Asked = Asked()
    root: Path = Path("/")
    limit_s: float = COMMAND_LIMIT_S
    _answers: dict[tuple[str, ...], "Future[Said]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, *command: str) -> Said:
        """What a command says on its standard output, within the time limit."""
        with self._lock:
            answer = self._answers.get(command)
            mine = answer is None
            if answer is None:
                answer = self._answers[command] = Future()
        if mine:
            answer.set_result(_run(command, self.limit_s, self.env))
        return answer.result()

    def read(self, path: str) -> str | None:
        """The text of a small file such as those of ``/proc``, or None."""
        try:
            with (self.root / path.lstrip("/")).open(encoding="utf-8", errors="replace") as stream:
                return stream.read(_MAX_OUTPUT_BYTES)
        except OSError:
            return None


def _run(command: tuple[str, ...], limit_s: float, env: Mapping[str, str]) -> Said:
    found = shutil.which(command[0], path=env.get("PATH"))
    if found is None:
        return Said(missing=True)
    try:
        child = subprocess.Popen(  # noqa: S603 (commands are ours, without a shell)
            [found, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(env),
            start_new_session=True,
        )
    except OSError:
        return Said(missing=True)
    try:
        raw, _ = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _kill(child)
        return Said()
    return Said(raw[:_MAX_OUTPUT_BYTES].decode("utf-8", "replace"), child.returncode)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Ends it and what it started. One stuck in the kernel cannot be ended, and is not waited for."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except OSError:
        pass
    if child.stdout is not None:
        child.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_AFTER_KILL_S)
