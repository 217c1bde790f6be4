"""Orders hypotheses: what explains what, and what to say first.

A pure function of the hypotheses, however they were made. What explains what depends on the tiers of their
causes (rules/causes.yaml), their order in the log, and their ranks.
"""

from collections.abc import Iterable, Mapping, Sequence

from logrules.inference.hypothesis import Hypothesis, Ranked
from logrules.inference.observation import Observation
from logrules.model.event import whole_number
from logrules.model.record import replace
from logrules.model.report import Severity
from logrules.ruleset.causes import Tier
from logrules.ruleset.condition import demands

# The tracebacks of all ranks of a host that one signal ended take no more lines.
_BEHIND_LINES = 400
# Waiting ranks give up after half an hour by default, and after an hour or so at the latest.
_REACH_S = 3600.0
_SEVERITY = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


class _Comparable:
    """A hypothesis with what comparisons need, computed once because there are many pairs.

    It is of a job of the ``known`` ranks. The ``place`` of its tier is that among all tiers.
    """

    def __init__(self, one: Hypothesis, place: int, tier: Tier, known: frozenset[int]) -> None:
        self.hypothesis, self.rule = one, one.rule
        self.place, self.tier, self.known = place, tier, known
        self.first, self.severity = one.first, _SEVERITY[one.severity]
        self.places, self.reporters = one.places, one.reporters
        # Launchers tell of processes that ended with a status of their own: one below zero is a signal.
        statuses = [whole_number(status) or 0 for status in one.said("status")]
        self.left_by_itself = bool(statuses) and min(statuses) > 0
        # Not survived before survived, then the worse, no reaction, no fallback, then who was first: of several open
        # waits, the one that began last is where the job is.
        begun = -self.first.order if one.rule.stall else self.first.order
        reaction = place if tier.reaction else -1
        self.key = one.survived, self.severity, reaction, one.rule.fallback, begun, -one.specificity, one.rule.id


def ranked(
    hypotheses: Iterable[Hypothesis], tiers: Sequence[Tier], known: frozenset[int] = frozenset()
) -> tuple[Ranked, ...]:
    """The unexplained hypotheses, the likeliest cause first, each with its consequences.

    What explains what goes by these ``tiers``, in a job of the ``known`` ranks.
    """
    tier_of, last = {tier.id: (place, tier) for place, tier in enumerate(tiers)}, (len(tiers), Tier(""))
    comparable = (_Comparable(one, *tier_of.get(one.rule.tier, last), known) for one in hypotheses)
    likeliest_first = sorted(comparable, key=lambda one: one.key)
    parents = {
        one.rule.id: next((other for other in likeliest_first if other is not one and _explains(other, one)), None)
        for one in likeliest_first
    }
    root_of = {one.rule.id: _root_of(one, parents) for one in likeliest_first}
    ordered = sorted(likeliest_first, key=lambda one: (one.hypothesis.survived, one.first.order, one.rule.id))
    found = [
        Ranked(root.hypothesis, tuple(one.hypothesis for one in ordered if one is not root is root_of[one.rule.id]))
        for root in likeliest_first
        if root_of[root.rule.id] is root
    ]
    return _one_a_cause(_within_reach(found), {name: place for name, (place, _) in tier_of.items()})


def _one_a_cause(ranked: Sequence[Ranked], places: Mapping[str, int]) -> tuple[Ranked, ...]:
    """One diagnosis per cause: further ones become consequences of the first, or of one that is the better headline."""

    def telling(one: Hypothesis) -> tuple[int, bool, bool, int, int]:
        """The failure before its report, a rule before a table row, then more conditions or captures."""
        rule, place = one.rule, places.get(one.rule.tier, len(places))
        return -place, not rule.from_table, bool(rule.requires), demands(rule.when), one.specificity

    kept: dict[str, Ranked] = {}
    for one in ranked:
        mine = one.hypothesis
        known = kept.setdefault(mine.rule.cause, one)
        if known is one:
            continue
        its = known.hypothesis
        alike = mine.survived == its.survived and mine.severity is its.severity
        first, second = (one, known) if alike and telling(mine) > telling(its) else (known, one)
        kept[mine.rule.cause] = replace(first, consequences=(*first.consequences, *second.all))
    return tuple(kept.values())


def _explains(root: _Comparable, consequence: _Comparable) -> bool:
    one, other = root.hypothesis, consequence.hypothesis
    if one.rule.cause == other.rule.cause or (one.survived and not other.survived):
        return False
    if one.overdue and other.rule.ends_stalls:
        return True
    if other.overdue and one.rule.ends_stalls:
        return False
    if one.rule.cause in other.rule.explained_by:
        return True
    if other.rule.cause in one.rule.explained_by or root.severity > consequence.severity:
        return False
    if _ends(root, consequence) or _ends(consequence, root):
        return one.rule.abrupt
    for before in (_was_gone, _made_nothing, _went_on):
        if before(root, consequence) or before(consequence, root):
            return before(root, consequence)
    return _explains_by_tier(root, consequence)


def _explains_by_tier(root: _Comparable, consequence: _Comparable) -> bool:
    if root.place == consequence.place:
        return consequence.tier.reaction and not consequence.rule.stall and _leads_to(root, consequence)
    if root.place > consequence.place:
        return False
    # A fallback does not explain what a rule or a row names, unless that is a reaction to it.
    weak = root.rule.fallback and not consequence.rule.fallback
    if root.tier.always or _before(root.first, consequence.first):
        return not weak or consequence.tier.reaction
    return not weak and (consequence.tier.reaction or _elsewhere(root, consequence))


