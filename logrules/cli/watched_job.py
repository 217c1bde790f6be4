"""What may be asked of anything that is watched."""

import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import tzinfo
from pathlib import Path

from logrules.sources.relay import Turn
from logrules.sources.source import RecordSource, Source, StoppableSource
from logrules.sources.wall_clock import steady

STDIN, STDOUT = 0, 1
ENDING: tuple[str, ...] = ("SIGTERM", "SIGINT", "SIGHUP")
# Slurm (KillWait) and Kubernetes (terminationGracePeriodSeconds) give a job 30 s to end before they kill it. One that
# goes on for longer ignores the signal, as SIGHUP under nohup is ignored, and ends of something else.
GRACE_S = 30.0


class Job:
    """Something to watch; what is said here holds where a kind of job says nothing else.

    ``signals`` are those that it is told of, ``backlog`` what there is to read before it is live, ``dumps`` what flight
    recorders left behind at its end; ``echoes`` says that its log goes to standard output; ``zone`` is that of its
    times, ``beat_s`` how often it is looked at in silence, by its own clock, or after this share of a long one.
    ``source`` is what is followed; whoever writes to where that is passed on takes the ``turn``.
    """

    signals: tuple[str, ...] = ENDING
    backlog: Sequence[Source] = ()
    dumps: Sequence[RecordSource] = ()
    echoes: bool = False
    zone: tzinfo | None = None
    beat_s: float | None = 1.0
    beat_share: float = 0.0
    source: StoppableSource

    def __init__(self) -> None:
        self.turn = Turn()
        self._asked: tuple[int, float] | None = None
        self._ended: float | None = None

    def ask_to_end(self, number: int) -> None:
        """A signal comes that asks a program to end."""
        self._asked = number, steady()

    @property
    def asked_by(self) -> str | None:
        """The name of the last signal that asked it to end, unless it went on for long after that."""
        if self._asked is None:
            return None
        number, at = self._asked
        until = steady() if self._ended is None else self._ended
        return signal.Signals(number).name if until - at <= GRACE_S else None

    @property
    def pid(self) -> int | None:
        """The process that was started, if any was."""
        return None

    @property
    def exit_status(self) -> int | None:
        """How the command ended, if there is one and it has."""
        return None

    def path_of(self, source: str) -> "Path | None":  # noqa: ARG002 (most lie nowhere)
        """Where a log of this name lies on disk; None where it does not."""
        return None

    def hand_dumps_to(self, take: Callable[[RecordSource, float], None]) -> None:
        """Give away what flight recorders leave behind while the job is watched, and when, where that is looked for."""

    def start(self) -> None:
        """Begin: from here on bytes come."""

    def signalled(self, number: int) -> bool:  # noqa: ARG002 (any ends it)
        """We were sent a signal; whether that is the end of watching."""
        self.source.stop()
        return True

    def aside(self, place: int) -> AbstractContextManager[bool]:  # noqa: ARG002 (most pass on nothing)
        """Let nothing be passed on to where ``place`` leads; whether that is within a line, which whoever asks ends."""
        return nullcontext(False)

    def unwatched(self) -> None:
        """Nobody analyses any more: only pass on."""

    def wait(self) -> int | None:
        """Wait until all was passed on; the exit status to end with, where the job decides it."""
        return None
