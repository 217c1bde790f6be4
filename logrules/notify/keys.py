"""Keys pressed at a terminal while a job is watched: each does one thing. Nothing where there is no terminal to ask."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread

from logrules.notify.listener import Listener


class Keys(Listener):
    """Calls what belongs to a key, in a thread of its own. The terminal is as it was after ``close``."""

    def __init__(self, actions: Mapping[str, Callable[[], object]]) -> None:
        import termios
        import tty

        self._actions = actions
        self._terminal = os.open("/dev/tty", os.O_RDWR)
        self._before = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal, termios.TCSANOW)
        Thread(target=self._read, name="keys", daemon=True).start()

    def close(self, limit_s: float) -> None:  # noqa: ARG002 (it takes no time)
        """Give the terminal back."""
        import termios

        termios.tcsetattr(self._terminal, termios.TCSANOW, self._before)

    @contextmanager
    def away(self) -> Iterator[None]:
        """While this lasts, the terminal is as it was before; keys are read again after."""
        import termios
        import tty

        termios.tcsetattr(self._terminal, termios.TCSANOW, self._before)
        try:
            yield
        finally:
            tty.setcbreak(self._terminal, termios.TCSANOW)

    def _read(self) -> None:
        while True:
            try:
                pressed = os.read(self._terminal, 1)
            except OSError:
                return
            action = self._actions.get(pressed.decode(errors="replace").lower())
            if action is not None:
                action()
            if not pressed:
                return
