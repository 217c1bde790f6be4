"""What is known of one worker: where it is, what it waits for, when it last moved."""

from collections.abc import Set as AbstractSet

from logrules.inference.cadence import Rhythm, outlasts
from logrules.inference.observation import Observation
from logrules.inference.progress_line import bar_of, moves_at_its_pace, progress_key, time_gone
from logrules.model.event import Event, Worker
from logrules.model.record import field, mutable_record
from logrules.model.timeline import PhaseSpan, WaitSpan
from logrules.ruleset.pack import Wait

# A line that is repeated with more than this between says that something else went on.
_NEAR_LINES = 4
# A save or an evaluation says less than this between two of its words.
_INTERRUPTED_LINES = 40
# Ranks whose lines name nobody end within this, seconds, after one that failed: what starts later is another run.
ANEW_S = 60.0


@mutable_record
class OpenWait:
    """A wait that nothing has ended yet.

    ``renewed`` is the last line that spoke of it, ``moved`` the last that said more than the one before, ``timed`` the
    last whose time is known. ``counts``: what it is for was counted, and changed at the last.
    """

    wait: Wait
    opened: Observation
    renewed: Observation
    moved: Observation
    timed: Observation | None = None
    counts: bool = False

    @property
    def since(self) -> float | None:
        """When patience began to run. A bar below a line whose time is known tells for how long it has run itself."""
        if self.moved.heard is not None:
            return self.moved.heard
        gone = time_gone(self.moved.event.message)
        if gone is None or self.timed is None or self.timed.heard is None or not _near(self.timed, self.moved):
            return None
        return self.timed.heard + gone

    def renew(self, observation: Observation) -> None:
        """Another line spoke of it: patience begins anew, unless it only says that it still waits."""
        if not self.is_repeated_by(observation):
            self.moved = observation
        if observation.heard is not None:
            self.timed = observation
        self.renewed = observation

    def is_repeated_by(self, observation: Observation) -> bool:
        """Whether a line only says again what the last one said, with next to nothing between."""
        before, after = self.renewed.event, observation.event
        return _near(self.renewed, observation) and progress_key(before.message) == progress_key(after.message)

    def is_overdue(self, now: float | None) -> bool:
        """Whether it has lasted for longer than its patience by now."""
        return outlasts(self.since, self.wait.patience_s, now)

    def is_cut_off(self, now: float | None, *, cut_short: bool) -> bool:
        """Whether a log that ends now shows no stall: this is young, and moves as ever or is not presumed to last.

        Where the log is ``cut_short`` its last words say nothing: what is timed is as old as its time says. A line that
        sums up those of several writers was held back for them: where they are by now it does not say.
        """
        if self.is_overdue(now):
            return False
        if self.opened.event.repeat > 1 or self.counts:
            return True
        moved = self.moved.event.message
        timed = self.since is not None or time_gone(moved) is not None
        return not self.wait.presumed or moves_at_its_pace(moved) or (cut_short and timed)

    def span(self, last: Observation, *, ended: bool) -> WaitSpan:
        """The wait as far as this line."""
        opened, source = self.opened, self.opened.event.source
        line = opened.event.file_line
        last_line = last.event.file_line if source == last.event.source else line
        return WaitSpan(opened.worker.label, opened.time, last.time, line, last_line, source, self.wait.id, ended)


@mutable_record
class WorkerState:
    """What is known of one worker."""

    phase: str | None = None
    # Whether a line has said that what it is in is done.
    left_phase: bool = False
    home: str | None = None
    # The bar that moved last in the loop that it calls home.
    home_bar: tuple[str, str] | None = None
    entered: Observation | None = None
    latest: Observation | None = None
    # The last line that said where it is.
    placed: Observation | None = None
    # The last of its signs whose time is known.
    timed: Observation | None = None
    waits: dict[str, OpenWait] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    stepped: Observation | None = None
    repeats: int = 0
    progress_text: str = ""
    rhythm: Rhythm = field(default_factory=Rhythm)
    bar: Observation | None = None
    bar_rhythm: Rhythm = field(default_factory=Rhythm)
    # Whether its steps were those of a bar that is full, and no other loop waits for it.
    counted: bool = False
    # The line by which it said that it has done its work.
    left: Observation | None = None
    # When it was last back at a start that it had left behind.
    restarted: Observation | None = None
    before_restart: Observation | None = None

    def see(self, observation: Observation) -> None:
        """It gave a sign of where it is."""
        self.latest = observation
        if observation.heard is not None:
            self.timed = observation

    def enter(self, phase: str, observation: Observation, startup: AbstractSet[str]) -> None:
        """It is in another phase; those of the ``startup`` come before all loops."""
        if phase in startup and self.phase is not None and self.phase not in startup:
            self.restarted, self.before_restart = observation, self.stepped
        self.phase, self.entered, self.left_phase = phase, observation, False

    def is_past(self, event: Event) -> bool:
        """Whether what interrupted its loop is over: a line said so, or so much was written since that it must be."""
        if self.latest is None:
            return False
        last = self.latest.event
        return self.left_phase or (last.source == event.source and event.line - last.line > _INTERRUPTED_LINES)

    def is_home_bar(self, message: str) -> bool:
        """Whether a line is of the bar that moved last in the loop that it calls home."""
        return self.home_bar is not None and bar_of(message) == self.home_bar

    def span(self, end: Observation | None) -> list[PhaseSpan]:
        """The phase that it is in, as far as this line; nothing where no line has told one."""
        begun = self.entered
        if self.phase is None or begun is None or end is None:
            return []
        first, last, label = begun.event.file_line, end.event.file_line, begun.worker.label
        return [PhaseSpan(label, begun.time, end.time, first, last, begun.event.source, self.phase)]

    def began_anew(self, earlier: Observation) -> bool:
        """Whether it started once more long after this and has made a step since: what this told of is past."""
        again, step = self.restarted, self.stepped
        if again is None or step is None or again.time is None or not earlier.order < again.order < step.order:
            return False
        # The last line of a traceback has no time: the step before it has.
        timed = earlier if earlier.time is not None else self.before_restart
        return timed is not None and timed.time is not None and again.time - timed.time >= ANEW_S

    def rest(self, full: Observation) -> None:
        """What a bar counted is done. Where that bar was all there was to do, nobody expects another step either."""
        self.bar = None
        counted = bar_of(full.event.message)
        steps = self.stepped is not None and bar_of(self.stepped.event.message) == counted is not None
        self.counted = self.counted or (steps and self.home is None)

    @property
    def beat(self) -> tuple[Observation, Rhythm] | None:
        """What moved last, a bar outside of its loop or a step in it, and how often that does."""
        if self.bar is not None:
            return self.bar, self.bar_rhythm
        return None if self.stepped is None or self.counted else (self.stepped, self.rhythm)


def peers(one: Worker, other: Worker) -> bool:
    """Whether two workers do the same work side by side: two ranks, or two actors of one role."""
    if one == other or not (one.named and other.named) or one.role != other.role:
        return False
    return one.rank != other.rank or one.pid != other.pid or one.host != other.host


def may_be(one: Worker, other: Worker) -> bool:
    """Whether they are one writer, of whom the lines of ``one`` say no more than those of ``other``."""
    told = ((one.host, other.host), (one.role, other.role), (one.pid, other.pid), (one.rank, other.rank))
    return one.source == other.source and all(mine is None or mine == theirs for mine, theirs in told)


def _near(before: Observation, after: Observation) -> bool:
    """Whether next to nothing stands between two lines of one log."""
    return before.event.source == after.event.source and after.event.line - before.event.line <= _NEAR_LINES
