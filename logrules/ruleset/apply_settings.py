"""A pack as somebody wants it: rules left out, severities of a project's own, more patience or less."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from logrules.model.errors import PackError
from logrules.model.position import Problem
from logrules.model.record import replace
from logrules.model.report import Severity, SourceNote
from logrules.ruleset.condition import Condition, Detector, parts_of, with_parts
from logrules.ruleset.duration import seconds
from logrules.ruleset.long_tables import RuleTable
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.pack import Pack, Rule, Wait

if TYPE_CHECKING:
    from logrules.ruleset.config import Config

Value = TypeVar("Value")


def with_settings(pack: Pack, config: "Config | None") -> Pack:
    """The pack without the rules that a configuration disables, with its severities and its patience.

    Raises PackError where it names rules or waits that no pack has.
    """
    if config is None:
        return pack
    if unknown := tuple(unknown_names(pack, config)):
        raise PackError(unknown)
    file = config.file
    rules = tuple(
        replace(rule, severity=_last(file.severity, rule.id, rule.severity))
        for rule in pack.rules
        if not any(fnmatchcase(rule.id, name) for name in file.disable)
    )
    patience_s = {name: seconds(text) for name, text in file.patience.items()}
    waits = tuple(replace(wait, patience_s=_last(patience_s, wait.id, wait.patience_s)) for wait in pack.waits)
    return replace(pack, rules=RuleTable(rules), waits=waits, notes=tuple(_notes(pack, rules, waits, config)))


def _notes(pack: Pack, rules: Sequence[Rule], waits: Sequence[Wait], config: "Config") -> Iterator[SourceNote]:
    """What the configuration changes in what is diagnosed: it may lie in a folder above, and nobody think of it."""
    severe = {rule.id for rule in pack.rules if rule.severity is Severity.ERROR}
    softened = sum(rule.id in severe and rule.severity is not Severity.ERROR for rule in rules)
    usual = {wait.id: wait.patience_s for wait in pack.waits}
    slower = sum(wait.patience_s > usual[wait.id] for wait in waits)
    counts = (
        (len(pack.rules) - len(rules), "rule is not asked", "rules are not asked"),
        (softened, "rule is taken less seriously", "rules are taken less seriously"),
        (slower, "wait is given more time", "waits are given more time"),
    )
    said = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    if said:
        told = f"by this configuration {', '.join(said)}; `--settings none` goes without it"
        yield SourceNote(config.document.path, told)


def _last(said: Mapping[str, Value], name: str, otherwise: Value) -> Value:
    """What the last fitting entry says: a configuration goes from the general to the particular."""
    return next((value for pattern, value in reversed(list(said.items())) if fnmatchcase(name, pattern)), otherwise)


def unknown_names(pack: Pack, config: "Config") -> Iterator[Problem]:
    """What the configuration names and no pack has: it would be without effect, and nobody would know."""
    rules, waits = [rule.id for rule in pack.rules], [wait.id for wait in pack.waits]
    for key, known, kind in (("disable", rules, "rule"), ("severity", rules, "rule"), ("patience", waits, "wait")):
        for name in getattr(config.file, key):
            if not any(fnmatchcase(one, name) for one in known):
                message = f"`{key}` names no {kind}: `{name}`"
                yield Problem(config.document.place((key, name)), message, near_hint(name, known), code="LR002")


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
    if isinstance(condition, Detector):
        return replace(condition, longer_than_s=condition.longer_than_s * factor)
    return with_parts(condition, [_stretched(part, factor) for part in parts_of(condition)])
