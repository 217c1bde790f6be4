"""A first notice of a silence that is unusual for this job, long before it is called a stall."""

from logrules.model.change import QuietEnded, QuietNoticed

# A shorter silence is not worth a notice; this is far below the shortest patience of any stall.
SHORTEST_S = 60.0
# How many times longer than any silence before.
_TIMES = 3
# Shorter pauses are ignored: people are shown whole seconds.
_LEAST_S = 2.0
# A job must go on for so long after a silence: what comes with its end (the traceback of a Ctrl-C) does not count.
_GOES_ON_S = 5.0
# With fewer arrivals, nothing is known to be usual.
_FEWEST = 8


class QuietNotice:
    """Learns the pauses between arrivals of bytes, and notices one that is far longer than all before it.

    Times are seconds by the source's clock. ``shortest_s`` is the shortest silence worth a notice.
    """

    def __init__(self, shortest_s: float = SHORTEST_S) -> None:
        self._shortest_s = max(shortest_s, _LEAST_S)
        self._last: float | None = None
        self._longest_s = 0.0
        self._count = 0
        self._noticed = self._passed_over = False
        self._ended: QuietEnded | None = None

    @property
    def due(self) -> float | None:
        """When the next notice is due: of the present silence, or that one is over; None if there will be none.

        A silence in which no line is owed gets none.
        """
        over = None if self._ended is None else self._ended.at + _GOES_ON_S
        silence = None if self._passed_over else self._worth_a_word_at
        return min((at for at in (over, silence) if at is not None), default=None)

    @property
    def _worth_a_word_at(self) -> float | None:
        if self._noticed or self._last is None or self._count < _FEWEST:
            return None
        return self._last + max(self._shortest_s, _TIMES * self._longest_s)

    def pass_over(self, unwatched_s: float) -> None:
        """For so long nobody watched: that is no silence."""
        self._last = None if self._last is None else self._last + unwatched_s

    def on_bytes(self, now: float) -> tuple[QuietEnded, ...]:
        """Bytes came."""
        quiet_s = 0.0 if self._last is None else max(now - self._last, 0.0)
        self._longest_s = max(self._longest_s, quiet_s)
        self._last, self._count = now, self._count + 1
        over = self._over(now)
        if self._noticed:
            self._ended = QuietEnded(now, quiet_s)
        self._noticed = self._passed_over = False
        return over

    def pass_to(self, now: float, *, owed: bool) -> tuple[QuietNoticed | QuietEnded, ...]:
        """Time passes in silence; ``owed`` says that a line is owed and that no stall was reported.

        A silence that is ignored now may count later: then it is noticed at once, but no deadline is set for that.
        """
        over, due = self._over(now), self._worth_a_word_at
        if due is None or self._last is None or now < due:
            return over
        self._noticed, self._passed_over = owed, not owed
        return (*over, QuietNoticed(now, now - self._last, self._longest_s)) if owed else over

    def _over(self, now: float) -> tuple[QuietEnded, ...]:
        """The end of a silence that was noticed, once the job has gone on for a while."""
        if self._ended is None or now < self._ended.at + _GOES_ON_S:
            return ()
        ended, self._ended = self._ended, None
        return (ended,)
