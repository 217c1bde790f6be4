"""Which lines are already explained: a fallback rule speaks only for those that no other rule claims."""

from collections.abc import Iterable, Iterator, Sequence

from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Match, Observation
from logrules.model.event import Worker, hosts_of, ranks_of
from logrules.model.record import record, replace
from logrules.model.report import Severity
from logrules.ruleset.pack import Pack

# A message of several lines is told by its first; what names it may stand on one of the others.
_REACH_LINES = 4


def unclaimed(hypotheses: Sequence[Hypothesis], ends: frozenset[str]) -> Iterator[Hypothesis]:
    """The hypotheses, those of fallback rules without the lines that others rest on; none where nothing is left.

    A fallback row of a table yields to what knows more, a catch-all to that row too. ``ends`` are the tiers whose
    causes say no more than that something failed.
    """
    known = [one for one in hypotheses if not one.rule.fallback]
    rows = [one for one in hypotheses if one.rule.fallback and one.rule.from_table]
    left = dict(_left(rows, _Claims.of([one for one in known if one.rule.tier not in ends], ends)))
    claims = _Claims.of([*known, *left.values()], ends)
    left |= dict(_left([one for one in hypotheses if one.rule.fallback and not one.rule.from_table], claims))
    yield from (left.get(one.rule.id, one) for one in hypotheses if one.rule.id in left or not one.rule.fallback)


@record
class _Claims:
    """The lines and the failure records that are explained, and whose they are."""

    lines: frozenset[tuple[str, Worker, int]]
    records: frozenset[int]
    spans: frozenset[tuple[int, range]]
    ranks: frozenset[int]
    hosts: frozenset[str]

    @classmethod
    def of(cls, hypotheses: Iterable[Hypothesis], ends: frozenset[str]) -> "_Claims":
        errors = [one for one in hypotheses if one.rule.wait is None and one.rule.severity is Severity.ERROR]
        lines: set[tuple[str, Worker, int]] = set()
        for one in errors:
            # What was outlived, or only says that something failed, claims nothing but its own lines.
            alone = one.rule.tier in ends or one.severity is not Severity.ERROR
            reach = range(1) if alone else range(-_REACH_LINES, _REACH_LINES + 1)
            lines.update(
                (seen.event.source, seen.worker, seen.event.line + near) for seen in one.lines for near in reach
            )
        shown = [(one.rule, line, line.chain) for one in errors for line in one.lines if line.chain is not None]
        # From where to where rows of the table know each record: what it quotes between is of it.
        known: dict[tuple[str, int], list[int]] = {}
        for rule, seen, chain in shown:
            if rule.from_table:
                known.setdefault((rule.id, chain), []).append(seen.event.line)
        return cls(
            frozenset(lines),
            frozenset(chain for rule, _, chain in shown if rule.tier not in ends),
            frozenset((chain, range(min(told), max(told) + 1)) for (_, chain), told in known.items()),
            frozenset(rank for one in errors for rank in one.reporters),
            frozenset(host for one in errors for match in one.matches for host in match.hosts),
        )

    def has(self, seen: Observation) -> bool:
        """Whether the line is explained, itself or with the record that it is of."""
        if (seen.event.source, seen.worker, seen.event.line) in self.lines or seen.chain in self.records:
            return True
        return any(seen.chain == chain and seen.event.line in lines for chain, lines in self.spans)


def _left(hypotheses: Iterable[Hypothesis], claims: _Claims) -> Iterator[tuple[str, Hypothesis]]:
    for one in hypotheses:
        matches = tuple(left for match in one.matches if (left := _without(match, claims)) is not None)
        if matches:
            yield one.rule.id, replace(one, matches=matches)


def ends_of(pack: Pack) -> frozenset[str]:
    """The tiers from that of the catch-all on: what stands there says no more than that something failed."""
    names = [tier.id for tier in pack.tables.tiers]
    places = [names.index(rule.tier) for rule in pack.rules.fallbacks() if not rule.from_table and rule.tier in names]
    return frozenset(names[min(places) :] if places else ())


def _without(match: Match, claims: _Claims) -> Match | None:
    known = {seen.order: (seen, signal) for seen, signal in match.pairs}
    known.setdefault(match.last.order, (match.last, match.pairs[-1][1]))
    left = tuple((seen, signal) for seen, signal in known.values() if not claims.has(seen))
    if not left:
        return None
    if len(left) == len(known):
        return match
    # Of most writers only the names are kept: whose line it was that is left, the lines tell that are.
    writers = [seen.worker for seen, _ in left]
    return replace(
        match, pairs=left, last=left[-1][0],
        ranks=(match.ranks - claims.ranks).union(ranks_of(writers)),
        hosts=(match.hosts - claims.hosts).union(hosts_of(writers)),
    )  # fmt: skip
