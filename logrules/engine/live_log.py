"""One log of a job that is followed: what of it was read, by whom, and by which clock."""

from dataclasses import dataclass

from logrules.engine.extraction import Scanners
from logrules.inference.clock import Clock
from logrules.model.stream import Block
from logrules.parsing.growing_log import GrowingLog
from logrules.parsing.reader import Reader
from logrules.ruleset.pack import Pack

# What we know of how a command ended is read as a log of this name.
_EXIT_LOG = "exit"


@dataclass(frozen=True, slots=True)
class LiveLog:
    """A log that grows."""

    growing: GrowingLog
    reader: Reader
    clock: Clock

    @property
    def lines(self) -> int:
        """How many were read, one that has no end yet among them."""
        return self.growing.read_lines + self.growing.unfinished


def live_log(source: str, pack: Pack, scanners: Scanners) -> LiveLog:
    """A log of this name of which nothing was read yet."""
    reader = Reader(pack, scanners.signals_of)
    return LiveLog(GrowingLog(source, reader, scanners.find), reader, Clock())


def exit_line(status: int, at: float | None) -> Block:
    """How a command ended, as launchers write it, for the table of exits: a log of its own."""
    return Block(_EXIT_LOG, 0, f"logrules: the command ended: exit status {status}\n".encode(), at)
