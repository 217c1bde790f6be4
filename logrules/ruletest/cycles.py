"""Rings of causes that yield to each other, longer than the two of which the earlier explains the later."""

from collections.abc import Iterator, Sequence

from logrules.inference.ranking import ANYTHING
from logrules.model.lint_finding import LintFinding
from logrules.ruleset.assemble import RuleSource
from logrules.ruletest.lint_targets import cards_in, found


def rings(sources: Sequence[RuleSource], everything: Sequence[RuleSource]) -> Iterator[LintFinding]:
    """Entries of `yields_to` in ``sources`` that close a ring with those of all files."""
    yields = _yields(everything)
    for source in sources:
        for path, card in cards_in(source):
            for number, cause in enumerate(card.yields_to):
                way = _way(yields, cause, card.cause) if cause in yields[card.cause] else None
                if way is not None:
                    ring = " → ".join((card.cause, *way))
                    yield found(source, (*path, "yields_to", number), "LR108", f"yields in a ring: {ring}")


def _yields(sources: Sequence[RuleSource]) -> dict[str, set[str]]:
    """Which causes each cause yields to, without those that yield back."""
    edges: dict[str, set[str]] = {}
    for source in sources:
        for _, card in cards_in(source):
            edges.setdefault(card.cause, set()).update(name for name in card.yields_to if name != ANYTHING)
    return {
        cause: {other for other in others if other == cause or cause not in edges.get(other, ())}
        for cause, others in edges.items()
    }


def _way(yields: dict[str, set[str]], start: str, end: str) -> tuple[str, ...] | None:
    """The shortest way from one cause to another, both included; None where there is none, or only back at once."""
    if start == end:
        return (start,)
    seen = {start}
    ways: list[tuple[str, ...]] = [(start,)]
    for way in ways:
        for other in sorted(yields.get(way[-1], ())):
            if other == end and len(way) > 1:
                return (*way, other)
            if other not in seen and other != end:
                seen.add(other)
                ways.append((*way, other))
    return None
