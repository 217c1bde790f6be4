"""The panel at the bottom of a terminal, and the keys that work there.

The log scrolls above the panel, in a region of its own. Each drawing is one write between two writes of the log: it
saves the cursor, draws, and puts the cursor back, so that the lines of the log are as they would be without it.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread

from logrules.model.change import Update
from logrules.model.record import replace
from logrules.model.report import Report
from logrules.model.timeline import WorkerNow
from logrules.notify.listener import Listener
from logrules.notify.panel_view import PanelView, panel_lines
from logrules.sources.descriptors import write_all
from logrules.sources.relay import Turn

EVERY_S = 0.5
HEIGHT = 8
# In a smaller terminal the log needs the room itself.
SMALLEST = 16
_TURN_S = 0.05
_SAVE, _RESTORE, _ALL = "\x1b7", "\x1b8", "\x1b[r"


class Panel(Listener):
    """Draws on ``terminal`` (a descriptor) whenever the log's writers leave it the ``turn``."""

    called = "the panel"

    def __init__(
        self,
        terminal: int,
        turn: Turn,
        workers: Callable[[], tuple[WorkerNow, ...]],
        view: PanelView,
        history: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._terminal = terminal
        self._turn = turn
        self._workers = workers
        self._view = view
        self._history = history
        self._shows_history = False
        self._size: tuple[int, int] | None = None
        self._drawn: float | None = None
        self._last: list[str] = []
        self._asleep = False

    def toggle_history(self) -> None:
        """Show what was told so far, or the workers again."""
        self._shows_history, self._drawn = not self._shows_history, None

    def next_worker(self) -> None:
        """Show the next worker alone; after the last, all of them again."""
        names = [None, *(worker.worker for worker in self._workers()), None]
        at = names.index(self._view.only) if self._view.only in names else 0
        self._view = replace(self._view, only=names[at + 1])
        self._shows_history, self._drawn = False, None

    @property
    def view(self) -> PanelView:
        """What is to be shown."""
        return replace(self._view, history=self._history() if self._shows_history else None)

    @contextmanager
    def away(self) -> Iterator[None]:
        """While this lasts, the terminal is somebody else's."""
        self._asleep = True
        self._leave()
        try:
            yield
        finally:
            self._asleep, self._drawn = False, None

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Draw anew, if the last drawing is old or something changed."""
        if self._asleep:
            return
        if not update.changes and self._drawn is not None and 0 <= update.now - self._drawn < EVERY_S:
            return
        self._drawn = update.now
        columns, rows = self._measured()
        if rows < SMALLEST:
            self._leave()
            return
        lines = panel_lines(update, report(), self._workers(), (columns, HEIGHT), self.view)
        begun = self._begun(columns, rows)
        if begun or lines != self._last:
            drawn = enumerate([*lines, *[""] * (HEIGHT - len(lines))], rows - HEIGHT + 1)
            placed = "".join(f"\x1b[{row};1H\x1b[2K{line}" for row, line in drawn)
            if self._write(f"{begun}{_SAVE}{placed}{_RESTORE}"):
                self._size, self._last = (columns, rows), lines

    def close(self, limit_s: float) -> None:
        """Give the terminal back as it was, without the panel."""
        self._leave(max(limit_s, _TURN_S))

    def _measured(self) -> tuple[int, int]:
        try:
            return tuple(os.get_terminal_size(self._terminal))  # type: ignore[return-value]
        except OSError:
            return (0, 0)

    def _begun(self, columns: int, rows: int) -> str:
        """What makes room for the panel, where that was not done yet for a terminal of this size."""
        if self._size == (columns, rows):
            return ""
        top = rows - HEIGHT
        # Scroll up what stands where the panel goes, then keep the log above it.
        return f"{_ALL}\x1b[{rows};1H" + "\n" * HEIGHT + f"\x1b[1;{top}r\x1b[{top};1H"

    def _leave(self, wait_s: float = 1.0) -> None:
        if self._size is None:
            return
        _, rows = self._size
        cleared = "".join(f"\x1b[{row};1H\x1b[2K" for row in range(rows - HEIGHT + 1, rows + 1))
        self._write(f"{_SAVE}{_ALL}{cleared}{_RESTORE}", wait_s)
        self._size, self._last = None, []

    def _write(self, text: str, wait_s: float = _TURN_S) -> bool:
        if not self._turn.acquire(timeout=wait_s):
            return False
        try:
            write_all(self._terminal, text.encode())
        except OSError:
            return False
        finally:
            self._turn.release()
        return True


class Keys(Listener):
    """Calls what belongs to a key, in a thread of its own. The terminal is as it was after ``close``."""

    called = "the keys of the panel"

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
