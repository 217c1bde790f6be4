"""Which lines are already explained: a fallback rule speaks only for those that no other rule claims."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from logrules.inference.observation import Match, Observation
from logrules.inference.ranking import Hypothesis
from logrules.model.event import Worker
from logrules.model.report import Severity
from logrules.ruleset.pack import Pack, Rule

# A message of several lines is told by its first; what names it may stand on one of the others.
_REACH_LINES = 4


def unclaimed(hypotheses: Sequence[Hypothesis], ends: frozenset[str]) -> Iterator[Hypothesis]:
    """The hypotheses, those of fallback rules without the lines that others rest on; none where nothing is left.

    A chain of exceptions of which the table knows any is one failure, and known. ``ends`` are the tiers whose causes
    only say that something ended.
    """
    claims = {
        (observation.event.source, observation.worker, observation.event.line + near)
        for one in hypotheses
        if not one.rule.fallback and one.rule.wait is None and one.severity is Severity.ERROR
        for observation in _observations(one.matches)
        for near in _reach(one.rule, ends)
    }
    chains = frozenset(
        observation.chain
        for one in hypotheses
        if one.rule.from_table and one.severity is Severity.ERROR and one.rule.tier not in ends
        for observation in _observations(one.matches)
        if observation.chain is not None
    )
    for one in hypotheses:
        if not one.rule.fallback:
            yield one
            continue
        matches = tuple(left for match in one.matches if (left := _without(match, claims, chains)) is not None)
        if matches:
            yield replace(one, matches=matches)


def ends_of(pack: Pack) -> frozenset[str]:
    """The tiers that come behind the first that has a fallback rule."""
    names = [tier.id for tier in pack.tables.tiers]
    first = min((names.index(rule.tier) for rule in pack.rules if rule.fallback and rule.tier in names), default=None)
    return frozenset(names[first + 1 :] if first is not None else ())


def _reach(rule: Rule, ends: frozenset[str]) -> range:
    """How far round its lines a rule claims; what only says that something ended claims nothing but itself."""
    return range(1) if rule.tier in ends else range(-_REACH_LINES, _REACH_LINES + 1)


def _observations(matches: Iterable[Match]) -> Iterator[Observation]:
    for match in matches:
        yield from (*match.first, match.last)


def _without(match: Match, claims: set[tuple[str, Worker, int]], chains: frozenset[int]) -> Match | None:
    known = {seen.order: (seen, signal) for seen, signal in zip(match.first, match.signals, strict=True)}
    known.setdefault(match.last.order, (match.last, match.signals[-1]))
    left = [
        (seen, signal) for seen, signal in known.values() if _place(seen) not in claims and seen.chain not in chains
    ]
    if not left:
        return None
    observations, signals = zip(*left, strict=True)
    return replace(match, first=observations, signals=signals, last=observations[-1])


def _place(seen: Observation) -> tuple[str, Worker, int]:
    return seen.event.source, seen.worker, seen.event.line
