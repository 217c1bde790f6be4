"""Follows a live job: the same extraction and session as for saved logs, fed as bytes arrive."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from threading import RLock

from logrules.engine.dating import dated, dated_events
from logrules.engine.live_log import LinesBelow, LiveLog, LiveLogs, exit_line, with_lines_below, with_stacks, with_years
from logrules.engine.merged_logs import merged
from logrules.engine.quiet_notice import SHORTEST_S, QuietNotice
from logrules.engine.run import Prepared, prepared
from logrules.inference.session import Session
from logrules.model.change import Change, Raised, Update, Withdrawn
from logrules.model.collective import GroupRecord
from logrules.model.event import Event
from logrules.model.record import replace
from logrules.model.report import Report, SourceNote, StackView
from logrules.model.stream import Block, BytesArrived, End, Skipped, Tick
from logrules.model.timeline import ParallelSizes, WorkerNow
from logrules.ruleset.pack import Pack
from logrules.sources.source import RecordSource, Source

# Metrics and other conditions that no single line decides are judged this often, even while lines keep coming.
JUDGE_S = 1.0
# Routine lines that were held back are read at least this often.
RELEASE_S = 0.25
# Of the backlog, so many events are read between two updates.
_BATCH = 1_000


class Following:
    """Follows one job. Iterating gives an `Update` after each block, each tick and the end.

    ``source`` is live and may carry many logs; each block names its own. ``beat_s`` is the longest time between
    updates, by the source's clock; None: as long as silence changes nothing. In a long silence it grows to
    ``beat_share`` of the silence. ``backlog`` are logs that exist already, read first and merged by their times;
    ``source`` continues where they end. ``dumps`` are what flight recorders wrote when the job had ended. ``rules`` are
    asked for once, when there is something to read; with ``cache`` their compiled literals are kept for the next start.
    One thread iterates; ``report`` and ``ingest`` may be called from any thread.
    """

    def __init__(
        self,
        source: Source,
        rules: Callable[[], Pack],
        beat_s: float | None = 1.0,
        backlog: Sequence[Source] = (),
        dumps: Sequence[RecordSource] = (),
        *,
        beat_share: float = 0.0,
        cache: bool = False,
    ) -> None:
        self._source = source
        self._dumps = dumps
        self._dump_lines: dict[str, int] = {}
        self._rules = rules
        self._cache = cache
        self._beat_s = beat_s
        self._beat_share = beat_share
        self._backlog = backlog
        self._stalls: set[str] = set()
        self._below = LinesBelow()
        self._skipped = Counter[tuple[str, str]]()
        self._heard: deque[Block | GroupRecord | tuple[str, str]] = deque()
        self._bytes = 0
        self._now: float | None = None
        self._released = self._judged = self._spoken = 0.0
        self._stacks: StackView | None = None
        self._lock = RLock()

    @cached_property
    def _on(self) -> Prepared:
        return prepared(self._rules(), cache=self._cache)

    @cached_property
    def _session(self) -> Session:
        return Session(self._on.pack, index=self._on.index)

    @cached_property
    def _notice(self) -> QuietNotice:
        return QuietNotice(SHORTEST_S * self._on.pack.patience)

    @cached_property
    def _logs(self) -> LiveLogs:
        return LiveLogs(self._on.scanners.for_another())

    def __iter__(self) -> Iterator[Update]:
        """Follow until the source ends."""
        yield from self._catch_up()
        while True:
            item = self._source.read(self._until())
            with self._lock:
                update = self._step(item)
            yield update
            if update.ended:
                return

    def report(self) -> Report:
        """Everything that is known now. Changes nothing."""
        with self._lock:
            report = self._session.report(self._lines(), tuple(self._logs.known))
            left_out = (SourceNote(name, f"{why} ({count:,} bytes)") for (name, why), count in self._skipped.items())
            noted = with_stacks(replace(report, notes=(*report.notes, *left_out)), self._stacks)
            return with_years(with_lines_below(noted, self._below.known), self._logs.known)

    def workers(self) -> tuple[WorkerNow, ...]:
        """Where each worker is now."""
        with self._lock:
            return self._session.workers()

    def parallel_sizes(self) -> ParallelSizes:
        """How the ranks share the work, as far as the log says."""
        with self._lock:
            return self._session.parallel_sizes

    def show_stacks(self, stacks: StackView) -> None:
        """Set where the processes of the job are, for the report: the latest inspection counts."""
        with self._lock:
            self._stacks = stacks

    def ingest(self, source: str, text: str, at: float) -> None:
        """Take further lines with the next update: a log of their own, as what a command of an inspection printed."""
        lines = text.removesuffix("\n") + "\n"
        self._heard.append(Block(source, 0, lines.encode(errors="replace"), at))

    def ingest_records(self, records: Iterable[GroupRecord], at: float | None) -> None:
        """The same for the records of flight recorders at ``at``."""
        self._heard.extend(replace(record, arrived=at) for record in records)

    def ingest_dump(self, dump: RecordSource, at: float | None) -> None:
        """The same of a dump that lay beside the logs ``at`` that time; one of the same name was an earlier one."""
        with self._lock:
            self._dump_lines[dump.name] = dump.lines
        self.ingest_records(dump.records, at)

    def tell(self, name: str, value: str) -> None:
        """Add a fact about the job that is not in its logs, for use in steps; it is known with the next update."""
        self._heard.append((name, value))

    def note(self, source: str, text: str) -> None:
        """Add a note to the report that no rule reads."""
        with self._lock:
            self._session.note(SourceNote(source, text))

    def _until(self) -> float | None:
        if self._now is None and self._beat_s is not None:
            return 0.0  # the silence of a job that never writes counts from now: the first tick says when that is
        due = [self._session.deadline, self._notice.due]
        if self._now is not None:
            if self._beat_s is not None:
                due.append(self._now + max(self._beat_s, self._beat_share * (self._now - self._spoken)))
            if self._logs.holds:
                due.append(self._released + RELEASE_S)
        return min((at for at in due if at is not None), default=None)

    def _catch_up(self) -> Iterator[Update]:
        """The backlog, some events at a time."""
        with self._lock:
            # Dated at once: they may have to be merged after those of other logs.
            logs = [dated_events(self._saved_events(log), self._logs.read(log.name).clock) for log in self._backlog]
        events = merged(logs, len(logs))
        is_left = bool(self._backlog)
        while is_left:
            with self._lock:
                batch = list(islice(events, _BATCH))
                update = self._update([change for event in batch for change in self._fed(event)], ended=False)
            is_left = len(batch) == _BATCH
            yield update

    def _fed(self, event: Event) -> Iterator[Change]:
        if event.arrived is not None:
            yield from self._session.feed(BytesArrived(event.source, event.arrived))
        yield from self._session.feed(event)
        self._logs.read(event.source)

    def _saved_events(self, source: Source) -> Iterator[Event]:
        log = self._logs.read(source.name)
        if isinstance(source, RecordSource):
            yield from source.records
        while isinstance(item := source.read(None), Block):
            self._bytes += len(item.data)
            self._now = max(self._now or 0.0, item.arrived or 0.0)
            yield from log.growing.read(item)
            self._logs.read(source.name)
            self._below.keep(source.name, log.growing.below, self._session.report)
        yield from log.growing.held()

    def _step(self, item: Block | Skipped | Tick | End) -> Update:
        changes = list(self._take(item))
        self._remember_stalls(changes)
        if isinstance(item, Tick):
            owed = not self._stalls and not self._session.owes_nothing
            changes += self._notice.pass_to(item.now, owed=owed)
        changes += self._hear()
        update = self._update(changes, ended=isinstance(item, End))
        return replace(update, unwatched_s=item.unwatched_s) if isinstance(item, Tick) else update

    def _hear(self) -> Iterator[Change]:
        """Take what others have told of the job: it is no word from the job, so that its silence goes on."""
        while self._heard:
            heard = self._heard.popleft()
            if isinstance(heard, tuple):
                self._session.tell(*heard)
            elif isinstance(heard, GroupRecord):
                yield from self._feed(self._logs.read(heard.source), (heard,))
            else:
                log = self._logs.read(heard.source)
                yield from self._feed(log, log.growing.read(replace(heard, offset=log.growing.offset)))
                yield from self._feed(log, log.growing.held())
                self._below.keep(heard.source, log.growing.below, self._session.report)

    def _remember_stalls(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if isinstance(change, Raised) and change.quiet_s is not None:
                if not self._stalls and self._stacks is not None:
                    # The odd ranks of the last stall are not to blame for this one.
                    self._stacks = replace(self._stacks, apart=())
                self._stalls.add(change.rule)
            elif isinstance(change, Withdrawn):
                self._stalls.discard(change.rule)

    def _update(self, changes: Sequence[Change], *, ended: bool) -> Update:
        now = self._now if self._now is not None else self._session.now or 0.0
        return Update(now, tuple(changes), self._lines(), self._bytes, sum(self._skipped.values()), ended)

    def _take(self, item: Block | Skipped | Tick | End) -> Iterator[Change]:
        match item:
            case Block():
                self._bytes += len(item.data)
                yield from self._block(item)
            case Skipped():
                yield from self._skip(item)
            case Tick(now=now, unwatched_s=unwatched_s):
                if unwatched_s:
                    self._notice.pass_over(unwatched_s)
                    yield from self._session.feed(item)
                yield from self._release(now)
                yield from self._judge(now)
            case End():
                yield from self._end(item)

    def _block(self, block: Block) -> Iterator[Change]:
        if block.arrived is not None:
            self._spoken = block.arrived
            yield from self._session.feed(BytesArrived(block.source, block.arrived))
            yield from self._notice.on_bytes(block.arrived)
        log = self._logs.read(block.source)
        yield from self._feed(log, log.growing.read(block))
        self._below.keep(block.source, log.growing.below, self._session.report)
        if block.arrived is not None:
            yield from self._release(block.arrived)
            yield from self._judge(block.arrived)

    def _feed(self, log: LiveLog, events: Iterable[Event]) -> Iterator[Change]:
        for event in events:
            yield from self._session.feed(dated(event, log.clock))

    def _skip(self, item: Skipped) -> Iterator[Change]:
        if item.bytes is None:
            self._session.note(SourceNote(item.source, item.reason))
            return
        self._skipped[item.source, item.reason] += item.bytes
        log = self._logs.read(item.source)
        yield from self._feed(log, log.growing.skip(item.offset + item.bytes, item.lines))

    def _release(self, now: float) -> Iterator[Change]:
        """Read what was held back for long enough."""
        self._now = now
        if now < self._released + RELEASE_S:
            return
        self._released = now
        for name, log in self._logs.known.items():
            if log.growing.holds:
                yield from self._feed(self._logs.read(name), log.growing.held())

    def _judge(self, now: float) -> Iterator[Change]:
        """Let the session judge silence where its deadline has passed, and now and then."""
        deadline = self._session.deadline
        if now >= self._judged + (self._beat_s or JUDGE_S) or (deadline is not None and now >= deadline):
            self._judged = now
            yield from self._session.feed(Tick(now))

    def _end(self, end: End) -> Iterator[Change]:
        if end.exit_status:
            self._notice = QuietNotice()  # that line is not the job's
            yield from self._block(exit_line(end, self._now))
        # The log that was written last shows where the job ended.
        for name, log in sorted(self._logs.known.items(), key=lambda item: item[1].clock.now or float("-inf")):
            yield from self._feed(self._logs.read(name), chain(log.growing.held(), log.growing.ends()))
            for sentence in log.reader.dropped:
                self._session.note(SourceNote(name, sentence))
        for dump in self._dumps:
            self.ingest_dump(dump, self._now)
        yield from self._hear()
        yield from self._session.feed(end)

    def _lines(self) -> int:
        return self._logs.lines + sum(self._dump_lines.values())
