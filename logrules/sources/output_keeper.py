"""A process that keeps a job's output open, and passes it on should the watcher be killed.

A job whose reader is gone is ended by its next line. The keeper holds the same ends of the pipes (or of the terminal),
reads nothing while the watcher lives, and costs the job nothing. This file is also its program, run without the
rest of the package: that takes 20 ms of CPU once and 11 MB.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

_RELEASED = b"."
_READ_BYTES = 64 << 10


class OutputKeeper:
    """Keeps ``outputs`` (ours, and where each goes on to, if anywhere) until it is released. Does nothing on Windows.

    Where it cannot be started, the job runs without it.
    """

    def __init__(self, outputs: Sequence[tuple[int, int | None]]) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if os.name != "posix" or not sys.executable:
            return
        held, self._alive = os.pipe()
        pairs = [f"{ours}:{'' if onward is None else onward}" for ours, onward in outputs]
        words = [sys.executable, "-I", "-S", __file__, str(held), *pairs]
        try:
            self._process = subprocess.Popen(  # noqa: S603 (this interpreter, this file)
                words, stdin=subprocess.DEVNULL, pass_fds=(held, *(ours for ours, _ in outputs)), start_new_session=True
            )
        except OSError:
            os.close(self._alive)
        finally:
            os.close(held)

    @property
    def pid(self) -> int | None:
        """Its process id, where it runs."""
        return self._process.pid if self._process is not None else None

    def release(self) -> None:
        """The job is over: end the keeper."""
        if self._process is None:
            return
        with suppress(OSError):  # it was ended by somebody else
            os.write(self._alive, _RELEASED)
        os.close(self._alive)
        self._process.wait()
        self._process = None


def _keep(alive: int, outputs: Mapping[int, int | None]) -> None:
    """Wait until the watcher releases us or is gone; then pass on what comes, or drop it where nobody takes it."""
    if os.read(alive, 1) == _RELEASED:
        return
    onward = dict(outputs)
    while onward:
        for ours in select.select(list(onward), [], [])[0]:
            try:
                data = os.read(ours, _READ_BYTES)
            except OSError:  # a terminal that nobody has open any more
                data = b""
            if not data:
                del onward[ours]
            elif not _written(onward[ours], data):
                onward[ours] = None


def _written(onward: int | None, data: bytes) -> bool:
    if onward is None:
        return True
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(onward, view) :]
    except OSError:
        return False
    return True


def _main(words: Sequence[str]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    pairs = (word.partition(":") for word in words[1:])
    _keep(int(words[0]), {int(ours): int(onward) if onward else None for ours, _, onward in pairs})


if __name__ == "__main__":
    _main(sys.argv[1:])
