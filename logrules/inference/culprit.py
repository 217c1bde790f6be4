"""Which rank and host a hypothesis points at, by its own lines and by the comparison of the ranks."""

from collections.abc import Iterator

from logrules.inference.hypothesis import Hypothesis
from logrules.inference.rank_comparison import RankComparison
from logrules.model.event import as_rank
from logrules.model.report import DivergenceKind
from logrules.ruleset.condition import Detection, Detector
from logrules.ruleset.pack import Rule

MAX_NAMED = 1_024
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
    if sides is not None and not named and (rule.culprit == "absent" or (rule.stall and not _is_of_laggards(rule))):
        if sides.spread is not None:
            return (), ()
        if suspects := sides.suspects(_HUNG):
            return _with_reporters(suspects, hypothesis), ()
    if rule.culprit == "none":
        return (), ()
    if rule.wait is not None and not named and (unheard := _never_heard_of(hypothesis, known_ranks)):
        return _with_reporters(unheard, hypothesis), ()
    # Where who misses or reports another writes is its own host, and not the host of whom it names.
    misses_another = rule.culprit in ("absent", "captured") and bool(named)
    hosts = tuple(dict.fromkeys(_hosts(hypothesis, of_writer=not misses_another)))[:MAX_NAMED]
    if rule.culprit == "captured":
        return named[:MAX_NAMED], hosts
    if rule.culprit == "absent" and not named:
        return absent_ranks(hypothesis, known_ranks), ()
    reporters = hypothesis.reporters
    # The clocks of a host tell better than the order in which its processes came to write.
    earliest = sides.suspects((DivergenceKind.FIRST_ERROR,)) if sides is not None else ()
    first = hypothesis.first.worker.rank
    wrote = (*(rank for rank in earliest if rank in reporters), *(() if first is None else (first,)))
    return tuple(dict.fromkeys((*named, *wrote, *sorted(reporters))))[:MAX_NAMED], hosts


def _is_of_laggards(rule: Rule) -> bool:
    """Whether its lines are those of workers that were compared with their peers already."""
    return isinstance(rule.when, Detector) and rule.when.kind is Detection.LAGGING


def absent_ranks(hypothesis: Hypothesis, known_ranks: frozenset[int]) -> tuple[int, ...]:
    """The ranks that did not report, where these are the fewer, or where a message lists all who have come."""
    reporters = hypothesis.reporters
    # Ranks count from 0, so those below the highest that reported exist too: of a damaged number a million.
    if max(reporters, default=0) >= 2 * len(reporters):
        return ()
    absent = (known_ranks | frozenset(range(max(reporters, default=0)))) - reporters
    return tuple(sorted(absent)) if len(absent) < len(reporters) or _lists_who_came(hypothesis) else ()


def _never_heard_of(hypothesis: Hypothesis, known_ranks: frozenset[int]) -> tuple[int, ...]:
    """The few ranks below those who wait that have said nothing that anybody knows: they have not come there."""
    waiting = hypothesis.reporters
    absent = absent_ranks(hypothesis, known_ranks)
    return absent if waiting and known_ranks.isdisjoint(absent) else ()


def _lists_who_came(hypothesis: Hypothesis) -> bool:
    """Whether one message names all that have come (capture ``arrived``): no other rank is merely silent."""
    return any("arrived" in line.captures(signal) for line, signal in hypothesis.pairs)


def _with_reporters(suspects: tuple[int, ...], hypothesis: Hypothesis) -> tuple[int, ...]:
    """The suspects; where the rule tells of those who wait, they follow."""
    others = () if hypothesis.rule.culprit in ("absent", "none") else sorted(hypothesis.reporters)
    return tuple(dict.fromkeys((*suspects, *others)))[:MAX_NAMED]


def named_ranks(hypothesis: Hypothesis) -> Iterator[int]:
    """The ranks that the lines themselves name (capture ``rank``)."""
    ranks = (as_rank(line.captures(signal).get("rank")) for line, signal in hypothesis.pairs)
    yield from (rank for rank in ranks if rank is not None)


def _hosts(hypothesis: Hypothesis, *, of_writer: bool) -> Iterator[str]:
    hosts = (line.captures(signal).get("host") for line, signal in hypothesis.pairs)
    yield from filter(None, hosts)
    if of_writer and (host := hypothesis.first.worker.host):
        yield host
