"""A pseudo-terminal for a command that shows more, or shows it at once, where it sees one."""

import os

from logrules.model.errors import SourceError

_STREAMS = (1, 2, 0)


class Terminal:
    """``theirs`` is the command's side, ``ours`` the one that we read. Raises SourceError where there are none."""

    def __init__(self) -> None:
        try:
            import pty
            import termios
        except ImportError:
            raise SourceError("--pty: there are no pseudo-terminals on this system") from None
        try:
            self.ours, self.theirs = pty.openpty()
        except OSError as fault:
            raise SourceError(f"--pty: no pseudo-terminal available ({(fault.strerror or '').lower()})") from None
        # The bytes come to us as the command writes them: turning line ends is the business of the real terminal.
        modes = termios.tcgetattr(self.theirs)
        modes[1] &= ~termios.OPOST
        termios.tcsetattr(self.theirs, termios.TCSANOW, modes)
        self.resize()

    def hand_over(self) -> None:
        """The command has its side: close our copy, so that its end is seen."""
        os.close(self.theirs)

    def resize(self) -> None:
        """Give it the size of our own terminal, where we have one."""
        import fcntl
        import termios

        for stream in _STREAMS:
            if os.isatty(stream):
                size = fcntl.ioctl(stream, termios.TIOCGWINSZ, b"\0" * 8)
                fcntl.ioctl(self.ours, termios.TIOCSWINSZ, size)
                return
