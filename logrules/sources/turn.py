"""Whose turn it is to write to where a log is passed on."""

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logrules.sources.relay import Relay


class Turn:
    """Taken as a lock is. While somebody has it, neither a thread of ours nor the relay passes anything on.

    ``standing`` is how the relay stood when it was taken (see `relay_process`).
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._relay: Relay | None = None
        self._on_new_line = False
        self.standing = 0

    def share_with(self, relay: "Relay | None") -> None:
        """From here on the relay passes the log on, if there is one."""
        with self._lock:
            self._relay, self.standing = relay, 0

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
        self._on_new_line = False
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_fault: object) -> None:
        self.release()
