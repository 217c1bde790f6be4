"""A log line that a rule needs, parsed; and log lines as a page shows them."""

from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum

from logrules.model.late_pattern import late_pattern
from logrules.model.record import field, record

_LABELLED_RANK = late_pattern(r"\brank (\d{1,6})$")


class Level(IntEnum):
    """Severity that the line itself claims."""

    DEBUG = 10
    INFO = 20
    WARNING = 30
    ERROR = 40
    FATAL = 50


# The names of levels as loggers print them, in whatever case; frameworks may have more of their own.
LEVEL_NAMES: Mapping[str, Level] = {
    name: level
    for level, names in {
        Level.DEBUG: "TRACE DEBUG D",
        Level.INFO: "INFO INFORMATION NOTICE DEFAULT SUCCESS I",
        Level.WARNING: "WARNING WARN W",
        Level.ERROR: "ERROR ERR E",
        Level.FATAL: "FATAL CRITICAL CRIT PANIC DPANIC ALERT EMERG EMERGENCY C F",
    }.items()
    for name in names.split()
}
# Those that stand alone before a message.
LEADING_LEVEL = "TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL"


class Stance(StrEnum):
    """What kind of statement a line is."""

    FACT = "fact"
    ADVICE = "advice"
    ECHO = "echo"
    RETRY = "retry"
    CAUGHT = "caught"


# No job has more ranks; a higher number is damaged text.
HIGHEST_RANK = 1_000_000
# At most so many ranks are read from a printed range.
LONGEST_RANGE = 20_000
_RANK_DIGITS = len(str(HIGHEST_RANK))


# Process ids, sizes, codes and steps have no more digits; longer ones are damaged text.
_MOST_DIGITS = 15


def whole_number(text: str | None, digits: int = _MOST_DIGITS) -> int | None:
    """The integer that a log prints, maybe negative; None if it is none, or has more than ``digits`` digits."""
    if not text:
        return None
    figures = text.removeprefix("-")
    return int(text) if figures.isdecimal() and len(figures) <= digits else None


def as_rank(text: str | None) -> int | None:
    """The rank, or number of ranks, that a log prints; None if it is not a number, or more than any job has."""
    rank = whole_number(text, _RANK_DIGITS) if text else None
    return rank if rank is not None and 0 <= rank <= HIGHEST_RANK else None


def ranks_listed(text: str) -> frozenset[int]:
    """The ranks in a printed list of numbers and ranges: ``0, 1, 3`` or ``0-2,5``."""
    listed: set[int] = set()
    for part in text.split(","):
        if len(listed) > LONGEST_RANGE:
            break
        first, _, last = part.strip().partition("-")
        low, high = as_rank(first), as_rank(last or first)
        if low is not None and high is not None:
            listed.update(range(low, min(high, low + LONGEST_RANGE) + 1))
    return frozenset(listed)


@record
class Worker:
    """Who wrote a line, as far as the line, its prefix or its file name say."""

    source: str = ""
    host: str | None = None
    role: str | None = None
    pid: int | None = None
    rank: int | None = None

    @property
    def label(self) -> str:
        """The worker as a person would name it: "rank 3", "TaskRunner pid=133947", "train.log"."""
        if self.rank is not None:
            return f"rank {self.rank}" if self.role is None else f"{self.role} rank {self.rank}"
        if self.pid is not None:
            return f"{self.role or 'process'} pid={self.pid}"
        return self.role or self.host or self.source or "main"

    @property
    def named(self) -> bool:
        """Whether the line said anything about its writer beyond the file it is in."""
        return any(part is not None for part in (self.host, self.role, self.pid, self.rank))

    @property
    def is_process(self) -> bool:
        """Whether it is one process. A role alone is not: a container's prefixes all processes in it."""
        return self.pid is not None or self.rank is not None


def ranks_of(workers: Iterable[Worker]) -> tuple[int, ...]:
    """The ranks of these workers, each once, in their order."""
    return tuple(dict.fromkeys(worker.rank for worker in workers if worker.rank is not None))


def hosts_of(workers: Iterable[Worker]) -> tuple[str, ...]:
    """The hosts of these workers, each once, in their order."""
    return tuple(dict.fromkeys(worker.host for worker in workers if worker.host is not None))


def rank_of_label(label: str) -> int | None:
    """The rank in a worker's label, if it has one."""
    found = _LABELLED_RANK.search(label)
    return int(found[1]) if found else None


@record
class Timestamp:
    """A time written in a line: seconds since the epoch, a naive time read as UTC.

    ``year_known`` is False for forms without a year; ``seconds`` then lies in 1972, which has
    a 29 February, and the reader of the whole log chooses the year. ``year_guessed`` says that it was chosen only by
    when the log was written or received, which for a copy may be years later.
    """

    seconds: float
    year_known: bool = True
    year_guessed: bool = False


@record
class Hit:
    """One signal found in a line, with the captures of its pattern."""

    signal: int
    captures: Mapping[str, str] = field(default_factory=dict)


@record
class Event:
    """A line, or one redraw of a line, that carries at least one signal.

    ``line`` counts from 1 within the source; ``offset`` is the line's first byte. A JSON record may become several
    lines: ``continued`` counts those up to this one that are not lines of the file; `file_line` is its number there.
    ``text`` is the cleaned line with its prefixes, ``message`` the part behind them. ``repeat`` is how often the line
    stands for itself (Ray's ``[repeated 8x]``). ``stamp`` is the line's timestamp, ``arrived`` when it was read, if
    live. ``before`` and ``after`` are up to two neighbouring lines, ``joined_before`` how many more lines of the file
    each of those before stands for, where there are such. ``group`` is the process group that it names, ``headers`` the
    formats of its prefixes.
    """

    source: str
    line: int
    offset: int
    text: str
    message: str
    worker: Worker
    hits: tuple[Hit, ...] = ()
    stamp: Timestamp | None = None
    arrived: float | None = None
    level: Level | None = None
    repeat: int = 1
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    group: str | None = None
    stance: Stance = Stance.FACT
    continued: int = 0
    headers: tuple[str, ...] = ()
    joined_before: tuple[int, ...] = ()

    @property
    def file_line(self) -> int:
        """The number of the line in the file, as shown to people."""
        return self.line - self.continued

    def file_line_above(self, above: int) -> int:
        """The number in the file of the line that stands so many lines above it."""
        return self.file_line - above - sum(self.joined_before[-above:] if above else ())


@record
class LogLine:
    """A line as people see it. ``line`` counts from 1 in its source; ``time`` may be that of a line above it."""

    source: str
    line: int
    worker: str
    time: float | None
    level: Level | None
    text: str


@record
class LogText:
    """The lines that were kept, source by source, out of the ``total`` of the logs."""

    lines: tuple[LogLine, ...]
    total: int
