"""Rules made wrong in one place each: what a good set of examples notices."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from logrules.ruleset.condition import (
    Absence,
    Condition,
    Every,
    Lagging,
    MetricBound,
    MetricIs,
    MetricSpike,
    MetricStays,
    MetricTrend,
    Not,
    NotANumber,
    Occurred,
    Overdue,
    Polling,
    Quiet,
    Repeated,
    Sequence,
    Silent,
    Some,
    Supported,
    Trend,
    Unstarted,
    leaves,
    signals_of,
)
from logrules.ruleset.pack import Pack, Rule, Signal, Wait
from logrules.ruleset.unparse import duration, spell

# Wide enough that a near miss need not lie on the edge of its window.
WIDER = 10
_NEVER = "(?!)"
_OTHER_TREND = {Trend.FLAT: Trend.RISING, Trend.RISING: Trend.FLAT}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to one rule, in words, and what it puts in the place of the rule, of signals or of a wait."""

    what: str
    rule: Rule | None = None
    signals: dict[int, Signal] = field(default_factory=dict)
    wait: Wait | None = None

    def applied(self, pack: Pack) -> Pack:
        """The pack with the rule made wrong; every number in it stays what it was."""
        rules = pack.rules
        if (wrong := self.rule) is not None:
            rules = tuple(wrong if rule.id == wrong.id else rule for rule in rules)
        waits = pack.waits
        if (late := self.wait) is not None:
            waits = tuple(late if wait.id == late.id else wait for wait in waits)
        signals = tuple(self.signals.get(number, signal) for number, signal in enumerate(pack.signals))
        return replace(pack, rules=rules, waits=waits, signals=signals)


def mutants(pack: Pack, rule: Rule) -> Iterator[Mutant]:
    """Every mutant of a rule or, for the card of a wait, of its patience."""

    def name_of(signal: int) -> str:
        return pack.signals[signal].id.rpartition(":")[2]

    for number in dict.fromkeys(signal for leaf in leaves(rule.when) for signal in signals_of(leaf)):
        yield from _without(number, pack.signals[number], name_of(number))
    for wrong, was, now in _wrong(rule.when):
        yield Mutant(f"`{spell(now, name_of)}` for `{spell(was, name_of)}`", replace(rule, when=wrong))
    for wait in pack.waits:
        if wait.id == rule.wait:
            late = replace(wait, patience_s=wait.patience_s * WIDER)
            text = f"a patience of {duration(late.patience_s)} for {duration(wait.patience_s)}"
            yield Mutant(text, wait=late)


def _without(number: int, signal: Signal, name: str) -> Iterator[Mutant]:
    yield Mutant(f"the signal `{name}` dropped", signals={number: replace(signal, pattern=_NEVER)})
    if signal.pattern is not None:
        yield Mutant(f"the pattern of `{name}` dropped", signals={number: replace(signal, pattern=None)})
    if signal.unless is not None:
        yield Mutant(f"the veto of `{name}` dropped", signals={number: replace(signal, unless=None)})


def _wrong(condition: Condition) -> Iterator[tuple[Condition, Condition, Condition]]:
    """The condition with one operator flipped, one window widened or one count dropped; what was there, what is."""
    match condition:
        case Every(parts):
            yield Some(parts), condition, Some(parts)
            yield from ((Every(wrong), was, now) for wrong, was, now in _one_wrong(parts))
        case Some(parts):
            yield Every(parts), condition, Every(parts)
            yield from ((Some(wrong), was, now) for wrong, was, now in _one_wrong(parts))
        case Supported(part, evidence):
            yield from ((Supported(wrong, evidence), was, now) for wrong, was, now in _wrong(part))
        case Not(part):
            yield part, condition, part
            yield from ((Not(wrong), was, now) for wrong, was, now in _wrong(part))
        case _:
            yield from ((wrong, condition, wrong) for wrong in _wrong_leaf(condition))


def _one_wrong(
    parts: tuple[Condition, ...],
) -> Iterator[tuple[tuple[Condition, ...], Condition, Condition]]:
    for number, part in enumerate(parts):
        for wrong, was, now in _wrong(part):
            yield (*parts[:number], wrong, *parts[number + 1 :]), was, now


def _wrong_leaf(leaf: Condition) -> Iterator[Condition]:
    match leaf:
        case Sequence(steps, within_s):
            yield Every(tuple(_seen(step) for step in steps))
            if within_s is not None:
                yield Sequence(steps, within_s * WIDER)
        case Absence(after, missing, within_s):
            yield _seen(after)
            if within_s is not None:
                yield Absence(after, missing, within_s * WIDER)
        case Repeated(signals, least, within_s):
            yield _seen(signals)
            if within_s is not None:
                yield Repeated(signals, least, within_s * WIDER)
        case _:
            yield from _wrong_silence(leaf)


def _wrong_silence(leaf: Condition) -> Iterator[Condition]:
    match leaf:
        case Quiet(longer_than_s):
            yield Quiet(longer_than_s * WIDER)
        case Silent(longer_than_s):
            yield Silent(longer_than_s * WIDER)
        case Unstarted(longer_than_s):
            yield Unstarted(longer_than_s * WIDER)
        case Polling(longer_than_s):
            yield Polling(longer_than_s * WIDER)
        case Overdue():
            yield Lagging()
        case Lagging():
            yield Overdue()
        case _:
            yield from _wrong_metric(leaf)


def _seen(signals: tuple[int, ...]) -> Condition:
    """Any of the signals, as the language says it."""
    return Occurred(signals) if len(signals) == 1 else Some(tuple(Occurred((signal,)) for signal in signals))


def _wrong_metric(leaf: Condition) -> Iterator[Condition]:
    match leaf:
        case MetricIs(kind=kind):
            yield replace(leaf, kind=NotANumber.INF if kind is NotANumber.NAN else NotANumber.NAN)
        case MetricStays(metric, kind):
            yield MetricIs(metric, kind)
            yield replace(leaf, kind=NotANumber.INF if kind is NotANumber.NAN else NotANumber.NAN)
        case MetricBound(above=above, over=over):
            yield replace(leaf, above=not above)
            if over > 1:
                yield replace(leaf, over=1)
        case MetricSpike(above=above, factor=factor):
            yield replace(leaf, above=not above)
            yield replace(leaf, factor=factor * WIDER)
        case MetricTrend(trend=trend):
            yield replace(leaf, trend=_OTHER_TREND[trend])
        case _:
            return
