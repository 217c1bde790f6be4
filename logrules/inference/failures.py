"""The failure records of a run, and what the tables know of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

from logrules.inference.exception_table import ExceptionTable
from logrules.inference.failure_analysis import FailurePhases, RepeatedFailures, captures_of, was_asked_for
from logrules.inference.observation import KEPT_OBSERVATIONS, Match, Observation
from logrules.model.event import Event, Hit, Stance, Worker, hosts_of, ranks_of
from logrules.model.failure import ExceptionLink, Failure, FailureKind
from logrules.model.record import record, replace
from logrules.parsing.exception_line import prefixed_rank
from logrules.parsing.exit_signals import signal_number
from logrules.parsing.exits import ExitReader
from logrules.parsing.logged_error import logged_record, stated
from logrules.parsing.origin import OriginResolver
from logrules.parsing.traceback import TracebackAssembler
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import EXCEPTIONS, EXITS

# The hit of an event that a row of a table stands behind: no signal of the pack has this number.
ROW_SIGNAL = -2
_MAX_RECORDS = 10_000

# So many lines that a record grew by are kept.
_MAX_GROWN = 4


@record
class _Known:
    """A record, the rule of the row that knows it, the observation that shows it, and those that it grew by."""

    failure: Failure
    rule: str | None
    shown: Observation
    grown: tuple[Observation, ...]

    @property
    def telling(self) -> tuple[Observation, ...]:
        """The observations that show it, in order: of the end of a process also the place that told of it first."""
        first = self.grown[0] if self.failure.kind is FailureKind.EXIT and self.grown else self.shown
        return (self.shown,) if first.order == self.shown.order else (first, self.shown)


class Failures:
    """Follows the failure records of one run, and their ``phases``. ``components`` are those that frames were from.

    All runs of a pack share the ``origins`` of its code and its table of ``exceptions``.
    """

    def __init__(self, pack: Pack, origins: OriginResolver, exceptions: ExceptionTable) -> None:
        self._origins, self._exceptions = origins, exceptions
        self._ids = ids = count(1)
        self._assembler = TracebackAssembler(pack.trace, origins.of_frame, ids)
        self.phases = FailurePhases(origins, self._assembler.stacks.frames_of)
        self._exits = ExitReader(pack.tables.exit_forms, pack.tables.exit_codes, ids)
        self._exit_forms = {number: form for form, number in pack.exit_signals.items()}
        self._records: dict[int, _Known] = {}
        self._told_as_caught: dict[int, Failure] = {}
        self._records_of: Counter[str] = Counter()
        self._repeated = RepeatedFailures()
        self.components: set[str] = set()

    def feed(self, event: Event) -> tuple[int | None, tuple[Failure, ...]]:
        """The record that a line is of; the ends of processes that it tells, and the exception that it completes."""
        chain, raised = self._assembler.feed(event)
        ended = (
            self._exits.read(event, form, hit.captures)
            for hit in event.hits
            if (form := self._exit_forms.get(hit.signal)) is not None
        )
        return chain, tuple(one for one in (*ended, raised) if one is not None)

    def cut_off(self, lines: Sequence[Event]) -> Failure | None:
        """The exception that the last of these lines of a log leaves untold in the midst of its traceback, if so."""
        return self._assembler.cut_off(lines)

    def logged(self, line: Event, below: Sequence[Event]) -> Failure | None:
        """The record of an error that a line states, of a message that the lines ``below`` may end; None if unknown."""
        failure = logged_record(next(self._ids), line, below)
        return failure if self._rule_of(failure)[0] is not None else None

    def keep(self, failure: Failure, observation: Observation) -> None:
        """Remember a record, in the place of what it has grown from; ``observation`` is of its latest line."""
        if failure.id not in self._records and len(self._records) >= _MAX_RECORDS:
            return
        known = self._records.get(failure.id)
        # What ended a script nobody lived through, however often: the runs that share a log may each end so.
        if known is None and failure.script is None:
            self._repeated.count(failure, observation.round)
        self.components.update(
            frame.origin.component for link in failure.chain for frame in link.frames if frame.origin.component
        )
        rule, link = self._rule_of(_as_stated(failure, known, observation.event))
        told = link.event if link is not None else observation.event
        # The first that was raised and the latest: what the log ends in often names the wrapper alone.
        grown = (*(known.grown if known is not None else ())[: _MAX_GROWN - 1], observation)
        near = next((seen for seen in grown if seen.event.line == told.line), observation)
        captures = captures_of(failure, link)
        event = replace(told, hits=(*told.hits, Hit(ROW_SIGNAL, captures)), arrived=near.event.arrived)
        self._records[failure.id] = _Known(failure, rule, replace(near, event=event), grown)
        self._told_as_caught.pop(failure.id, None)
        if failure.stance is Stance.CAUGHT:
            self._told_as_caught[failure.id] = failure
        if known is not None and known.rule is not None:
            self._records_of[known.rule] -= 1
        if rule is not None:
            self._records_of[rule] += 1

    def _rule_of(self, failure: Failure) -> tuple[str | None, ExceptionLink | None]:
        if failure.kind is FailureKind.EXIT:
            code = self._exits.cause_of(failure)
            return (EXITS + code.id if code is not None else None), None
        framed = any(link.frames for link in failure.chain)
        printed_by = None if framed else self._origins.of_line(failure.first.text)
        found = self._exceptions.match_of(failure, printed_by)
        return (EXCEPTIONS + found.row.id, found.link) if found is not None else (None, None)

    def rules(self) -> frozenset[str]:
        """The rules of the rows that know a record."""
        return frozenset(rule for rule, records in self._records_of.items() if records)

    def matches(self) -> Iterator[tuple[str, Match, bool]]:
        """For each rule of a row: on what it rests, and whether its failures were lived through by their own words."""
        by_rule: dict[str, list[_Known]] = {}
        for one in self._records.values():
            if one.rule is not None:
                by_rule.setdefault(one.rule, []).append(one)
        for rule, known in by_rule.items():
            yield rule, _match(known), all(self._caught(one) for one in known)

    def _caught(self, one: _Known) -> bool:
        return one.failure.stance is Stance.CAUGHT or self.lived_through(one.shown)

    def lived_through(self, shown: Observation) -> bool:
        """Whether its own lines say so, or it was raised again and again, by a peer too, while the job stepped on."""
        failure = self.record_of(shown.chain)
        return failure is not None and (failure.stance is Stance.CAUGHT or self._repeated.ends_nothing(failure))

    def told_as_caught(self, event: Event) -> bool:
        """Whether the line stands in a record whose own lines say that it was lived through."""
        return any(one.holds(event) for one in self._told_as_caught.values())

    def ranks_of(self, chain: int) -> tuple[int, ...]:
        """The ranks that wrote a record: of a message of several lines only the first bears its writer's name."""
        known = self._records.get(chain)
        if known is None:
            return ()
        failure = known.failure
        if ranks := ranks_of((failure.first.worker, failure.worker, *failure.workers)):
            return ranks
        alone = failure.first.line == failure.last.line
        rank = None if alone else prefixed_rank(failure.first.message, failure.last.message)
        return () if rank is None else (rank,)

    def passed_on_ranks(self, chain: int) -> tuple[int, ...]:
        """The ranks that raised what others pass on as a record of their own."""
        known = self._records.get(chain)
        links = known.failure.chain if known is not None else ()
        return tuple(dict.fromkeys(link.rank for link in links if link.rank is not None))

    def raising_ranks(self) -> tuple[int, ...]:
        """The ranks that raised something which nobody caught, or that crashed."""
        return ranks_of(worker for one in self.uncaught() for worker in one.workers)

    def tells_after(self, event: Event) -> bool:
        """Whether the same log begins to tell, after the line, of anything that was raised, crashed or ended."""
        return any(one.failure.begins_below(event) for one in self._records.values())

    def tells_of(self, worker: Worker, since: Event) -> bool:
        """Whether anything that this worker raised, or how it ended, is told behind a line of its."""
        known = [one.failure for one in self._records.values() if worker in (one.failure.worker, *one.failure.workers)]
        return any(one.first.source != since.source or one.first.line > since.line for one in known)

    def uncaught(self) -> list[Failure]:
        """What was raised and caught by nobody, and the crashes."""
        raised = (one for one in self._records.values() if one.failure.chain or one.failure.kind is FailureKind.ABORT)
        return [one.failure for one in raised if not self._caught(one)]

    def lines_of(self, chain: int) -> Iterator[Event]:
        """The first line of a record, and those that named what it holds."""
        if (known := self._records.get(chain)) is not None:
            yield from (known.failure.first, *(seen.event for seen in known.grown))

    def reported_ends(self) -> tuple[Failure, ...]:
        """The ends of processes that launchers report as bad, in the order in which they were told of first."""
        ends = (one.failure for one in self._records.values() if one.failure.kind is FailureKind.EXIT)
        return tuple(one for one in ends if not was_asked_for(one))

    def phase_of(self, chain: int) -> str | None:
        """The phase that the frames of a record, or of a stack dump, tell."""
        return self.phases.of(chain, self.record_of(chain))

    def record_of(self, chain: int | None) -> Failure | None:
        """A record as far as it has grown."""
        known = self._records.get(chain) if chain is not None else None
        return known.failure if known is not None else None

    def script_of(self, chain: int | None) -> str | None:
        """The script that what a record holds ended, where its traceback says so."""
        record = self.record_of(chain)
        return None if record is None else record.script

    def frames_of(self, chain: int) -> tuple[str, ...]:
        """The frames of a record, or of a stack dump, as a traceback prints them, each once."""
        known = self._records.get(chain)
        chained = [frame for link in known.failure.chain for frame in link.frames] if known is not None else []
        frames = [*chained, *self._assembler.stacks.frames_of(chain)]
        printed = (f'File "{frame.file}", line {frame.line}, in {frame.function}' for frame in frames)
        return tuple(dict.fromkeys(printed))

    def phase_before(self, shown: Observation) -> str | None:
        """The phase of the latest record of the same source before this line whose frames tell one."""
        before = [
            (known.shown.order, number)
            for number, known in self._records.items()
            if known.shown.order < shown.order and known.shown.event.source == shown.event.source
        ]
        return next(filter(None, (self.phase_of(number) for _, number in sorted(before, reverse=True))), None)

    def first_phase(self) -> str | None:
        """The phase of the first record whose frames tell one, else of a traceback that the log cuts off."""
        numbers = (*self._records, *self._assembler.stacks.tracebacks())
        return next(filter(None, map(self.phase_of, numbers)), None)


def _as_stated(failure: Failure, known: _Known | None, latest: Event) -> Failure:
    """What C++ threw and nobody caught, as the error that its words state, on their line; another record as it is."""
    thrown = (
        failure.kind is FailureKind.ABORT and failure.message and failure.type and signal_number(failure.type) is None
    )
    if not thrown:
        return failure
    came_before = known is not None and known.failure.message == failure.message
    return stated(failure, known.shown.event if known is not None and came_before else latest)


def _around(known: Sequence[_Known], shown: Sequence[Observation]) -> Sequence[Observation]:
    """Of records that hold more than one exception, the other lines that name one."""
    orders = {seen.order for seen in shown}
    return [line for one in known for line in one.grown if line.order not in orders][:KEPT_OBSERVATIONS]


def _match(known: Sequence[_Known]) -> Match:
    shown = sorted((line for one in known for line in one.telling), key=lambda one: one.order)
    first = (*shown[:KEPT_OBSERVATIONS], *_around(known, shown))
    workers = [worker for one in known for worker in one.failure.workers]
    ranks, hosts = frozenset(ranks_of(workers)), frozenset(hosts_of(workers))
    return Match(first, (ROW_SIGNAL,) * len(first), shown[-1], len(shown), ranks, hosts)