def _leads_to(root: _Comparable, consequence: _Comparable) -> bool:
    """Of two of one tier, the one logged first; if that says little, the rank that failed by itself.

    A rank that reports another as missing was still alive. Two logs without times have no order, and in one log the
    lines of processes may be out of order: the only rank that misses nobody is the one that the others miss.
    """
    missed = consequence.rule.culprit == "absent"
    if missed != (root.rule.culprit == "absent"):
        loss, fault = (consequence, root) if missed else (root, consequence)
        one, other = root.first, consequence.first
        untimed = one.event.source != other.event.source and (one.time is None or other.time is None)
        told, lost = fault.reporters, loss.reporters
        all_others = bool(told) and told.isdisjoint(lost) and told | lost == fault.known
        alone = all_others and len(lost) >= len(told)
        if fault.rule.culprit != "none" and (alone or (untimed and _elsewhere(fault, loss))):
            return missed
    return _before(root.first, consequence.first)


def _ends(root: _Comparable, other: _Comparable) -> bool:
    """Whether the one ended all processes at once and the other is the reaction of one of them, right after it."""
    reaction = root.rule.abrupt and other.tier.reaction and not (other.rule.stall or other.rule.abrupt)
    return reaction and _right_behind(root, other)


def _was_gone(ended: _Comparable, loss: _Comparable) -> bool:
    """Whether a launcher told of a process that ended by itself before anybody missed another."""
    missed = loss.rule.culprit == "absent" and loss.tier.reaction
    return ended.left_by_itself and missed and ended.first.order < loss.first.order


def _made_nothing(ended: _Comparable, missing: _Comparable) -> bool:
    """Whether a program of the job had ended before another one found what is made beforehand missing or broken."""
    one, other = ended.hypothesis, missing.hypothesis
    if not missing.tier.made or one.script is None or other.script in (None, one.script):
        return False
    in_turn = one.last.event.source == other.first.event.source and one.last.order < other.first.order
    return in_turn and ended.severity <= missing.severity


def _went_on(silence: _Comparable, remark: _Comparable) -> bool:
    """Whether a job did more, before its log ended without a word, after what is but a remark: it did not end it."""
    if not silence.hypothesis.rests_on_silence or remark.rule.severity is not Severity.INFO:
        return False
    own = {line.order for line in remark.hypothesis.lines}
    later = (line for line in silence.hypothesis.lines if line.order > remark.first.order)
    return any(line.event.hits and line.order not in own for line in later)


def _before(one: Observation, other: Observation) -> bool:
    """Whether it was logged first, or within the same failure record."""
    if one.chain is not None and one.chain == other.chain:
        return True
    # Of a log that is followed a line may be of a file that was rotated away: only its order tells that.
    if (one.late or other.late) and one.event.source == other.event.source:
        return one.event.line < other.event.line
    return one.order < other.order


def _within_reach(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Each with the consequences that it can have; last, what failed long before, in an earlier attempt."""
    kept = [replace(one, consequences=tuple(c for c in one.consequences if _reaches(one, c))) for one in ranked]
    apart = [Ranked(c) for one in ranked for c in one.consequences if not _reaches(one, c)]
    return [*kept, *sorted(apart, key=lambda one: -one.hypothesis.first.order)]


def _reaches(root: Ranked, consequence: Hypothesis) -> bool:
    """Whether the one can have led to the other: not if the other was over long before its first line.

    Lines that bear no time may come at once and have been written hours apart: what their arrival shows is only that
    they are too far apart.
    """
    first, last = root.hypothesis.first, consequence.last
    if last.order >= first.order:
        return True
    if first.time is not None and last.time is not None:
        near = first.time - last.time <= _REACH_S
        if not near or (first.event.stamp is not None and last.event.stamp is not None):
            return near
    return first.event.source != last.event.source or first.event.line - last.event.line <= _BEHIND_LINES


def _right_behind(one: _Comparable, other: _Comparable) -> bool:
    """Whether the other began soon after a line of this one, and not before all of them."""
    begun = other.first
    if begun.order < one.first.order:
        return False
    lines = (seen.event for seen in one.hypothesis.lines)
    return any(
        line.source == begun.event.source and 0 < begun.event.line - line.line <= _BEHIND_LINES for line in lines
    )


def _elsewhere(one: _Comparable, other: _Comparable) -> bool:
    """Whether different ranks report the two; if none is known, different hosts or containers."""
    if one.reporters or other.reporters:
        return bool(one.reporters) and one.reporters.isdisjoint(other.reporters)
    return bool(one.places and other.places) and one.places.isdisjoint(other.places)


def _root_of(one: _Comparable, parents: Mapping[str, _Comparable | None]) -> _Comparable:
    """The end of the chain of explanations; if hypotheses explain each other in a cycle, its first."""
    chain = [one]
    while (parent := parents[chain[-1].rule.id]) is not None:
        if parent in chain:
            ring = chain[chain.index(parent) :]
            return min(ring, key=lambda other: (other.first.order, other.rule.id))
        chain.append(parent)
    return chain[-1]
