"""What checks may ask of the machine: its environment, its files, and commands that only look."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from logrules.tools.command_output import MAX_OUTPUT_BYTES, CommandOutput, output_of

# A healthy nvidia-smi answers in two seconds, one on a lost GPU never.
COMMAND_LIMIT_S = 6.0
# The working directory may be a stranger's, unpacked to read its logs: no module of it may run.
_NOT_FROM_HERE = "import sys; sys.path[:] = [folder for folder in sys.path if folder]\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the run will need, as far as the user said: GPUs, data, a Python, where it writes."""

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
    _answers: dict[tuple[str, ...], "Future[CommandOutput]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, *command: str) -> CommandOutput:
        """What a command says on its standard output, within the time limit."""
        with self._lock:
            answer = self._answers.get(command)
            mine = answer is None
            if answer is None:
                answer = self._answers[command] = Future()
        if mine:
            answer.set_result(output_of(command, self.limit_s, self.env))
        return answer.result()

    def ask_python(self, script: str, *words: str) -> CommandOutput:
        """What a script says that the job's own Python runs, with nothing imported from the working directory."""
        return self.ask(self.asked.python, "-c", _NOT_FROM_HERE + script, *words)

    def read(self, path: str) -> str | None:
        """The text of a small file such as those of ``/proc``, or None."""
        try:
            with (self.root / path.lstrip("/")).open(encoding="utf-8", errors="replace") as stream:
                return stream.read(MAX_OUTPUT_BYTES)
        except OSError:
            return None
