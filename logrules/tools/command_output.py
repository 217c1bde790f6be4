"""What a command that only looks says within a time limit; it and what it started end with the limit."""

import contextlib
import shutil
import subprocess
from collections.abc import Mapping

from logrules.model.record import record
from logrules.tools.notification.delivery import kill_group

MAX_OUTPUT_BYTES = 1 << 20
_AFTER_KILL_S = 0.5


@record
class CommandOutput:
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


def output_of(command: tuple[str, ...], limit_s: float, env: Mapping[str, str]) -> CommandOutput:
    """The output of a command that is found on the ``PATH`` of ``env``, which is also its environment."""
    found = shutil.which(command[0], path=env.get("PATH"))
    if found is None:
        return CommandOutput(missing=True)
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
        return CommandOutput(missing=True)
    try:
        raw, _ = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _kill(child)
        return CommandOutput()
    return CommandOutput(raw[:MAX_OUTPUT_BYTES].decode("utf-8", "replace"), child.returncode)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Ends it and what it started. One stuck in the kernel cannot be ended, and is not waited for."""
    kill_group(child)
    if child.stdout is not None:
        child.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_AFTER_KILL_S)
