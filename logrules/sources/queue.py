"""Logs that readers hand in, joined into one source: pieces of any size in, whole lines out; bounded by bytes."""

from collections import deque
from threading import Condition, RLock

from logrules.model.record import field, mutable_record
from logrules.model.stream import Block, End, Skipped, Tick
from logrules.sources.copied_text import GrowingForm
from logrules.sources.decoding import Utf8Text
from logrules.sources.source import BLOCK_BYTES
from logrules.sources.wall_clock import Now, now

LIMIT_BYTES = 8 << 20
# Small writes are gathered for so long and cost one scan together. Far below what a person notices.
GATHER_S = 0.012
FELL_BEHIND = "came faster than it could be read, so a part was passed on without being analysed"
# Who wakes so much later than asked for was stopped, or its machine was. A busy machine is not as late as that.
STOOD_STILL_S = 5.0
# Once whoever fills a queue has ended, what waits is read for so long; then of each log only so much of its end is.
REST_S, REST_BYTES = 2.0, 1 << 20
# So much is worth a scan at once.
_MUCH_BYTES = 256 << 10


# How long a line may stay without its end before it is read as far as it has come: a prompt or a progress bar
# may never end its line.
HOLD_S = 0.5


@mutable_record
class PendingLines:
    """What came of ``log`` and was not taken yet.

    ``offset`` is that of its first byte, ``has_line_end`` says whether there is a whole line, ``is_cut`` that the last
    one will not be finished. ``form`` is how the log was copied, as its first lines tell, ``text`` how it is encoded.
    """

    log: str
    offset: int = 0
    has_line_end: bool = False
    is_cut: bool = False
    form: GrowingForm = field(default_factory=GrowingForm)
    text: Utf8Text = field(default_factory=Utf8Text)
    _arrived: float | None = None
    _since: float = 0.0
    _held: bytearray = field(default_factory=bytearray)

    @property
    def length(self) -> int:
        """How much it is."""
        return len(self._held)

    def add(self, data: bytes, arrived: float, now: float) -> None:
        """Take what came; ``arrived`` is when it was written, as far as is known."""
        data = self.text.take(data)
        if not self._held:
            self._since = now
        self._arrived = arrived
        self._held += data
        self.has_line_end = self.has_line_end or b"\n" in data

    def due(self, *, last: bool) -> float | None:
        """From when on there is something to take; ``last`` says that no line will be finished."""
        if not self._held:
            return None
        whole = self.has_line_end or last or self.is_cut or len(self._held) >= BLOCK_BYTES
        return self._since if whole else self._since + HOLD_S

    def take(self) -> Block:
        """The whole lines that came, a block's worth; where there is none, what there is of a line."""
        cut = self._held.rfind(b"\n", 0, BLOCK_BYTES) + 1 or BLOCK_BYTES
        with memoryview(self._held) as held:
            lines = bytes(held[:cut])
        del self._held[:cut]
        self.has_line_end = b"\n" in self._held
        block = Block(self.log, self.offset, self.form.lines(lines), self._arrived)
        self.offset += len(block.data)
        return block

    def shorten(self) -> Skipped | None:
        """Let go of all but the end, from the start of a line if one begins there; None where it is short."""
        over = len(self._held) - REST_BYTES
        if over <= 0:
            return None
        cut = self._held.find(b"\n", over) + 1 or over
        left_out = Skipped(self.log, self.offset, cut, FELL_BEHIND, self._held.count(b"\n", 0, cut))
        del self._held[:cut]
        self.has_line_end = b"\n" in self._held
        self.offset += cut
        return left_out

    def finish(self) -> None:
        """Nothing more will come, or not what comes next."""
        self._held += self.text.finish()

    def drop(self) -> None:
        """Nobody will take anything."""
        self._held.clear()
        self.has_line_end = False


