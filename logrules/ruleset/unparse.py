"""A condition back to the words of its `when`."""

from collections.abc import Callable, Iterable

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
    Occurred,
    Overdue,
    Polling,
    Quiet,
    Repeated,
    Sequence,
    Signals,
    Silent,
    Some,
    Stopped,
    Supported,
    Unstarted,
    Waiting,
)

# What a signal's number is called in its rule.
NameOf = Callable[[int], str]
_UNITS = (("d", 86400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0))


def spell(condition: Condition, name_of: NameOf) -> str:
    """The condition in the words of the language; parsing them gives the condition again."""
    match condition:
        case Every(parts):
            return " and ".join(_bracketed(part, name_of, Every, Some) for part in parts)
        case Some(parts):
            return " or ".join(_bracketed(part, name_of, Some) for part in parts)
        case Not(part):
            return f"not {_bracketed(part, name_of, Every, Some)}"
        case Supported(part):
            return spell(part, name_of)
        case _:
            return _spell_events(condition, name_of)


def _spell_events(leaf: Condition, name_of: NameOf) -> str:
    """What asks for lines."""
    match leaf:
        case Occurred(signals):
            return _any(signals, name_of)
        case Sequence(steps, within_s):
            return " then ".join(_any(step, name_of) for step in steps) + _within(within_s)
        case Absence(after, missing, within_s):
            return f"{_any(after, name_of)} without {_any(missing, name_of)}{_within(within_s)}"
        case Repeated(signals, least, within_s):
            return f"count({_listed(signals, name_of)}) >= {least}{_within(within_s)}"
        case _:
            return _spell_state(leaf)


def _spell_state(leaf: Condition) -> str:
    """What asks for waits, silence or the end."""
    match leaf:
        case Waiting(wait):
            return f"waiting({wait})"
        case Quiet(longer_than_s) | Silent(longer_than_s) | Unstarted(longer_than_s) | Polling(longer_than_s):
            return f"{type(leaf).__name__.lower()} > {duration(longer_than_s)}"
        case Overdue():
            return "steps(overdue)"
        case Lagging():
            return "steps(lagging)"
        case Stopped():
            return "stopped"
        case _:
            return _spell_metric(leaf)


def _spell_metric(leaf: Condition) -> str:
    match leaf:
        case MetricIs(metric, kind):
            return f"metric({metric}) is {kind.value}"
        case MetricStays(metric, kind):
            return f"metric({metric}) stays {kind.value}"
        case MetricBound(metric, above, bound, over):
            return f"metric({metric}) {_sign(above)} {bound:g}" + (f" over {over}" if over != 1 else "")
        case MetricSpike(metric, above, factor, over):
            return f"metric({metric}) {_sign(above)} {factor:g} * median over {over}"
        case MetricTrend(metric, trend, over):
            return f"metric({metric}) {trend.value} over {over}"
        case _:
            raise TypeError(leaf)


def duration(seconds: float) -> str:
    """Seconds as a duration of the language: ``90s``, ``10m``, ``0.5s``."""
    unit, size = next(((unit, size) for unit, size in _UNITS if seconds >= size and seconds % size == 0), ("s", 1.0))
    return f"{seconds / size:.10g}{unit}"


def _bracketed(part: Condition, name_of: NameOf, *loose: type) -> str:
    text = spell(part, name_of)
    return f"({text})" if isinstance(part, loose) else text


def _any(signals: Signals, name_of: NameOf) -> str:
    return name_of(signals[0]) if len(signals) == 1 else f"({_listed(signals, name_of)})"


def _listed(signals: Iterable[int], name_of: NameOf) -> str:
    return " or ".join(name_of(signal) for signal in signals)


def _within(within_s: float | None) -> str:
    return "" if within_s is None else f" within {duration(within_s)}"


def _sign(above: bool) -> str:  # noqa: FBT001 - the two signs of the language
    return ">" if above else "<"
