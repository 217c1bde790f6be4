"""Whose turn it is to write to where a log is passed on."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logrules.sources.relay import Relay


class Turn:
    """Taken as a lock is. While somebody has it, neither a thread of ours nor the relay passes anything on.

    ``standing`` is how the relay, or threads of ours, stood when it was taken (see `relay_process`).
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._relay: Relay | None = None
        self._on_new_line = False
        self.standing = 0

    def share_with(self, begin: "Callable[[], Relay | None]") -> "Relay | None":
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