class EventQueue:
    """A source that threads fill. ``name`` is that of the job as a whole; each block names its own log.

    Whoever puts something in waits for room where more than ``limit_bytes`` wait: files can, and a relay leaves out
    what it has no room for (`leave_out`). ``gather_s`` is how long what comes is gathered before it is given.
    """

    def __init__(
        self,
        name: str = "job",
        *,
        limit_bytes: int = LIMIT_BYTES,
        gather_s: float = GATHER_S,
        clock: Now = now,
    ) -> None:
        self.name = name
        self._gather_s = gather_s
        self._limit = limit_bytes
        self._now = clock
        self._logs: dict[str, PendingLines] = {}
        self._round: deque[PendingLines] = deque()
        self._round_began = 0.0
        self._told: deque[Skipped] = deque()
        self._end: End | None = None
        self._taken = True
        self._hurries = False
        self._late_at = float("inf")
        self._changed = Condition(RLock())

    def put(self, log: str, data: bytes, arrived: float) -> None:
        """Take what was read of a log once there is room; ``arrived`` is when it was written."""
        with self._changed:
            room = max(self._limit - len(data), 0)
            self._changed.wait_for(lambda: self._closed or self._is_late or self._bytes() <= room)
            if self._closed:
                return
            pieces = self._pieces(log)
            before, known_fault = pieces.due(last=False), pieces.text.fault
            pieces.add(data, arrived, self._now())
            if pieces.text.fault != known_fault:
                self.note(log, str(pieces.text.fault))
            if self._is_late:
                self._shorten()
            # Whoever reads is woken only where that changes from when on there is something for it.
            if pieces.due(last=False) != before:
                self._changed.notify_all()

    def leave_out(self, log: str, size: int, lines: int) -> None:
        """So much of a log was left out before it came here; waits until what came before is taken."""
        with self._changed:
            pieces = self._pieces(log)
            pieces.finish()
            pieces.is_cut = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or not pieces.length)
            pieces.is_cut = False
            if not self._closed:
                self._told.append(Skipped(log, pieces.offset, size, FELL_BEHIND, lines))
                pieces.offset += size
                pieces.text.leave_out(size)
                self._changed.notify_all()

    def resume(self, pieces: PendingLines) -> None:
        """Go on with a log that was read elsewhere so far."""
        with self._changed:
            self._logs[pieces.log] = pieces
            if pieces.text.fault is not None:
                self.note(pieces.log, pieces.text.fault)
            if self._end is not None:
                pieces.finish()

    def begin_anew(self, log: str, reason: str) -> None:
        """The next bytes of this log are the first of a new file; waits until the older ones are taken."""
        with self._changed:
            pieces = self._pieces(log)
            pieces.finish()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._taken or not pieces.length)
            pieces.offset, pieces.form, pieces.text = 0, GrowingForm(), Utf8Text()
            self.note(log, reason)

    def note(self, log: str, reason: str) -> None:
        """Tell the reader of the report something of a log."""
        with self._changed:
            self._told.append(Skipped(log, 0, None, reason))
            self._changed.notify_all()

    def end(self, end: End) -> None:
        """Nothing that comes from now on is read; what came before is still given. The first end counts."""
        with self._changed:
            for pieces in () if self._end else self._logs.values():
                pieces.finish()
            self._end = self._end or end
            self._changed.notify_all()

    def hurry(self) -> None:
        """Whoever fills this has ended: whoever waits for that is not to wait until all that came was read."""
        with self._changed:
            self._hurries = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Read no further."""
        self.end(End())

    def give_up(self) -> None:
        """Nobody will take anything any more: what comes from now on is dropped."""
        with self._changed:
            self._taken = False
            for pieces in self._logs.values():
                pieces.drop()
            self._changed.notify_all()

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """The next whole lines of a log, or a `Tick` where ``until`` passes first or we stood still."""
        awaited = float("inf")
        with self._changed:
            while True:
                time = self._now()
                if time >= awaited + STOOD_STILL_S:
                    return Tick(time, unwatched_s=time - awaited)
                # Counted from when somebody reads: rules may have to be compiled first.
                if self._hurries and self._late_at > time + REST_S:
                    self._late_at = time + REST_S
                if time >= self._late_at:
                    self._shorten()
                if self._told:
                    return self._told.popleft()
                block = self._next(time)
                if block is not None:
                    self._changed.notify_all()
                    return block
                if self._end is not None and not self._bytes():
                    return self._end
                if until is not None and time >= until:
                    return Tick(time)
                moments = [at for at in (self._due(), until) if at is not None]
                wait_s = max(min(moments) - time, 0.0) if moments else None
                awaited = float("inf") if wait_s is None else time + wait_s
                self._changed.wait(wait_s)

    @property
    def _is_late(self) -> bool:
        return self._now() >= self._late_at

    def _shorten(self) -> None:
        """Go on with the end of each log."""
        self._told.extend(filter(None, map(PendingLines.shorten, self._logs.values())))
        self._changed.notify_all()

    @property
    def _closed(self) -> bool:
        return not self._taken or self._end is not None

    def _next(self, time: float) -> Block | None:
        if not self._round:
            due = self._due()
            if due is None or time < due:
                return None
            self._round_began = time
            last = self._end is not None
            self._round.extend(
                one for one in self._logs.values() if (at := one.due(last=last)) is not None and time >= at
            )
        while self._round:
            pieces = self._round.popleft()
            # Of what was due when the round began, so much may have been let go of that its line is open.
            if (at := pieces.due(last=self._end is not None)) is not None and time >= at:
                return pieces.take()
        return None

    def _due(self) -> float | None:
        """When the next round may begin: not before something is there, and has been gathered unless it is much."""
        last = self._end is not None
        due = min((at for one in self._logs.values() if (at := one.due(last=last)) is not None), default=None)
        if due is None or last or self._bytes() >= _MUCH_BYTES:
            return due
        return max(due, self._round_began + self._gather_s)

    def _pieces(self, log: str) -> PendingLines:
        return self._logs.setdefault(log, PendingLines(log))

    def _bytes(self) -> int:
        return sum(one.length for one in self._logs.values())
