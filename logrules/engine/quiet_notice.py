"""A first, gentle word of a silence that is unusual for this job, long before it is called a stall."""

from logrules.model.change import QuietEnded, QuietNoticed

# A shorter silence is nobody's business; this is far below the least patience of any stall.
SHORTEST_S = 60.0
# So many times as long as any silence before.
_TIMES = 3
# With fewer arrivals than these nothing is usual yet.
_FEWEST = 8


class QuietNotice:
    """Learns the pauses between arrivals of bytes, and notices one that is far longer than all before it.

    Times are seconds by the source's clock. ``shortest_s`` is the least silence that is worth a word.
    """

    def __init__(self, shortest_s: float = SHORTEST_S) -> None:
        self._shortest_s = shortest_s
        self._last: float | None = None
        self._longest_s = 0.0
        self._count = 0
        self._noticed = self._passed_over = False

    @property
    def due(self) -> float | None:
        """When the present silence will be worth a word, None where it will not, was noticed or is owed to nobody."""
        return None if self._passed_over else self._worth_a_word_at

    @property
    def _worth_a_word_at(self) -> float | None:
        if self._noticed or self._last is None or self._count < _FEWEST:
            return None
        return self._last + max(self._shortest_s, _TIMES * self._longest_s)

    def on_bytes(self, now: float) -> tuple[QuietEnded, ...]:
        """Bytes came."""
        quiet_s = 0.0 if self._last is None else max(now - self._last, 0.0)
        self._longest_s = max(self._longest_s, quiet_s)
        self._last, self._count = now, self._count + 1
        ended, self._noticed, self._passed_over = self._noticed, False, False
        return (QuietEnded(now, quiet_s),) if ended else ()

    def pass_to(self, now: float, *, owed: bool) -> tuple[QuietNoticed, ...]:
        """Time passes in silence; ``owed`` says that nobody has said a word of it yet and a line is owed.

        A silence that is passed over may be owed later on: then it is noticed at once, but nobody need wait for that.
        """
        due = self._worth_a_word_at
        if due is None or self._last is None or now < due:
            return ()
        self._noticed, self._passed_over = owed, not owed
        return (QuietNoticed(now, now - self._last, self._longest_s),) if owed else ()
