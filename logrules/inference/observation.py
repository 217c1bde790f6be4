"""An event as the session saw it: its place in the order of the job, its time and its phase."""

from collections.abc import Iterable, Mapping
from functools import reduce

from logrules.model.event import Event, Worker, as_rank, hosts_of, ranks_listed
from logrules.model.record import record


@record
class Observation:
    """``order`` counts the session's events; ``time`` is in seconds since the epoch, None if unknown.

    ``time`` is when the line was written, ``heard`` when it came: silence is measured from there, so that it leaves out
    the ``unwatched_s`` before it in which nobody watched. In a saved log both are the same.

    ``phase`` is where the writer was, as far as markers tell; ``chain`` numbers the chain of tracebacks
    that the line is in, whose frames may tell better. ``round`` and ``completions`` are how far the run
    had come, and ``own_round`` how far by this log alone, which later tells whether it survived this. ``late``: it was
    looked at when its log had ended, so that its line tells its place and not its order.
    """

    event: Event
    order: int
    time: float | None
    phase: str | None
    chain: int | None = None
    round: int = 0
    completions: int = 0
    unwatched_s: float = 0.0
    own_round: int = 0
    late: bool = False

    @property
    def heard(self) -> float | None:
        """When the line came, in seconds of watching; for a saved log when it was written."""
        return self.time if self.event.arrived is None else self.event.arrived - self.unwatched_s

    @property
    def watched_time(self) -> float | None:
        """When the line was written, in seconds of watching: for how long it is from one line to another."""
        return None if self.time is None else self.time - self.unwatched_s

    @property
    def worker(self) -> Worker:
        """Who wrote the line."""
        return self.event.worker

    def captures(self, signal: int) -> Mapping[str, str]:
        """What the signal's pattern captured in this line."""
        return next((hit.captures for hit in self.event.hits if hit.signal == signal), {})

    def all_captures(self) -> Mapping[str, str]:
        """What the patterns of all its signals and markers captured in this line."""
        return {name: value for hit in self.event.hits for name, value in hit.captures.items()}

    @property
    def refused_program(self) -> str | None:
        """The program that this line, outside of a traceback, says was refused its start (capture ``program``)."""
        return self.all_captures().get("program") if self.chain is None else None


@record
class Match:
    """What one part of a condition rests on: the first few observations, the last, and how many.

    ``pairs`` are the first few, each with the signal that made it count; ``ranks`` are all that were seen.
    """

    pairs: tuple[tuple[Observation, int], ...]
    last: Observation
    count: int = 1
    ranks: frozenset[int] = frozenset()
    hosts: frozenset[str] = frozenset()

    @property
    def first(self) -> tuple[Observation, ...]:
        """The first few."""
        return tuple(observation for observation, _ in self.pairs)

    @property
    def signals(self) -> tuple[int, ...]:
        """The signal that made each of these count."""
        return tuple(signal for _, signal in self.pairs)

    @property
    def lines(self) -> tuple[Observation, ...]:
        """The first few and the last."""
        return (*self.first, self.last)


KEPT_OBSERVATIONS = 4
# Of exceptions a few of other kinds are kept too: one rank raises in the midst of all that lose it.
_KEPT_KINDS = 24
_RAISED = ("type", "file", "line")
# Messages that begin alike are of one kind.
_BEGINNING = 24
# What belongs together is told within so many lines, unless it is one failure record.
NEAR_LINES = 64
_KEPT_NAMES = 65_536


# Of a line that no signal made count.
NO_SIGNAL = -1


def extended(match: Match | None, observation: Observation, signal: int = NO_SIGNAL) -> Match:
    """A match of one observation, or with one more; a signal not yet shown displaces nothing and is kept."""
    known = match if match is not None else Match((), observation, 0)
    pairs, ranks, hosts = known.pairs, known.ranks, known.hosts
    if len(pairs) < KEPT_OBSERVATIONS or signal not in known.signals or _is_new_kind(known, observation, signal):
        pairs = (*pairs, (observation, signal))
    if len(ranks) < _KEPT_NAMES:
        ranks |= _ranks(observation, signal)
    if len(hosts) < _KEPT_NAMES:
        hosts = hosts.union(hosts_of((observation.worker,)))
    return Match(pairs, observation, known.count + observation.event.repeat, ranks, hosts)


def _is_new_kind(match: Match, observation: Observation, signal: int) -> bool:
    """Whether it is an exception unlike those that are kept."""
    kind = _kind(observation.captures(signal))
    if kind is None or len(match.pairs) >= _KEPT_KINDS:
        return False
    return all(_kind(seen.captures(known)) != kind for seen, known in match.pairs)


def _kind(said: Mapping[str, str]) -> tuple[str, ...] | None:
    """Which exception captures tell of, raised where; None where they tell of none."""
    if "type" not in said or "message" not in said:
        return None
    return (*(said.get(name, "") for name in _RAISED), said["message"][:_BEGINNING])


def match_of_lines(observations: Iterable[Observation | None]) -> Match | None:
    """A match of these lines, which carry no signal that anybody asks for; None of none."""
    return reduce(extended, filter(None, observations), None)


def _ranks(observation: Observation, signal: int) -> frozenset[int]:
    """The rank that wrote the line: by its prefix, else by the line's own word (capture ``reporter``).

    Of a message that lists who has come (capture ``arrived``) it is those, whoever wrote it.
    """
    said, rank = observation.captures(signal), observation.worker.rank
    if listed := said.get("arrived"):
        return ranks_listed(listed)
    rank = as_rank(said.get("reporter")) if rank is None else rank
    return frozenset(() if rank is None else (rank,))


def told_together(one: Observation, other: Observation) -> bool:
    """Whether two lines are of one failure record, or of one worker and a few lines apart."""
    if one.chain is not None and one.chain == other.chain:
        return True
    mine, theirs = one.worker, other.worker
    if one.event.source != other.event.source or (mine != theirs and mine.is_process and theirs.is_process):
        return False
    return abs(one.event.line - other.event.line) <= NEAR_LINES
