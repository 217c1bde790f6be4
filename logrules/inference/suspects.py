"""Which rank and host a diagnosis points at."""

import re
from collections.abc import Iterator, Sequence

from logrules.inference.culprit import culprits, named_ranks
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.launcher_ends import hosts_of_ended
from logrules.inference.rank_attribution import MAX_READ, FailureContext, attributed_ranks
from logrules.inference.rank_comparison import RankComparison
from logrules.inference.rank_table import RankTable
from logrules.model.event import whole_number

_ON_HOST = re.compile(r"\b(?:ip|host|hostname|node)=([\w-][\w.-]{0,252}[\w-])(?=[,)\]\s])")
# An address that says no more than that the peer is on the same host.
_LOOPBACK = re.compile(r"127\.|localhost\b|::1$")


def suspects(context: FailureContext, sides: RankComparison | None) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """(ranks, hosts) that a diagnosis points at: by its own lines, else by what the rest of the log tells of ranks.

    Nobody is named where the rule says so, or where the time-outs of the ranks lie too far apart to be compared.
    """
    hypothesis, rank_table = context.hypothesis, context.rank_table
    ranks, hosts = culprits(hypothesis, rank_table.ranks, sides)
    declined = sides is not None and sides.spread is not None
    if hypothesis.rule.culprit == "none" or declined:
        return ranks, hosts
    if (struck := _process_hit(hypothesis, rank_table)) is not None and not any(named_ranks(hypothesis)):
        ranks = (struck,)
    if not ranks:
        if lost := _lost_peer(hypothesis, rank_table):
            return lost
        ranks = attributed_ranks(context)
    return ranks, hosts or tuple(_hosts_elsewhere(context, ranks))[:1]


def _process_hit(hypothesis: Hypothesis, rank_table: RankTable) -> int | None:
    """The rank of the process that its lines say was hit (capture ``hit_pid``), whoever wrote them."""
    for match in hypothesis.matches:
        told = [line.captures(signal) for line, signal in match.pairs]
        pids = {pid for one in told if (pid := whole_number(one.get("hit_pid"))) is not None}
        hosts = {host for one in told if (host := one.get("host")) is not None}
        if len(pids) == 1 and len(hosts) <= 1:
            rank = rank_table.rank_of_process(pids.pop(), next(iter(hosts), None))
            if rank is not None:
                return rank
    return None


def _lost_peer(hypothesis: Hypothesis, rank_table: RankTable) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The one rank of another host, and that host, whose connection was the first to be lost (capture ``peer``)."""
    for line, signal in sorted(hypothesis.pairs, key=lambda pair: pair[0].order):
        if peer := line.captures(signal).get("peer"):
            host, ranks = rank_table.at(peer)
            return (tuple(ranks), (host,)) if len(ranks) == 1 and host != line.worker.host else None
    return None


def _hosts_elsewhere(context: FailureContext, ranks: Sequence[int]) -> Iterator[str]:
    """The host of the first of the ``ranks``, as launchers or its own lines tell it.

    Where no rank is named: that which a message names, the only one on which its lines were written, or the only one on
    which a process ended by a launcher's word; of those who lost somebody the only one that they lost.
    """
    if ranks:
        yield from _hosts_of_rank(context, ranks[0])
    elif context.hypothesis.rule.culprit == "absent":
        yield from _lost_host(context)
    else:
        ended = hosts_of_ended(context.failures.reported_ends())
        wrote = {host for match in context.hypothesis.matches for host in match.hosts}
        yield from (next(iter(hosts)) for hosts in (_said_hosts(context), wrote, ended) if len(hosts) == 1)


def _hosts_of_rank(context: FailureContext, rank: int) -> Iterator[str]:
    yield from hosts_of_ended(context.failures.reported_ends(), rank)
    states = context.rank_table.states.items()
    yield from (state.host for (_, number), state in states if number == rank and state.host is not None)


def _lost_host(context: FailureContext) -> Iterator[str]:
    lost = {peer for line, signal in context.hypothesis.pairs if (peer := line.captures(signal).get("peer"))}
    if len(lost) == 1:
        yield from (context.rank_table.at(peer)[0] for peer in lost if not _LOOPBACK.match(peer))


def _said_hosts(context: FailureContext) -> set[str]:
    """The hosts that its messages name, and the lines that wrap the failure records that they are of."""
    chains = dict.fromkeys(line.chain for line in context.lines if line.chain is not None)
    wraps = (event for chain in chains for event in context.failures.lines_of(chain))
    messages = (*context.messages, *(event.message[:MAX_READ] for event in wraps))
    return {host for message in messages for host in _ON_HOST.findall(message)}
