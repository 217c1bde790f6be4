"""A condition back to the words of its `when`."""

from collections.abc import Callable, Iterable

from logrules.ruleset import condition as nodes
from logrules.ruleset.duration import spelled

# What a signal's number is called in its rule.
NameOf = Callable[[int], str]


def spell(condition: nodes.Condition, name_of: NameOf) -> str:
    """The condition in the words of the language; parsing them gives the condition again."""
    match condition:
        case nodes.Every(parts):
            return " and ".join(_bracketed(part, name_of, nodes.Every, nodes.Some) for part in parts)
        case nodes.Some(parts):
            return " or ".join(_bracketed(part, name_of, nodes.Some) for part in parts)
        case nodes.Not(part):
            return f"not {_bracketed(part, name_of, nodes.Every, nodes.Some)}"
        case nodes.Supported(part):
            return spell(part, name_of)
        case _:
            return _spell_events(condition, name_of)


def _spell_events(leaf: nodes.Condition, name_of: NameOf) -> str:
    """What asks for lines."""
    match leaf:
        case nodes.Occurred(signals):
            return _any(signals, name_of)
        case nodes.Sequence(steps, within_s):
            return " then ".join(_any(step, name_of) for step in steps) + _within(within_s)
        case nodes.Absence(after, missing, within_s):
            return f"{_any(after, name_of)} without {_any(missing, name_of)}{_within(within_s)}"
        case nodes.Repeated(signals, least, within_s):
            return f"count({_listed(signals, name_of)}) >= {least}{_within(within_s)}"
        case _:
            return _spell_state(leaf)


def _spell_state(leaf: nodes.Condition) -> str:
    """What asks for waits, silence or the end."""
    match leaf:
        case nodes.Waiting(wait):
            return f"waiting({wait})"
        case nodes.Detector(kind, longer_than_s, says):
            spoken = f"{kind.value} > {spelled(longer_than_s)}" if longer_than_s else kind.value
            return spoken if says is None else f"{spoken} that says /{says}/"
        case _:
            return _spell_metric(leaf)


def _spell_metric(leaf: nodes.Condition) -> str:
    match leaf:
        case nodes.MetricIs(metric, kind, stays):
            return f"metric({metric}) {'stays' if stays else 'is'} {kind.value}"
        case nodes.MetricBound(metric, above, bound, over):
            return f"metric({metric}) {_sign(above)} {bound:g}" + (f" over {over}" if over != 1 else "")
        case nodes.MetricSpike(metric, above, factor, over):
            return f"metric({metric}) {_sign(above)} {factor:g} * median over {over}"
        case nodes.MetricTrend(metric, trend, over):
            return f"metric({metric}) {trend.value} over {over}"
        case _:
            raise TypeError(leaf)


def _bracketed(part: nodes.Condition, name_of: NameOf, *loose: type) -> str:
    text = spell(part, name_of)
    return f"({text})" if isinstance(part, loose) else text


def _any(signals: nodes.Signals, name_of: NameOf) -> str:
    return name_of(signals[0]) if len(signals) == 1 else f"({_listed(signals, name_of)})"


def _listed(signals: Iterable[int], name_of: NameOf) -> str:
    return " or ".join(name_of(signal) for signal in signals)


def _within(within_s: float | None) -> str:
    return "" if within_s is None else f" within {spelled(within_s)}"


def _sign(above: bool) -> str:  # noqa: FBT001 - the two signs of the language
    return ">" if above else "<"
