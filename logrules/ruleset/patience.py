"""A pack that waits for longer, or less long, than its rules say before it calls silence a stall."""

from logrules.model.record import replace
from logrules.ruleset.condition import Condition, Detector, Every, Not, Some, Supported
from logrules.ruleset.long_tables import RuleTable
from logrules.ruleset.pack import Pack


def with_patience(pack: Pack, factor: float) -> Pack:
    """The pack with every patience of its waits, detectors and rhythms multiplied."""
    if factor == 1.0:
        return pack
    return replace(
        pack,
        patience=pack.patience * factor,
        waits=tuple(replace(wait, patience_s=wait.patience_s * factor) for wait in pack.waits),
        rules=RuleTable(replace(rule, when=_stretched(rule.when, factor)) for rule in pack.rules),
    )


def _stretched(condition: Condition, factor: float) -> Condition:
    match condition:
        case Every(parts):
            return replace(condition, parts=tuple(_stretched(part, factor) for part in parts))
        case Some(parts):
            return Some(tuple(_stretched(part, factor) for part in parts))
        case Not(part):
            return Not(_stretched(part, factor))
        case Supported(part):
            return replace(condition, part=_stretched(part, factor))
        case Detector():
            return replace(condition, longer_than_s=condition.longer_than_s * factor)
        case _:
            return condition
