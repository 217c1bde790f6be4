"""What a command that only looks says within a time limit; it and what it started end with the limit."""

import shutil
import subprocess
from collections.abc import Mapping
from threading import Thread

from logrules.model.record import record
from logrules.tools.notification.delivery import kill_group

MAX_OUTPUT_BYTES = 1 << 20
_PIECE_BYTES = 64 << 10
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
    heard: list[CommandOutput] = []
    listener = Thread(target=_listen, args=(child, heard), daemon=True)
    try:
        listener.start()
    except RuntimeError:  # where no further thread can be had, nobody hears it
        kill_group(child)
        with child:
            return CommandOutput()
    listener.join(limit_s)
    if not heard:
        kill_group(child)
        # One stuck in the kernel cannot be ended, and is not waited for.
        listener.join(_AFTER_KILL_S)
        return CommandOutput()
    return heard[0]


def _listen(child: "subprocess.Popen[bytes]", heard: list[CommandOutput]) -> None:
    """Hear a command to its end. All that it says is read, so that it ends, and only the beginning is kept."""
    assert child.stdout is not None  # noqa: S101 (it was started so)
    with child:
        raw = child.stdout.read(MAX_OUTPUT_BYTES)
        while child.stdout.read(_PIECE_BYTES):
            pass
    heard.append(CommandOutput(raw.decode("utf-8", "replace"), child.returncode))
