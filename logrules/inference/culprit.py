"""Which rank and host a hypothesis points at."""

import re
from collections.abc import Iterable, Iterator, Sequence

from logrules.inference.failures import Failures
from logrules.inference.launcher_ends import ended_ranks, gone_before, hosts_of, hosts_of_ended, killed_ranks
from logrules.inference.observation import Match, Observation
from logrules.inference.rank_comparison import RankComparison
from logrules.inference.rank_table import RankTable
from logrules.inference.ranking import Hypothesis, Ranked
from logrules.model.event import as_rank
from logrules.model.failure import Failure
from logrules.model.report import DivergenceKind

MAX_NAMED = 1_024
# A message that tells on which rank it happened; whoever it waited for, sent to or counts to is another matter, and so
# is what is said to a program: a launcher prints the command that it started last, whichever process failed.
_ON_RANK = re.compile(
    r"(?<![A-Za-z_-])(?<!local )(?<!node )(?<!machine )(?<!from )(?<!to )(?<!with )(?<!of )(?<!by )(?<!for )"
    r"(?:global[_ ]|world[_ ])?[Rr]ank"
    r"(?:[ _#]?(?:id|ID))?[ #=:]{0,3}(\d{1,6})\b(?! (?:of|ranks))"
)
_ON_LOCAL_RANK = re.compile(r"(?<![A-Za-z-])local[_ ]rank[ #=:]{0,3}(\d{1,6})\b")
# The device that a message is about, by its number on the node: below a launcher that of the local rank, where each
# process sees them all.
_ON_DEVICE = re.compile(r"\b(?:GPU|device=\w+:|cuda:) ?(\d{1,3})(?= has\b|: )")
_ON_HOST = re.compile(r"\b(?:ip|host|hostname|node)=([\w-][\w.-]{0,252}[\w-])(?=[,)\]\s])")
# An address that says no more than that the peer is on the same host.
_LOOPBACK = re.compile(r"127\.|localhost\b|::1$")
_MAX_READ = 2_000
# What makes a rank the suspect of a hang, the most telling first.
_HUNG = (
    DivergenceKind.IDLE,
    DivergenceKind.LEFT,
    DivergenceKind.OTHER_OPERATION,
    DivergenceKind.OTHER_SIZE,
    DivergenceKind.BEHIND,
    DivergenceKind.AHEAD,
    DivergenceKind.NEVER_ARRIVED,
    DivergenceKind.STEP_BEHIND,
)


