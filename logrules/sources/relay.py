"""The watcher's side of the relay: what it hands over, and whose turn it is to write to where it passes a log on."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from logrules.sources import relay_process
from logrules.sources.relay_feed import RelayFrame, unpacked

# What the relay is run with: nothing that is installed or set in the environment is looked at.
_ROOT = str(Path(__file__).resolve().parents[2])
_PROGRAM = f"import sys; sys.path.insert(0, {_ROOT!r}); import {relay_process.__name__} as it; it.main(sys.argv[1:])"
_NUMBERS = 128
_ENDING_S = 0.3


class Relay:
    """Passes ``outputs`` (number, ours, and where it goes on to, if anywhere) on, in a process. POSIX only.

    Where that cannot be started, or with ``by_thread``, a thread of ours does so, as long as we live.
    """

    def __init__(self, outputs: Sequence[tuple[int, int, int | None]], *, by_thread: bool = False) -> None:
        self._control, theirs = socket.socketpair()
        feed, fed = os.pipe()
        self._feed = os.fdopen(feed, "rb")
        self.process = None if by_thread else _started(theirs, fed, outputs)
        self._thread = Thread(
            target=relay_process.pass_on, args=(theirs, fed, outputs), name="passing output on", daemon=True
        )
        if self.process is None:
            self._thread.start()
        else:
            theirs.close()
            os.close(fed)
        self._number = 0

    def frames(self) -> Iterator[RelayFrame]:
        """What it hands over, until it ends."""
        with self._feed:
            yield from unpacked(self._feed)

    def hold(self, timeout_s: float | None = None) -> int | None:
        """Let it stand still between two pieces: how it stands; None where it is gone.

        Raises TimeoutError where it does not answer in time; it is to go on all the same.
        """
        self._number = (self._number + 1) % _NUMBERS
        self._control.settimeout(timeout_s)
        try:
            self._control.sendall(relay_process.HOLD + bytes([self._number]))
            while answer := self._control.recv(relay_process.ASKED_BYTES, socket.MSG_WAITALL):
                if answer[0] == self._number:
                    return answer[1]
        except TimeoutError:
            raise
        except OSError:
            return None
        return None

    def go(self, *, on_new_line: bool) -> None:
        """Let it go on; ``on_new_line`` says that we have ended the line in which it stood."""
        word = relay_process.GO_ON_NEW_LINE if on_new_line else relay_process.GO
        with suppress(OSError):
            self._control.sendall(word + bytes([self._number]))

    def release(self) -> None:
        """It is needed no more: end it, as soon as nobody holds it up."""
        with suppress(OSError):
            self._control.sendall(relay_process.RELEASE + bytes([0]))
        self._control.close()
        if self.process is None:
            self._thread.join(_ENDING_S)
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_ENDING_S)


def _started(
    control: socket.socket, feed: int, outputs: Sequence[tuple[int, int, int | None]]
) -> "subprocess.Popen[bytes] | None":
    """The process; None where it cannot be started."""
    words = [f"{number}:{ours}:{'' if onward is None else onward}" for number, ours, onward in outputs]
    passed = (control.fileno(), feed)
    try:
        return subprocess.Popen(  # noqa: S603 (this interpreter, our own module)
            [sys.executable or "", "-I", "-S", "-c", _PROGRAM, *map(str, passed), *words],
            stdin=None if any(not ours for _, ours, _ in outputs) else subprocess.DEVNULL,
            pass_fds=(*passed, *(one for _, *both in outputs for one in both if one is not None)),
            start_new_session=True,
        )
    except OSError:
        return None


class Turn:
    """Taken as a lock is. While somebody has it, neither a thread of ours nor the relay passes anything on.

    ``standing`` is how the relay, or threads of ours, stood when it was taken (see `relay_process`).
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._relay: Relay | None = None
        self._on_new_line = False
        self.standing = 0

    def share_with(self, begin: Callable[[], Relay | None]) -> Relay | None:
        """Begin a relay that passes the log on from here on, if there is one: not while somebody has the turn."""
        with self._lock:
            self._relay, self.standing = begin(), 0
            return self._relay

    def stand(self, output: int, *, in_line: bool) -> None:
        """Say how an output stands that whoever has the turn passes on, where no relay does."""
        self.standing = self.standing & ~(1 << output) | in_line << output

    def acquire(self, timeout: float = -1) -> bool:
        """Take it; whether that came about in time."""
        if not self._lock.acquire(timeout=timeout):
            return False
        if self._relay is not None:
            try:
                self.standing = self._relay.hold(None if timeout < 0 else timeout) or 0
            except TimeoutError:
                self.release()
                return False
        return True

    def end_line(self) -> None:
        """Whoever has the turn ends the line in which the log stands."""
        self._on_new_line = True

    def release(self) -> None:
        """Give it back."""
        if self._relay is not None:
            self._relay.go(on_new_line=self._on_new_line)
        elif self._on_new_line:
            self.standing = 0
        self._on_new_line = False
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_fault: object) -> None:
        self.release()
