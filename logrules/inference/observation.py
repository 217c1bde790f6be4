"""An event as the session saw it: its place in the order of the job, its time and its phase."""

from collections.abc import Mapping
from dataclasses import dataclass

from logrules.model.event import Event, Worker


@dataclass(frozen=True, slots=True)
class Observation:
    """``order`` counts the session's events; ``time`` is in seconds since the epoch, None if unknown.

    ``time`` is when the line was written, ``heard`` when it came: silence is measured from there. In a saved log
    both are the same.

    ``phase`` is where the writer was, as far as markers tell; ``chain`` numbers the chain of tracebacks
    that the line is in, whose frames may tell better. ``round`` and ``completions`` are how far the run
    had come, which later tells whether it survived this.
    """

    event: Event
    order: int
    time: float | None
    phase: str | None
    chain: int | None = None
    round: int = 0
    completions: int = 0

    @property
    def heard(self) -> float | None:
        """When the line came, in seconds since the epoch; for a saved log when it was written."""
        return self.time if self.event.arrived is None else self.event.arrived

    @property
    def worker(self) -> Worker:
        """Who wrote the line."""
        return self.event.worker

    def captures(self, signal: int) -> Mapping[str, str]:
        """What the signal's pattern captured in this line."""
        return next((hit.captures for hit in self.event.hits if hit.signal == signal), {})


@dataclass(frozen=True, slots=True)
class Match:
    """The sightings that one part of a condition rests on: the first few, the last, and how many.

    ``signals`` says which signal made each of ``first`` count; ``ranks`` are all that were seen.
    """

    first: tuple[Observation, ...]
    signals: tuple[int, ...]
    last: Observation
    count: int = 1
    ranks: frozenset[int] = frozenset()
    hosts: frozenset[str] = frozenset()


KEPT_SIGHTINGS = 4
_KEPT_NAMES = 65_536


def begin(sighting: Observation, signal: int) -> Match:
    """A trail of one sighting."""
    return Match((sighting,), (signal,), sighting, sighting.event.repeat, _ranks(sighting), _hosts(sighting))


def extend(trail: Match, sighting: Observation, signal: int) -> Match:
    """The trail with one more sighting; a signal not yet shown displaces nothing and is kept."""
    room = len(trail.first) < KEPT_SIGHTINGS or signal not in trail.signals
    first = (*trail.first, sighting) if room else trail.first
    signals = (*trail.signals, signal) if room else trail.signals
    ranks = trail.ranks | _ranks(sighting) if len(trail.ranks) < _KEPT_NAMES else trail.ranks
    hosts = trail.hosts | _hosts(sighting) if len(trail.hosts) < _KEPT_NAMES else trail.hosts
    return Match(first, signals, sighting, trail.count + sighting.event.repeat, ranks, hosts)


def _ranks(sighting: Observation) -> frozenset[int]:
    rank = sighting.worker.rank
    return frozenset() if rank is None else frozenset((rank,))


def _hosts(sighting: Observation) -> frozenset[str]:
    host = sighting.worker.host
    return frozenset() if host is None else frozenset((host,))
