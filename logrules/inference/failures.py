"""The failure records of a run, and what the tables know of them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from logrules.inference.exception_table import ExceptionTable
from logrules.inference.failure_analysis import (
    KnownFailure,
    RepeatedFailures,
    captures_of,
    was_asked_for,
)
from logrules.inference.observation import KEPT_OBSERVATIONS, Match, Observation
from logrules.model.event import Event, Hit, Stance, hosts_of, ranks_of
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame
from logrules.model.record import replace
from logrules.parsing.exception_line import indent_of, prefixed_rank
from logrules.parsing.exit_signals import signal_number
from logrules.parsing.exits import ExitReader
from logrules.parsing.lone_failures import LOGGED_ERROR, logged_record
from logrules.parsing.origin import OriginResolver
from logrules.parsing.traceback import TracebackAssembler
from logrules.ruleset.pack import Marker, Pack
from logrules.ruleset.tables import EXCEPTIONS, EXITS

# The hit of an event that a row of a table stands behind: no signal of the pack has this number.
ROW_SIGNAL = -2
_MAX_RECORDS = 10_000
# So many lines that a record grew by are kept.
_MAX_GROWN = 4
# So many statements are kept: a log may claim what it likes.
_MAX_STATED = 10_000


class Failures:
    """Follows the failure records of one run, and their phases.

    All runs of a pack share the ``origins`` of its code and its table of ``exceptions``.
    """

    def __init__(self, pack: Pack, origins: OriginResolver, exceptions: ExceptionTable) -> None:
        self._origins, self._exceptions = origins, exceptions
        self._ids = ids = count(1)
        self._assembler = TracebackAssembler(pack.trace, origins.of_frame, ids)
        self._records: dict[int, KnownFailure] = {}
        # Phases that statements below frames ask for.
        self._stated: dict[tuple[int, Frame], str] = {}
        self._exits = ExitReader(pack.tables.exit_forms, pack.tables.exit_codes, ids)
        self._exit_forms = {number: form for form, number in pack.exit_signals.items()}
        self._told_as_caught: dict[int, Failure] = {}
        self._known_to: dict[str, dict[int, KnownFailure]] = {}
        self._repeated = RepeatedFailures()
        self._between = pack.signals[pack.trace.chain].literals if pack.trace is not None else ()

    def feed(self, event: Event) -> tuple[int | None, tuple[Failure, ...]]:
        """The record that a line is of; the ends of processes that it tells, and the exception that it completes."""
        chain, raised = self._assembler.feed(event)
        ended = (
            self._exits.read(event, form, hit.captures)
            for hit in event.hits
            if (form := self._exit_forms.get(hit.signal)) is not None
        )
        return chain, tuple(one for one in (*ended, raised) if one is not None)

    def take_statement(self, record: int, line: Event, markers: Iterable[Marker]) -> None:
        """A line within a record bears these markers: if it is indented, it is the statement of the frame above it.

        A call through a proxy (a group of workers, an actor) leaves no frame of what was called: the statement that the
        traceback prints below the frame is all that tells of it.
        """
        frames = self._assembler.stacks.frames_of(record)
        if not frames or not indent_of(line.message) or len(self._stated) >= _MAX_STATED:
            return
        for marker in markers:
            if marker.enters is not None:
                self._stated[record, frames[-1]] = marker.enters

    def phase_of(self, record: int) -> str | None:
        """The phase of the innermost telling frame of a record, or of a stack dump, or what its statement asked for."""
        known = self.record_of(record)
        phase, teller = self._origins.phase_of_chain(known.chain if known is not None else ())
        if phase is None:
            phase, teller = self._origins.phase_of(self._assembler.stacks.frames_of(record))
        return phase if teller is None else self._stated.get((record, teller), phase)

    def phase_before(self, shown: Observation) -> str | None:
        """The phase of the latest record of the same source before this line whose frames tell one."""
        told = ((one.shown, number) for number, one in self._records.items())
        orders = [(seen.order, number) for seen, number in told if seen.event.source == shown.event.source]
        before = (number for order, number in sorted(orders, reverse=True) if order < shown.order)
        return next(filter(None, map(self.phase_of, before)), None)

    def first_phase(self) -> str | None:
        """The phase of the first record whose frames tell one, else of a traceback that the log cuts off."""
        return next(filter(None, map(self.phase_of, (*self._records, *self._assembler.stacks.tracebacks()))), None)

    def phase_of_header(self, line: Event) -> str | None:
        """The phase of the logger or the source file that the header of a line names."""
        origin = self._origins.of_line(line.text)
        return origin.phase if origin is not None else None

    def cut_off(self, lines: Sequence[Event]) -> Failure | None:
        """The exception that the last of these lines of a log leaves untold in the midst of its traceback, if so."""
        return self._assembler.cut_off(lines)

    def logged(self, line: Event, below: Iterable[str]) -> Failure | None:
        """The record of an error that a line states, whose message goes on ``below``; None if unknown."""
        failure = logged_record(next(self._ids), line, below)
        return failure if self._rule_of(failure)[0] is not None else None

    def keep(self, failure: Failure, observation: Observation) -> None:
        """Remember a record, in the place of what it has grown from; ``observation`` is of its latest line."""
        if failure.id not in self._records and len(self._records) >= _MAX_RECORDS:
            return
        known = self._records.get(failure.id)
        # What ended a script nobody lived through, however often: the runs that share a log may each end so.
        # Nor is one counted of which more was told above: of a very long chain a sample of the log holds pieces.
        is_piece = any(words in line for line in failure.first.before for words in self._between)
        if known is None and failure.script is None and not is_piece:
            self._repeated.count(failure, observation.round)
        rule, link = self._rule_of(_as_stated(failure, known, observation.event))
        told = link.event if link is not None else observation.event
        # The first that was raised and the latest: what the log ends in often names the wrapper alone.
        grown = (*(known.grown if known is not None else ())[: _MAX_GROWN - 1], observation)
        near = next((seen for seen in grown if seen.event.line == told.line), observation)
        captures = captures_of(failure, link)
        event = replace(told, hits=(*told.hits, Hit(ROW_SIGNAL, captures)), arrived=near.event.arrived)
        record = self._records[failure.id] = KnownFailure(failure, rule, replace(near, event=event), grown)
        self._told_as_caught.pop(failure.id, None)
        if failure.stance is Stance.CAUGHT:
            self._told_as_caught[failure.id] = failure
        if known is not None and known.rule not in (None, rule):
            del self._known_to[known.rule][failure.id]
        if rule is not None:
            self._known_to.setdefault(rule, {})[failure.id] = record

    def _rule_of(self, failure: Failure) -> tuple[str | None, ExceptionLink | None]:
        if failure.kind is FailureKind.EXIT:
            code = self._exits.cause_of(failure)
            return (EXITS + code.id if code is not None else None), None
        framed = any(link.frames for link in failure.chain)
        printed_by = None if framed else self._origins.of_line(failure.first.text)
        found = self._exceptions.match_of(failure, printed_by)
        return (EXCEPTIONS + found[0].id, found[1]) if found is not None else (None, None)

    def rules(self) -> tuple[str, ...]:
        """The rules of the rows that know a record."""
        return tuple(rule for rule, records in self._known_to.items() if records)

    def match_of(self, rule: str) -> Match:
        """On what the rule of a row rests that knows a record."""
        known = self._known_to[rule].values()
        shown = sorted((line for one in known for line in one.telling), key=lambda one: one.order)
        # Of records that hold more than one exception, a few other lines that name one.
        orders = {seen.order for seen in shown}
        around = [line for one in known for line in one.grown if line.order not in orders][:KEPT_OBSERVATIONS]
        pairs = tuple((line, ROW_SIGNAL) for line in (*shown[:KEPT_OBSERVATIONS], *around))
        workers = [worker for one in known for worker in one.failure.workers]
        return Match(pairs, shown[-1], len(shown), frozenset(ranks_of(workers)), frozenset(hosts_of(workers)))

    def were_caught(self, rule: str) -> bool:
        """Whether all records that the rule of a row knows were lived through by their own words."""
        return all(map(self._caught, self._known_to[rule].values()))

    def _caught(self, one: KnownFailure) -> bool:
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
        failure = self.record_of(chain)
        if failure is None:
            return ()
        if ranks := ranks_of((failure.first.worker, failure.worker, *failure.workers)):
            return ranks
        alone = failure.first.line == failure.last.line
        rank = None if alone else prefixed_rank(failure.first.message, failure.last.message)
        return () if rank is None else (rank,)

    def all(self) -> Iterator[Failure]:
        """All that was raised, crashed or ended, as far as it has grown."""
        return (one.failure for one in self._records.values())

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
        return tuple(one for one in self.all() if one.kind is FailureKind.EXIT and not was_asked_for(one))

    def record_of(self, chain: int | None) -> Failure | None:
        """A record as far as it has grown."""
        known = self._records.get(chain) if chain is not None else None
        return known.failure if known is not None else None

    def frames_of(self, chain: int) -> tuple[str, ...]:
        """The frames of a record, or of a stack dump, as a traceback prints them, each once."""
        record = self.record_of(chain)
        chained = [frame for link in record.chain for frame in link.frames] if record is not None else []
        frames = [*chained, *self._assembler.stacks.frames_of(chain)]
        return tuple(dict.fromkeys(frame.printed for frame in frames))


def _as_stated(failure: Failure, known: KnownFailure | None, latest: Event) -> Failure:
    """What C++ threw and nobody caught, or a failed check, as the error that its words state; others as they are."""
    told = failure.kind is FailureKind.ABORT and failure.message
    if not told or signal_number(failure.type) is not None:
        return failure
    came_before = known is not None and known.failure.message == failure.message
    line = known.shown.event if known is not None and came_before else latest
    # What a failed check says is its condition: only rows that know the words in an exception of any class know it.
    kind = LOGGED_ERROR if failure.type else ""
    return replace(failure, type=kind, chain=(ExceptionLink(kind, failure.message, (), line),))
