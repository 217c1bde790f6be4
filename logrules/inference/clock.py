"""The job's own time: stamps of lines to seconds, without ever looking at a clock."""

from datetime import MAXYEAR, MINYEAR, UTC, datetime

from logrules.model.event import Event, Timestamp

# A log's clock and that of the file system may lie so far apart: different time zones.
_SKEW_S = 86_400.0


class Clock:
    """Follows the time that a job's lines bear and, live, the time at which they came.

    The two are kept apart: what happened when is told by the stamps, how long nothing came by arrival, so that
    a trainer's time zone and a log that existed before we looked cannot make silence longer or shorter.
    A line without a stamp was written as long after the last one with a stamp as it came after it.
    For a saved log they are one. A stamp without a year takes the year that brings it nearest to the last full date
    known; else it is the latest that is not behind ``reference`` (when the file was last written), else not behind
    its arrival. ``now`` is the latest arrival, or for a saved log the latest stamp: time that runs backwards (merged
    workers, repeated lines) never turns it back. Of arrivals it leaves out the time in which nobody watched:
    ``unwatched_s`` so far. ``near`` is the last full date of the log; None where it has told no year.
    """

    def __init__(self, reference: float | None = None) -> None:
        self.now: float | None = None
        self.near: float | None = None
        self.unwatched_s = 0.0
        self._reference = reference
        # How far stamps lie before the arrivals of their lines.
        self._behind_s = 0.0
        self._stood_at = float("-inf")

    def read(self, event: Event) -> float | None:
        """When the line was written, in seconds since the epoch: by stamps, else by its arrival, else None."""
        stamped = self._stamped(event.stamp, event.arrived)
        heard = stamped if event.arrived is None else self.watched(event.arrived)
        if heard is not None:
            self.pass_to(heard)
        if stamped is None:
            return None if event.arrived is None else event.arrived - self._behind_s
        if event.arrived is not None:
            self._behind_s = event.arrived - stamped
        return stamped

    def pass_over(self, unwatched_s: float, until: float) -> None:
        """For so long before ``until``, by the clock of arrivals, nobody watched."""
        self._stood_at = self.watched(until - unwatched_s)
        self.unwatched_s += unwatched_s

    def watched(self, arrived: float) -> float:
        """A time by the clock of arrivals without the time in which nobody watched: silence is measured by that.

        What came just before is read only once somebody watches again.
        """
        return max(arrived - self.unwatched_s, self._stood_at)

    def pass_to(self, time: float) -> None:
        """It is now at least ``time``, by the clock of ``now``."""
        self.now = time if self.now is None else max(self.now, time)

    def _stamped(self, stamp: Timestamp | None, arrived: float | None) -> float | None:
        if stamp is None:
            return None
        if stamp.year_known:
            self.near = stamp.seconds
            return stamp.seconds
        if self.near is not None:
            return choose_year(stamp, self.near)
        written = self._reference if self._reference is not None else arrived
        return stamp.seconds if written is None else choose_year(stamp, written, latest=written + _SKEW_S)


def choose_year(stamp: Timestamp, near: float, latest: float | None = None) -> float:
    """The seconds of a stamp without a year, in the year that brings it nearest to ``near``, not behind ``latest``."""
    try:
        bare = datetime.fromtimestamp(stamp.seconds, UTC)
        year = datetime.fromtimestamp(near, UTC).year
    except (ValueError, OverflowError, OSError):
        return stamp.seconds
    years = [candidate for candidate in (year - 1, year, year + 1) if MINYEAR < candidate < MAXYEAR]
    candidates = [_in_year(bare, candidate) for candidate in years]
    past = [seconds for seconds in candidates if latest is None or seconds <= latest]
    return min(past, key=lambda seconds: abs(seconds - near), default=stamp.seconds) + stamp.seconds % 1


def _in_year(bare: datetime, year: int) -> float:
    day = bare.replace(microsecond=0)
    try:
        return day.replace(year=year).timestamp()
    except ValueError:
        return day.replace(year=year, month=3, day=1).timestamp()
