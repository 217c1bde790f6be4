"""Hypotheses to an ordered list: what explains what, which is likeliest, and how sure that is.

A pure function of the hypotheses; nothing here knows how they came about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from logrules.inference.observation import Match, Observation
from logrules.model.report import Severity
from logrules.ruleset.pack import Rule

_WEIGHT = {Severity.ERROR: 1.0, Severity.WARNING: 0.5, Severity.INFO: 0.2}
# An error that something else came before is less often the root: each earlier one takes this share.
_LATER = 0.9
# What a run survived is worth knowing, but does not explain its end.
_SURVIVED = 0.15
ANYTHING = "*"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A rule that holds: on which sightings, and whether the run lived on after them."""

    rule: Rule
    trails: tuple[Match, ...]
    survived: bool = False

    @property
    def first(self) -> Observation:
        """The first line that speaks for it."""
        return min((trail.first[0] for trail in self.trails), key=lambda sighting: sighting.order)

    @property
    def last(self) -> Observation:
        """The last line that speaks for it."""
        return max((trail.last for trail in self.trails), key=lambda sighting: sighting.order)

    @property
    def severity(self) -> Severity:
        """How bad it is, given that the run may have survived it."""
        return Severity.INFO if self.survived else self.rule.severity


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hypothesis that nothing explains, with those that it explains."""

    hypothesis: Hypothesis
    confidence: float
    consequences: tuple[Hypothesis, ...] = ()


def rank(hypotheses: Sequence[Hypothesis]) -> tuple[Ranked, ...]:
    """The hypotheses that nothing else explains, likeliest first, each with its consequences."""
    ordered = sorted(hypotheses, key=lambda one: (one.survived, one.first.order, one.rule.id))
    parents = {one.rule.id: _explanation(one, ordered) for one in ordered}
    roots = [one for one in ordered if _root_of(one, parents) is one]
    scores = {one.rule.id: _score(one, roots) for one in roots}
    best = sorted(roots, key=lambda one: (-scores[one.rule.id], one.first.order, one.rule.id))
    found = [
        Ranked(one, 0.0, tuple(c for c in ordered if c is not one and _root_of(c, parents) is one)) for one in best
    ]
    return _one_a_cause([replace(one, confidence=_confidence(one.hypothesis, found)) for one in found])


def _explanation(one: Hypothesis, others: Sequence[Hypothesis]) -> Hypothesis | None:
    """The likeliest hypothesis that makes ``one`` a consequence, if any."""
    able = [other for other in others if other is not one and _explains(other, one)]
    return max(able, key=lambda other: (other.rule.weight, -other.first.order), default=None)


def _explains(root: Hypothesis, consequence: Hypothesis) -> bool:
    if root.survived and not consequence.survived:
        return False
    if root.rule.cause == consequence.rule.cause:
        return False
    if _is_tail(root) and _failed_elsewhere_first(consequence, root):
        return False
    if root.rule.cause in consequence.rule.yields_to:
        mutual = consequence.rule.cause in root.rule.yields_to
        return not mutual or _before(root, consequence)
    if consequence.rule.cause in root.rule.yields_to:
        return False
    if _is_tail(consequence) and root.rule.severity is Severity.ERROR:
        return not _is_tail(root) or _failed_elsewhere_first(root, consequence) or _more_telling(root, consequence)
    return False


def _is_tail(one: Hypothesis) -> bool:
    """Whether the rule speaks of what anything may bring about: a lost peer, a worker that was ended."""
    return ANYTHING in one.rule.yields_to


def _failed_elsewhere_first(one: Hypothesis, tail: Hypothesis) -> bool:
    """Whether a rank failed before the first of others met the tail: what they lost is that rank."""
    mine, theirs = one.first.worker.rank, {sighting.worker.rank for trail in tail.trails for sighting in trail.first}
    known = mine is not None and None not in theirs
    return known and mine not in theirs and one.severity is Severity.ERROR and one.first.order < tail.first.order


def _before(one: Hypothesis, other: Hypothesis) -> bool:
    return (one.first.order, -one.rule.weight, one.rule.id) < (
        other.first.order,
        -other.rule.weight,
        other.rule.id,
    )


def _more_telling(one: Hypothesis, other: Hypothesis) -> bool:
    return (-one.rule.weight, one.first.order, one.rule.id) < (
        -other.rule.weight,
        other.first.order,
        other.rule.id,
    )


def _root_of(one: Hypothesis, parents: dict[str, Hypothesis | None]) -> Hypothesis:
    """The end of the chain of explanations; where rules explain each other in a ring, its most telling."""
    chain = [one]
    while (parent := parents[chain[-1].rule.id]) is not None:
        if parent in chain:
            ring = chain[chain.index(parent) :]
            return min(ring, key=lambda other: (-other.rule.weight, other.first.order, other.rule.id))
        chain.append(parent)
    return chain[-1]


def _score(one: Hypothesis, roots: Sequence[Hypothesis]) -> float:
    earlier = sum(
        other.severity is Severity.ERROR and other.rule.cause != one.rule.cause and other.first.order < one.first.order
        for other in roots
    )
    score = one.rule.weight * _WEIGHT[one.severity] * _LATER**earlier
    return score * _SURVIVED if one.survived else score


def _confidence(one: Hypothesis, ranked: Sequence[Ranked]) -> float:
    """Certainty, lessened by rivals of another cause that are as bad."""
    rivals = [
        other.hypothesis.rule.certainty
        for other in ranked
        if other.hypothesis.rule.cause != one.rule.cause and other.hypothesis.severity is one.severity
    ]
    share = one.rule.certainty / (one.rule.certainty + 0.5 * max(rivals, default=0.0))
    confidence = one.rule.certainty * share**0.5 if rivals else one.rule.certainty
    return round(confidence * (_SURVIVED if one.survived else 1.0), 3)


def _one_a_cause(ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Further diagnoses of a cause already named go under the first of that cause."""
    kept: dict[str, Ranked] = {}
    for one in ranked:
        cause = one.hypothesis.rule.cause
        known = kept.get(cause)
        if known is None:
            kept[cause] = one
        else:
            kept[cause] = replace(known, consequences=(*known.consequences, one.hypothesis, *one.consequences))
    return tuple(kept.values())
