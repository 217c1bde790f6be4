"""A few lines through the real engine, saved and ended, or live on a virtual clock; many of them on all cores."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from logrules.engine.run import Prepared, prepared, replay_prepared
from logrules.inference.session import Session
from logrules.model.change import Change
from logrules.model.event import Event
from logrules.model.record import mutable_record, replace
from logrules.model.report import Report
from logrules.model.stream import BytesArrived, End, Tick
from logrules.parsing.log_ends import LogEnds
from logrules.parsing.window import Window
from logrules.ruleset.pack import Pack
from logrules.ruletest.rule_tests import Example
from logrules.sources.discover import discover
from logrules.sources.flight_dump import NoDump, read_dump

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Below this many tests starting processes costs more than it saves.
FEW_TESTS = 150
_PARTS_A_PROCESS = 8
# Any moment will do: live logs begin here.
START = 1_700_000_000.0
SOURCE = "example"


@mutable_record
class Live:
    """A live log under way: its session, the virtual time, and how many lines have come."""

    on: Prepared
    session: Session
    now: float = START
    lines: int = 0

    def arrive(self, log: str) -> list[Change]:
        """What lines change that arrive now."""
        changes = [*self.session.feed(BytesArrived(SOURCE, self.now))]
        for event in events_of(self.on, log, self.lines + 1):
            changes += self.session.feed(replace(event, arrived=self.now))
        # What the new lines put an end to must not wait for the next silence.
        changes += self.session.feed(Tick(self.now))
        self.lines += max(len(log.splitlines()), 1)
        return changes

    def let_pass(self, seconds: float) -> list[Change]:
        """What it changes that nothing arrives for so long."""
        changes: list[Change] = []
        until = self.now + seconds
        while (deadline := self.session.deadline) is not None and self.now < deadline < until:
            self.now = deadline
            changes += self.session.feed(Tick(deadline))
        self.now = until
        return [*changes, *self.session.feed(Tick(until))]

    def report(self) -> Report:
        """The report at this moment."""
        return self.session.report(self.lines, (SOURCE,))


def events_of(on: Prepared, log: str, first_line: int = 1) -> list[Event]:
    """The events of the lines, the last line among them whether or not anybody asked for it; none of no lines."""
    if not log.strip():
        return []
    data = log.encode()
    found = on.scanners.find(Window(SOURCE, 0, 0, data))
    ends = LogEnds()
    ends.add(0, data)
    unasked = on.reader.tail_events(SOURCE, ends.last_lines(first_line - 1 + data.count(b"\n")))
    opening = (on.reader.head_event(SOURCE, line) for line in (ends.first_lines() if first_line == 1 else ()))
    return [*on.reader.events(found, first_line), *unasked, *opening]


def events_of_example(on: Prepared, example: Example) -> list[Event]:
    """What the dumps of an example hold, and the events of its lines."""
    records: list[Event] = []
    for rank, dump in enumerate(example.dumps):
        with suppress(NoDump):
            records += read_dump(f"dump of rank {rank}", rank, dump.encode())
    return [*records, *events_of(on, example.log)]


def judged(on: Prepared, events: Iterable[Event], quiet_s: float | None) -> Session:
    """A session that has taken the events: saved and ended, or live and then silent for ``quiet_s``."""
    session = on.session()
    if quiet_s is None:
        for event in events:
            session.feed(event)
        session.feed(End())
    else:
        session.feed(Tick(START))
        for event in _as_they_came(events):
            session.feed(BytesArrived(SOURCE, event.arrived or START))
            session.feed(event)
        session.feed(Tick((session.now or START) + quiet_s))
    return session


def _as_they_came(events: Iterable[Event]) -> Iterator[Event]:
    """The events of a live log: each came when it was written, as far as the log tells."""
    first: float | None = None
    now = START
    for event in events:
        if event.stamp is not None:
            first = event.stamp.seconds if first is None else first
            now = max(now, START + event.stamp.seconds - first)
        yield replace(event, arrived=now)


def report_on(session: Session, events: Sequence[Event]) -> Report:
    """The report of a session that has taken these events of one log."""
    return session.report(events[-1].line if events else 0, (SOURCE,))


def held(session: Session) -> frozenset[str]:
    """Every rule that holds, which is all that a report would tell of: to order them is most of its work."""
    return frozenset(one.rule.id for one in session.hypotheses())


def run_log(on: Prepared, log: str, quiet_s: float | None = None) -> Report:
    """The report on a few lines: saved and ended, or live and then silent for ``quiet_s``."""
    events = events_of(on, log)
    return report_on(judged(on, events, quiet_s), events)


def run_saved(on: Prepared, session: Session, logs: Sequence[Path]) -> Report:
    """The report on saved logs, as `diagnose` reads them, into a session of the pack."""
    found = discover([str(path) for path in logs])
    return replay_prepared(on, session, found.sources, found.notes)


def captures_in(on: Prepared, line: str, signal: int) -> Mapping[str, str] | None:
    """What one signal captures in a line, or None where the line does not carry it."""
    events = on.reader.events(on.scanners.find(Window("sample", 0, 0, line.encode())), 1)
    return next((hit.captures for event in events for hit in event.hits if hit.signal == signal), None)


def on_all_cores(
    task: Callable[[Prepared, Item], Answer],
    items: Sequence[Item],
    on: Prepared,
    processes: int | None,
    few: int = FEW_TESTS,
) -> list[Answer]:
    """``task`` of each item, in order, by one process a core unless told how many. It is a function of a module."""
    if len(items) < few or processes == 1:
        return _each(task, on, items)
    # What few tests do without takes longer to load than they do.
    from concurrent.futures.process import BrokenProcessPool

    from logrules.engine.resilient_pool import WorkerPool, default_processes

    processes = processes or default_processes()
    size = max(1, len(items) // (processes * _PARTS_A_PROCESS))
    parts = {number: items[number : number + size] for number in range(0, len(items), size)}
    answers = dict(WorkerPool(processes, partial(_each, task), _prepared).answers(parts, on.pack))
    if None in answers.values():
        raise BrokenProcessPool("an item ends every process that works on it")
    return [answer for number in parts for answer in answers[number] or ()]


def _prepared(pack: Pack) -> Prepared:
    return prepared(pack, cache=True)


def _each(task: Callable[[Prepared, Item], Answer], on: Prepared, items: Sequence[Item]) -> list[Answer]:
    return [task(on, item) for item in items]
