"""How good rules and their tests are: what tests exercise, which wrong rules they notice, what each rule costs."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """How much of something was done."""

    done: int = 0
    all: int = 0

    @property
    def percent(self) -> float:
        """100 where there is nothing to do."""
        return 100.0 * self.done / self.all if self.all else 100.0


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """What one rule's examples exercise and, each in a sentence, what they do not."""

    rule: str
    signals: Share
    branches: Share
    captures: Share
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MutationScore:
    """How many mutants of a rule its examples notice and, each in words, those that they do not."""

    rule: str
    path: str
    noticed: Share
    survivors: tuple[str, ...] = ()


def total(shares: Iterable[Share]) -> Share:
    """All shares as one."""
    known = tuple(shares)
    return Share(sum(share.done for share in known), sum(share.all for share in known))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one rule costs on a set of logs.

    ``tried`` lines had one of its literals, ``matched`` were what it looks for; ``seconds`` went into its patterns.
    ``lines`` is how many lines the logs have in all.
    """

    rule: str
    tried: int
    matched: int
    seconds: float
    lines: int
