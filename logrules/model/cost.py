"""What rules cost where they are used."""

from dataclasses import dataclass


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
