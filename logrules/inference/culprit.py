"""Which rank and host a diagnosis points at: by its own lines and the comparison of the ranks, else by other lines."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from logrules.inference.failure_analysis import hosts_of_ended
from logrules.inference.hypothesis import MAX_NAMED, Hypothesis
from logrules.inference.rank_attribution import FailureContext, attributed_ranks
from logrules.inference.rank_table import RankTable
from logrules.model.event import whole_number
from logrules.model.late_pattern import late_pattern
from logrules.model.report import Comparison, DivergenceKind
from logrules.ruleset.condition import Detection, Detector
from logrules.ruleset.name_tables import Saying

# What makes a rank the suspect of a hang, the most telling first.
_HUNG = (
    DivergenceKind.MISSED,
    DivergenceKind.IDLE,
    DivergenceKind.LEFT,
    DivergenceKind.EXTRA,
    DivergenceKind.OTHER_OPERATION,
    DivergenceKind.OTHER_SIZE,
    DivergenceKind.BEHIND,
    DivergenceKind.AHEAD,
    DivergenceKind.NEVER_ARRIVED,
    DivergenceKind.STEP_BEHIND,
)
# Two that fail alike may be all of many that an excerpt shows.
_PAIR = 2
# An address that says no more than that the peer is on the same host.
_LOOPBACK = late_pattern(r"127\.|localhost\b|::1$")
# What a server listens on, which says nothing of where it is.
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 (it is compared, and nothing binds to it)
# The ranks and the hosts, the culprit first.
Culprits: TypeAlias = tuple[tuple[int, ...], tuple[str, ...]]


def suspects(context: FailureContext, sides: Comparison | None) -> Culprits:
    """Whom a diagnosis points at: what tells ranks apart when they are compared, its own lines, the rest of the log.

    The comparison (``sides``) decides of a hang, unless its lines name a rank. Nobody is looked for in the rest of the
    log where the rule says so, or where the time-outs of the ranks lie too far apart to be compared; and nobody at all
    is named where all ranks wait, fail or are said to be missed alike.
    """
    hypothesis, known_ranks = context.hypothesis, context.run.ranks.ranks
    rule, named = hypothesis.rule, hypothesis.named_ranks
    declined = sides is not None and sides.spread_s is not None
    # Laggards were compared with their peers already.
    lagging = isinstance(rule.when, Detector) and rule.when.kind is Detection.LAGGING
    hung = not named and (rule.culprit == "absent" or (rule.stall and not lagging))
    if hung and declined:
        return (), ()
    unlike = _unlike(sides, _HUNG) if hung else ()
    if rule.culprit == "none":
        return unlike[:MAX_NAMED], ()
    if apart := unlike or (() if named else _never_heard_of(hypothesis, known_ranks)):
        # Where the rule tells of those who wait, they follow.
        waiting = () if rule.culprit == "absent" else sorted(hypothesis.reporters)
        told: Culprits = tuple(dict.fromkeys((*apart, *waiting)))[:MAX_NAMED], ()
    elif _all_alike(context, sides):
        return (), ()
    else:
        told = told_by_lines(hypothesis, known_ranks, sides)
    return told if declined else _by_rest_of_log(context, told)


def _by_rest_of_log(context: FailureContext, told: Culprits) -> Culprits:
    """Whom the rest of the log tells of, or hit processes and passed on records, beside what was ``told`` before."""
    hypothesis, table = context.hypothesis, context.run.ranks
    ranks, hosts = told
    if not hypothesis.named_ranks:
        ranks = _process_hit(hypothesis, table) or _passed_on(context) or ranks
    if not ranks:
        if lost := _lost_peer(hypothesis, table):
            return lost
        ranks = attributed_ranks(context)
    return ranks, hosts or tuple(_hosts_elsewhere(context, ranks))[:1]


def told_by_lines(hypothesis: Hypothesis, known_ranks: frozenset[int], sides: Comparison | None = None) -> Culprits:
    """Whom its own lines tell of.

    A rank that a line names (capture ``rank``) goes before the rank that wrote the line. With
    ``culprit: absent`` it is the ranks that did not report, where these are the fewer: a
    watchdog runs out only on work which its own rank enqueued, so the silent rank is the suspect.
    """
    rule, named, first = hypothesis.rule, hypothesis.named_ranks, hypothesis.first.worker
    told = [host for host in hypothesis.said("host") if host not in _EVERYWHERE]
    # Where who misses or reports another writes is its own host, and not the host of whom it names.
    if first.host and not (named and rule.culprit in ("absent", "captured")):
        told.append(first.host)
    hosts = tuple(dict.fromkeys(told))[:MAX_NAMED]
    if rule.culprit == "captured":
        return named[:MAX_NAMED], hosts
    if rule.culprit == "absent" and not named:
        return hypothesis.absent_ranks(known_ranks), ()
    reporters = hypothesis.reporters
    # The clocks of a host tell better than the order in which its processes came to write.
    earliest = [rank for rank in _unlike(sides, (DivergenceKind.FIRST_ERROR,)) if rank in reporters]
    wrote = (*earliest, *(() if first.rank is None else (first.rank,)))
    return tuple(dict.fromkeys((*named, *wrote, *sorted(reporters))))[:MAX_NAMED], hosts


def workers_at_fault(hypothesis: Hypothesis) -> tuple[str, ...]:
    """The processes that its lines say were hit and the actors they name; else the one that raised what it tells of.

    Who waits is not at fault for it, who watches others tells of them, and of several that raise it any may be.
    """
    told = (("pid", "hit_pid"), ("actor", "actor"))
    named = dict.fromkeys(f"{kind} {name}" for kind, capture in told for name in hypothesis.said(capture))
    if named or hypothesis.rule.culprit != "reporter" or hypothesis.rule.stall:
        return tuple(named)[:MAX_NAMED]
    first = [seen for match in hypothesis.matches for seen in match.first]
    raised = {seen.worker for seen in first} if all(seen.chain is not None for seen in first) else set()
    return tuple(one.label for one in raised if one.pid is not None and one.rank is None) if len(raised) == 1 else ()


def _unlike(sides: Comparison | None, kinds: Iterable[DivergenceKind]) -> tuple[int, ...]:
    """The ranks that differ from the others in the first of these kinds that was found."""
    found = {one.kind: one.ranks for one in reversed(sides.differences)} if sides is not None else {}
    return next((found[kind] for kind in kinds if kind in found), ())


def _never_heard_of(hypothesis: Hypothesis, known_ranks: frozenset[int]) -> tuple[int, ...]:
    """The few ranks below those who wait that have said nothing that anybody knows: they have not come there."""
    if hypothesis.rule.wait is None or not hypothesis.reporters:
        return ()
    absent = hypothesis.absent_ranks(known_ranks)
    return absent if known_ranks.isdisjoint(absent) else ()


def _all_alike(context: FailureContext, sides: Comparison | None) -> bool:
    """Whether the same is told of all ranks there are: whom the first of these lines names is chance.

    They wait, and who writes of it last, or alone, is not to blame for that; or every one tells of its own error, and
    none of them clearly before the others.
    """
    hypothesis, table, reporters = context.hypothesis, context.run.ranks, context.hypothesis.reporters
    if named := hypothesis.named_ranks:
        return hypothesis.rule.stall and len(named) > 1 and table.are_all(frozenset(named))
    if hypothesis.rule.wait is not None and table.ranks <= reporters:
        return True
    in_turn = _unlike(sides, (DivergenceKind.FIRST_ERROR,)) or _passed_on(context)
    fail = hypothesis.rule.culprit == "reporter" and not in_turn
    return fail and len(reporters) > _PAIR and table.are_all(reporters)


def _passed_on(context: FailureContext) -> tuple[int, ...]:
    """The ranks that raised what the records of its lines pass on, whoever wrote these."""
    records = filter(None, map(context.run.failures.record_of, context.chains))
    raised = (link.rank for record in records for link in record.chain)
    return tuple(dict.fromkeys(rank for rank in raised if rank is not None))


def _process_hit(hypothesis: Hypothesis, rank_table: RankTable) -> tuple[int, ...]:
    """The rank of the process that its lines say was hit (capture ``hit_pid``), whoever wrote them."""
    for match in hypothesis.matches:
        told = [line.captures(signal) for line, signal in match.pairs]
        pids = {pid for one in told if (pid := whole_number(one.get("hit_pid"))) is not None}
        hosts = {host for one in told if (host := one.get("host")) is not None}
        if len(pids) == 1 and len(hosts) <= 1:
            rank = rank_table.processes.rank_of_process(pids.pop(), next(iter(hosts), None))
            if rank is not None:
                return (rank,)
    return ()


def _lost_peer(hypothesis: Hypothesis, rank_table: RankTable) -> Culprits | None:
    """The one rank of another host, and that host, whose connection was the first to be lost (capture ``peer``)."""
    for line, signal in sorted(hypothesis.pairs, key=lambda pair: pair[0].order):
        if peer := line.captures(signal).get("peer"):
            host, ranks = rank_table.at(peer)
            return (tuple(ranks), (host,)) if len(ranks) == 1 and host != line.worker.host else None
    return None


def _hosts_elsewhere(context: FailureContext, ranks: Sequence[int]) -> Iterator[str]:
    """The host of the first of the ``ranks``, as launchers or its own lines tell it.

    Where no rank is named: that which a message names, the only one on which its lines were written, the only one on
    which a process ended by a launcher's word, or the only one that was lost by it; of those who lost somebody the only
    one that they lost.
    """
    hypothesis, table, ends = context.hypothesis, context.run.ranks, context.run.failures.reported_ends()
    if ranks:
        yield from hosts_of_ended(ends, ranks[0])
        states = table.states.items()
        yield from (state.host for (_, number), state in states if number == ranks[0] and state.host is not None)
    elif hypothesis.rule.culprit == "absent":
        lost = set(filter(None, hypothesis.said("peer")))
        yield from (table.at(peer)[0] for peer in lost if len(lost) == 1 and not _LOOPBACK.match(peer))
    else:
        wrote = {host for match in hypothesis.matches for host in match.hosts}
        captured = (other for other in context.ranked.consequences if other.rule.culprit == "captured")
        lost = {host for other in captured for host in other.said("host")}
        # Also those that the lines name which wrap the failure records that these are of.
        wraps = chain.from_iterable(map(context.run.failures.lines_of, context.chains))
        told = (context.told(Saying.ON_HOST, wraps), wrote, hosts_of_ended(ends), lost)
        yield from (next(iter(hosts)) for hosts in told if len(hosts) == 1)
