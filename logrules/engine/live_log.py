"""One log of a job that is followed: what of it was read, and the lines that come after those of a report."""

from collections.abc import Callable, Mapping

from logrules.engine.extraction import Scanners
from logrules.inference.clock import Clock, choose_year
from logrules.model.event import Timestamp
from logrules.model.record import record, replace
from logrules.model.report import Consequence, Diagnosis, Evidence, Report, StackView, Status
from logrules.model.stream import Block, End
from logrules.parsing.growing_log import GrowingLog
from logrules.parsing.reader import Reader

# What we know of how a command ended is read as a log of this name.
_EXIT_LOG = "exit"


@record
class LiveLog:
    """A log that grows."""

    growing: GrowingLog
    reader: Reader
    clock: Clock

    @property
    def lines(self) -> int:
        """How many were read, one that has no end yet among them."""
        return self.growing.read_lines + self.growing.unfinished


class LiveLogs:
    """The logs of a job, by their names; one that is asked for first is new.

    There may be thousands, and whether lines are held back and how many there are is asked with every block: only those
    that were `read` since the last time are looked at.
    """

    def __init__(self, scanners: Scanners) -> None:
        self._scanners = scanners
        self.known: dict[str, LiveLog] = {}
        self._read: set[str] = set()
        self._may_hold: set[str] = set()
        self._counted: dict[str, int] = {}
        self._lines = 0

    def read(self, name: str) -> LiveLog:
        """The log of this name, of which something is read now."""
        if name not in self.known:
            reader = self._scanners.reader.for_another()
            self.known[name] = LiveLog(
                GrowingLog(name, reader, self._scanners.find, self._scanners.sampler), reader, Clock()
            )
        self._read.add(name)
        self._may_hold.add(name)
        return self.known[name]

    @property
    def lines(self) -> int:
        """The lines of all of them."""
        for name in self._read:
            lines = self.known[name].lines
            self._lines += lines - self._counted.get(name, 0)
            self._counted[name] = lines
        self._read.clear()
        return self._lines

    @property
    def holds(self) -> bool:
        """Whether one of them holds lines back."""
        while self._may_hold:
            name = next(iter(self._may_hold))
            if self.known[name].growing.holds:
                return True
            self._may_hold.discard(name)
        return False


def exit_line(end: End, at: float | None) -> Block:
    """How a command ended, as launchers write it, for the table of exits: a log of its own.

    What is asked to end ends with a status of its own where it handles the signal; the signal is the reason.
    """
    asked = "" if end.asked_by is None else f" after signal {end.asked_by}"
    return Block(_EXIT_LOG, 0, f"logrules: the command ended: exit status {end.exit_status}{asked}\n".encode(), at)


# Beyond so many remembered lines, those that no report shows are dropped.
_MAX_BELOW = 4_096


class LinesBelow:
    """The lines that came after lines read before, by source and line."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], tuple[str, ...]] = {}

    def keep(self, source: str, came: dict[int, tuple[str, ...]], report: Callable[[], Report]) -> None:
        """Take new lines of a log; if there are many, only those that the report shows."""
        self.known.update(((source, number), lines) for number, lines in came.items())
        came.clear()
        if len(self.known) > _MAX_BELOW:
            shown = {(line.source, line.line) for line in report().shown}
            self.known = {key: lines for key, lines in self.known.items() if key in shown}


def with_lines_below(report: Report, below: Mapping[tuple[str, int], tuple[str, ...]]) -> Report:
    """The report with the lines that have since come after its evidence; ``below`` is by source and line."""

    def line(one: Evidence) -> Evidence:
        lines = below.get((one.source, one.line), ())
        return replace(one, after=lines) if len(lines) > len(one.after) else one

    return _with_lines(report, line) if below else report


def with_years(report: Report, logs: Mapping[str, LiveLog]) -> Report:
    """The report with the years of evidence that was read before its log had told one."""
    near = {name: log.clock.near for name, log in logs.items()}

    def line(one: Evidence) -> Evidence:
        full_date = near.get(one.source)
        if not one.year_guessed or one.time is None or full_date is None:
            return one
        return replace(one, time=choose_year(Timestamp(one.time), full_date), year_guessed=False)

    return _with_lines(report, line) if any(one.year_guessed for one in report.shown) else report


def _with_lines(report: Report, line: Callable[[Evidence], Evidence]) -> Report:
    """The report with each line of its evidence as ``line`` has it."""

    def lines(found: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(line(one) for one in found)

    def consequence(one: Consequence) -> Consequence:
        return replace(one, evidence=lines(one.evidence))

    def diagnosis(one: Diagnosis) -> Diagnosis:
        return replace(one, evidence=lines(one.evidence), consequences=tuple(map(consequence, one.consequences)))

    return replace(report, diagnoses=tuple(map(diagnosis, report.diagnoses)), unusual=lines(report.unusual))


def with_stacks(report: Report, stacks: StackView | None) -> Report:
    """The report with where the processes are: in a stalled job, the odd one is the suspect."""
    first = report.diagnoses[0] if report.diagnoses else None
    if stacks is None or first is None or not stacks.apart or first.ranks or report.status is not Status.STALLED:
        return replace(report, stacks=stacks)
    return replace(report, stacks=stacks, diagnoses=(replace(first, ranks=stacks.apart), *report.diagnoses[1:]))
