"""Replays saved logs as if they were being written now: by their timestamps, at the speed asked for."""

import heapq
from collections.abc import Iterator, Sequence
from operator import itemgetter
from threading import Event as Flag

from logrules.engine.dating import after_full_date
from logrules.inference.clock import Clock
from logrules.model.errors import SourceError
from logrules.model.event import Event, Timestamp, Worker
from logrules.model.stream import Block, End, Skipped, Tick
from logrules.parsing.clean import clean, may_be_redrawn, redraws
from logrules.parsing.header import HeaderParser
from logrules.ruleset.pack import Pack
from logrules.sources.source import Source, lines_of, modified_of

_HEAD_BYTES = 512
_BLOCK_BYTES = 256 << 10
_MAX_UNTIMED_BYTES = 16 << 20


class ReplaySource:
    """A live source over saved logs. Its clock is that of their lines, ``speed`` times as fast as ours.

    ``speed`` None never sleeps. ``then_quiet_s`` is how much time passes after the last line. Raises SourceError
    if a log has no times.
    """

    def __init__(self, logs: Sequence[Source], pack: Pack, speed: float | None, then_quiet_s: float = 0.0) -> None:
        self.name = "replay"
        self._blocks = heapq.merge(*(_timed(log, pack) for log in logs), key=_time_of)
        self._speed = speed
        self._next = next(self._blocks, None)
        self._now = _time_of(self._next) if self._next else 0.0
        self._then_quiet_s = then_quiet_s
        self._over: float | None = None
        self._stopped = Flag()

    def stop(self) -> None:
        """End at once."""
        self._stopped.set()

    def read(self, until: float | None) -> Block | Skipped | Tick | End:
        """The next lines at their time, or a `Tick` if ``until`` passes first."""
        block = self._next
        if block is None and self._over is None:
            self._over = self._now + self._then_quiet_s
        at = self._over if block is None else _time_of(block)
        if until is not None and at is not None and until < at:
            self._pass_to(until)
            return End() if self._stopped.is_set() else Tick(self._now)
        self._pass_to(at or 0.0)
        if self._stopped.is_set() or block is None:
            return End()
        self._next = next(self._blocks, None)
        return block

    def _pass_to(self, time: float) -> None:
        if self._speed is not None and time > self._now:
            self._stopped.wait((time - self._now) / self._speed)
        self._now = max(self._now, time)


def _time_of(block: Block) -> float:
    return block.arrived or 0.0


def _timed(log: Source, pack: Pack) -> Iterator[Block]:
    """The log in blocks of lines of one time. Lines without a time go with those before them, the first with the next.

    A line may be in two blocks, if its end has a time of its own.
    Reading is lazy: only one block is held, and the lines before the first time.
    """
    peeler, clock = HeaderParser(pack), Clock(modified_of(log))
    held: list[bytes] = []
    offset = length = 0
    at: float | None = None
    stamped = (piece for line in lines_of(log) for piece in _stamped(line, peeler))
    for line, stamp in after_full_date(stamped, itemgetter(1), clock):
        time = _time(stamp, clock)
        if at is not None and held and (time not in (None, at) or length > _BLOCK_BYTES):
            yield Block(log.name, offset, b"".join(held), at)
            held, offset, length = [], offset + length, 0
        # If a clock runs backwards, lines keep their order.
        at = max((one for one in (at, time) if one is not None), default=None)
        held.append(line)
        length += len(line)
        if at is None and length > _MAX_UNTIMED_BYTES:
            break
    if at is None and held:
        raise SourceError(f"{log.name}: its lines have no times that logrules can read, so it cannot be replayed")
    if held:
        yield Block(log.name, offset, b"".join(held), at)


def _stamped(line: bytes, peeler: HeaderParser) -> Iterator[tuple[bytes, Timestamp | None]]:
    """The line with its time; in two where who wrote its end did so later, behind what a bar left open."""
    stamp = _stamp(line, peeler)
    if stamp is None and may_be_redrawn(line):
        end = max(len(line) - _HEAD_BYTES, 0)
        begin = end + max((start for start, _ in redraws(line[end:])), default=0)
        if begin and (late := _stamp(line[begin:], peeler)) is not None:
            yield line[:begin], None
            yield line[begin:], late
            return
    yield line, stamp


def _stamp(line: bytes, peeler: HeaderParser) -> Timestamp | None:
    return peeler.peel(clean(line[:_HEAD_BYTES])).stamp


def _time(stamp: Timestamp | None, clock: Clock) -> float | None:
    return None if stamp is None else clock.read(Event("", 0, 0, "", "", Worker(), stamp=stamp))