def suspects(
    one: Ranked, rank_table: RankTable, failures: Failures | None = None, sides: RankComparison | None = None
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """(ranks, hosts) that a diagnosis points at: by its own lines, else by what the rest of the log tells of ranks.

    Nobody is named where the rule says so, or where the time-outs of the ranks lie too far apart to be compared.
    """
    rule = one.hypothesis.rule
    ranks, hosts = culprits(one.hypothesis, rank_table.ranks, sides)
    declined = sides is not None and sides.spread is not None
    if rule.culprit == "none" or declined:
        return ranks, hosts
    if not ranks:
        if lost := _lost_peer(one.hypothesis, rank_table):
            return lost
        found = next((found for found in _told_elsewhere(one, rank_table, failures) if found), ())
        ranks = tuple(dict.fromkeys(found))[:MAX_NAMED]
    return ranks, hosts or tuple(_hosts_elsewhere(one.hypothesis, ranks, rank_table, failures))[:1]


def _hosts_elsewhere(
    hypothesis: Hypothesis, ranks: Sequence[int], rank_table: RankTable, failures: Failures | None
) -> Iterator[str]:
    """The host of the first of the ``ranks``, as launchers or its own lines tell it.

    Where no rank is named: that which a message names, the only one on which its lines were written, or the only one on
    which a process ended by a launcher's word; of those who lost somebody the only one that they lost.
    """
    if ranks:
        if failures is not None:
            yield from hosts_of(failures.reported_ends(), ranks[0])
        yield from (
            state.host for (_, rank), state in rank_table.states.items() if rank == ranks[0] and state.host is not None
        )
    elif hypothesis.rule.culprit == "absent":
        lost = {peer for match in hypothesis.matches for pair in _pairs(match) if (peer := _peer(pair))}
        yield from (rank_table.at(peer)[0] for peer in lost if len(lost) == 1 and not _LOOPBACK.match(peer))
    else:
        lines = _lines(hypothesis)
        chains = dict.fromkeys(line.chain for line in lines if line.chain is not None)
        wraps = (event for chain in chains for event in failures.lines_of(chain)) if failures is not None else ()
        messages = (event.message[:_MAX_READ] for event in (*(line.event for line in lines), *wraps))
        said = {host for message in messages for host in _ON_HOST.findall(message)}
        wrote = {host for match in hypothesis.matches for host in match.hosts}
        ended = hosts_of_ended(failures.reported_ends()) if failures is not None else ()
        yield from (next(iter(hosts)) for hosts in (said, wrote, ended) if len(hosts) == 1)


def _lost_peer(hypothesis: Hypothesis, rank_table: RankTable) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The one rank of another host, and that host, whose connection was the first to be lost (capture ``peer``)."""
    pairs = (pair for match in hypothesis.matches for pair in _pairs(match))
    for line, signal in sorted(pairs, key=lambda pair: pair[0].order):
        if peer := _peer((line, signal)):
            host, ranks = rank_table.at(peer)
            return (tuple(ranks), (host,)) if len(ranks) == 1 and host != line.worker.host else None
    return None


def _peer(pair: tuple[Observation, int]) -> str | None:
    """Whom a line says that its writer lost (capture ``peer``)."""
    line, signal = pair
    return line.captures(signal).get("peer")


def _told_elsewhere(one: Ranked, rank_table: RankTable, failures: Failures | None) -> Iterator[Sequence[int]]:
    """Who it may have been, the most telling first."""
    own_error = one.hypothesis.rule.culprit != "absent"
    if own_error:
        lines = _lines(one.hypothesis)
        chains = [line.chain for line in lines if line.chain is not None]
        if failures is not None:
            yield [rank for chain in chains for rank in failures.ranks_of(chain)]
        yield [rank for line in lines if (rank := rank_table.rank_of(line.worker)) is not None]
        yield _told_by(line.event.message for line in lines)
    # A launcher's summary may name the rank that its own traceback does not.
    yield [rank for other in one.consequences if not other.rule.from_table for rank in named_ranks(other)]
    if failures is not None:
        # Who waited for somebody aborts in the end too.
        ends = failures.reported_ends()
        yield ended_ranks(ends) if own_error else (*killed_ranks(ends), *_gone(one.hypothesis, ends))
    if own_error:
        # One failure is told by several lines, and not each of them bears its writer's name.
        yield from ([rank] for rank in _alone(one, failures))
        several = (rank_table.world or 0) > 1 or rank_table.ranks - {0}
        if several and not any(line.worker.host for line in lines):
            yield _the_one(_ON_DEVICE, (line.event.message for line in lines))
    # Those who report what followed are those whom it hit: they waited for somebody who reports nothing.
    yield from (_absent(other, rank_table.ranks) for other in one.consequences)
    yield from (_other_of_two(other, rank_table) for other in _of_losers(one))
    if not own_error:
        # A rank may have written nothing at all.
        yield _absent(one.hypothesis, _all_of(rank_table))
        yield _other_of_two(one.hypothesis, rank_table)
    if rank_table.world == 1:
        yield (0,)
    if own_error:
        yield [number for line in _lines(one.hypothesis) if (number := rank_table.number_of(line.worker)) is not None]
        yield _the_writer(one, rank_table.ranks)


def _gone(hypothesis: Hypothesis, ends: Sequence[Failure]) -> Iterator[int]:
    """Who had ended before those who report began to say that they waited for somebody."""
    waited = _reporters(hypothesis)
    return (rank for rank in gone_before(ends, hypothesis.first.event) if rank not in waited)


def _lines(hypothesis: Hypothesis) -> list[Observation]:
    return [line for match in hypothesis.matches for line in match.first]


def _alone(one: Ranked, failures: Failures | None) -> Iterator[int]:
    """The only rank that tells of the same cause, or else the only one whose errors the log shows.

    Not one that only lost somebody.
    """
    cause = one.hypothesis.rule.cause
    alike = {rank for other in one.consequences if other.rule.cause == cause for rank in _reporters(other)}
    raised = frozenset(failures.raising_ranks()) if failures is not None else frozenset[int]()
    raised -= {rank for other in _of_losers(one) for rank in _reporters(other)}
    yield from (next(iter(ranks)) for ranks in (alike, raised) if len(ranks) == 1)


def _of_losers(one: Ranked) -> Iterator[Hypothesis]:
    """What those tell who lost somebody, or wait for somebody."""
    return (
        other
        for other in one.consequences
        if other.rule.culprit == "absent" and other.rule.cause != one.hypothesis.rule.cause
    )


def _the_writer(one: Ranked, ranks: frozenset[int]) -> tuple[int, ...]:
    """The only rank that gives its name, where it does not merely wait for another: the log is its own.

    Rank 0 may be the only one that is asked to log.
    """
    waits = any(_reporters(other) for other in _of_losers(one))
    return tuple(ranks) if len(ranks) == 1 and 0 not in ranks and not waits else ()


def _all_of(rank_table: RankTable) -> frozenset[int]:
    """The ranks that wrote, and those that there must be in a job of that size."""
    return rank_table.ranks | frozenset(range(min(rank_table.world or 0, MAX_NAMED)))


def _other_of_two(hypothesis: Hypothesis, rank_table: RankTable) -> tuple[int, ...]:
    """In a job of two, whoever misses the other one misses that one."""
    others = {0, 1} - _reporters(hypothesis)
    return tuple(others) if rank_table.world == 2 and len(others) == 1 else ()  # noqa: PLR2004 (two)


def _told_by(messages: Iterable[str]) -> tuple[int, ...]:
    """The rank on which a message says that it happened; nobody where messages name several."""
    said = [message[:_MAX_READ] for message in messages]
    words = _ON_RANK if any(_ON_RANK.search(message) for message in said) else _ON_LOCAL_RANK
    return _the_one(words, said)


def _the_one(words: re.Pattern[str], messages: Iterable[str]) -> tuple[int, ...]:
    """The number behind these words; none where messages say several."""
    said = {int(number) for message in messages for number in words.findall(message[:_MAX_READ])}
    return tuple(said) if len(said) == 1 else ()


def culprits(
    hypothesis: Hypothesis, known_ranks: frozenset[int], sides: RankComparison | None = None
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """(ranks, hosts), the culprit first.

    A rank that a line names (capture ``rank``) goes before the rank that wrote the line. With
    ``culprit: absent`` it is the ranks that did not report, where these are the fewer: a
    watchdog runs out only on work which its own rank enqueued, so the silent rank is the suspect.
    For a hang, what tells ranks apart when they are compared (``sides``) goes before all but the lines themselves;
    where their time-outs lie too far apart, nobody is named.
    """
    rule = hypothesis.rule
    named = tuple(dict.fromkeys(named_ranks(hypothesis)))
    if sides is not None and not named and (rule.culprit == "absent" or rule.stall):
        if sides.spread is not None:
            return (), ()
        if suspects := sides.suspects(_HUNG):
            return _with_reporters(suspects, hypothesis), ()
    if rule.culprit == "none":
        return (), ()
    hosts = tuple(dict.fromkeys(_hosts(hypothesis)))[:MAX_NAMED]
    if rule.culprit == "captured":
        return named[:MAX_NAMED], hosts
    if rule.culprit == "absent" and not named:
        return _absent(hypothesis, known_ranks), ()
    reporters = _reporters(hypothesis)
    first = hypothesis.first.worker.rank
    wrote = () if first is None else (first,)
    return tuple(dict.fromkeys((*named, *wrote, *sorted(reporters))))[:MAX_NAMED], hosts


def _reporters(hypothesis: Hypothesis) -> frozenset[int]:
    return frozenset(rank for match in hypothesis.matches for rank in match.ranks)


def _absent(hypothesis: Hypothesis, known_ranks: frozenset[int]) -> tuple[int, ...]:
    """The ranks that did not report, where these are the fewer."""
    reporters = _reporters(hypothesis)
    # Ranks count from 0, so those below the highest that reported exist too: of a damaged number a million.
    if max(reporters, default=0) >= 2 * len(reporters):
        return ()
    absent = (known_ranks | frozenset(range(max(reporters, default=0)))) - reporters
    return tuple(sorted(absent)) if len(absent) < len(reporters) else ()


def _with_reporters(suspects: tuple[int, ...], hypothesis: Hypothesis) -> tuple[int, ...]:
    """The suspects; where the rule tells of those who wait, they follow."""
    wrote = sorted(rank for match in hypothesis.matches for rank in match.ranks)
    others = () if hypothesis.rule.culprit in ("absent", "none") else wrote
    return tuple(dict.fromkeys((*suspects, *others)))[:MAX_NAMED]


def _pairs(match: Match) -> Iterator[tuple[Observation, int]]:
    yield from zip(match.first, match.signals, strict=False)


def named_ranks(hypothesis: Hypothesis) -> Iterator[int]:
    """The ranks that the lines themselves name (capture ``rank``)."""
    for match in hypothesis.matches:
        for observation, signal in _pairs(match):
            rank = as_rank(observation.captures(signal).get("rank"))
            if rank is not None:
                yield rank


def _hosts(hypothesis: Hypothesis) -> Iterator[str]:
    for match in hypothesis.matches:
        for observation, signal in _pairs(match):
            if host := observation.captures(signal).get("host"):
                yield host
    if host := hypothesis.first.worker.host:
        yield host
