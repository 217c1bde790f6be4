"""Which lines are already explained: a fallback rule speaks only for those that no other rule claims."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from logrules.inference.observation import Match, Observation
from logrules.inference.ranking import ANYTHING, Hypothesis
from logrules.model.event import Worker
from logrules.model.report import Severity
from logrules.ruleset.pack import Rule

# A message of several lines is told by its first; what names it may stand on one of the others.
_REACH_LINES = 4


def unclaimed(hypotheses: Sequence[Hypothesis]) -> Iterator[Hypothesis]:
    """The hypotheses, those of fallback rules without the lines that others rest on; none where nothing is left."""
    claims = {
        (sighting.event.source, sighting.worker, sighting.event.line + near)
        for one in hypotheses
        if not one.rule.fallback and one.rule.wait is None and one.severity is Severity.ERROR
        for sighting in _sightings(one.trails)
        for near in _reach(one.rule)
    }
    for one in hypotheses:
        if not one.rule.fallback:
            yield one
            continue
        trails = tuple(left for trail in one.trails if (left := _without(trail, claims)) is not None)
        if trails:
            yield replace(one, trails=trails)


def _reach(rule: Rule) -> range:
    """How far round its lines a rule claims; a tail that anything explains claims nothing but itself."""
    return range(1) if ANYTHING in rule.yields_to else range(-_REACH_LINES, _REACH_LINES + 1)


def _sightings(trails: Iterable[Match]) -> Iterator[Observation]:
    for trail in trails:
        yield from (*trail.first, trail.last)


def _without(trail: Match, claims: set[tuple[str, Worker, int]]) -> Match | None:
    known = {sighting.order: (sighting, signal) for sighting, signal in zip(trail.first, trail.signals, strict=True)}
    known.setdefault(trail.last.order, (trail.last, trail.signals[-1]))
    left = [(sighting, signal) for sighting, signal in known.values() if _place(sighting) not in claims]
    if not left:
        return None
    sightings, signals = zip(*left, strict=True)
    return replace(trail, first=sightings, signals=signals, last=sightings[-1])


def _place(sighting: Observation) -> tuple[str, Worker, int]:
    return sighting.event.source, sighting.worker, sighting.event.line
