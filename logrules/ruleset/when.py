"""The `when` language: text to Condition, parsed once when a rule is loaded, and back.

    condition   := every ("or" every)*
    every       := factor ("and" factor)*
    factor      := "not" factor | "(" condition ")" | leaf
    leaf        := events ("then" events)+ ["within" D] | events "without" events ["within" D]
                 | count(events) >= N ["within" D] | metric(name) …  | signal
    events      := signal | "(" signal ("or" signal)* ")"

The grammar is built on first use: nothing here is imported or built while a cached pack is loaded.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from logrules.ruleset import condition as nodes
from logrules.ruleset.duration import LENGTH, seconds, spelled
from logrules.ruleset.misspelling import listing

if TYPE_CHECKING:
    import pyparsing as pp

_MAX_DEPTH = 40
# So many observations or samples are held at once.
_MAX_COUNT = 10_000


class ConditionFault(ValueError):
    """A `when` that cannot be understood; ``column`` counts from 1 within its text."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


def parse_when(text: str, signals: Mapping[str, int]) -> nodes.Condition:
    """The condition that ``text`` says, its signal names replaced by their numbers.

    Raises ConditionFault for bad syntax, an unknown signal, or a condition that nothing needs to
    happen for (every `when` needs a positive leaf).
    """
    if text.count("(") > _MAX_DEPTH or len(re.findall(r"\bnot\b", text)) > _MAX_DEPTH:
        raise ConditionFault(f"more than {_MAX_DEPTH} brackets or negations", 1)
    condition = _parsed(text)(signals)
    if not all(1 <= counted <= _MAX_COUNT for leaf in nodes.leaves(condition) for counted in nodes.counts_of(leaf)):
        raise ConditionFault(f"a number of lines or samples must lie between 1 and {_MAX_COUNT}", 1)
    if not nodes.positive(condition):
        raise ConditionFault("nothing needs to happen for this condition to hold", 1)
    return condition


_Build: TypeAlias = Callable[[Mapping[str, int]], nodes.Condition]
_Events: TypeAlias = Callable[[Mapping[str, int]], tuple[int, ...]]


def _number_of(name: str, column: int) -> _Events:
    def resolve(signals: Mapping[str, int]) -> tuple[int, ...]:
        if name not in signals:
            raise ConditionFault(
                f"unknown signal `{name}`; this rule has {listing([f'`{known}`' for known in signals])}", column
            )
        return (signals[name],)

    return resolve


def _any_of(parts: list[_Events]) -> _Events:
    return lambda signals: tuple(number for part in parts for number in part(signals))


def _fold(parts: list[_Build], node: type[nodes.Every] | type[nodes.Some]) -> _Build:
    if len(parts) == 1:
        return parts[0]
    return lambda signals: node(tuple(part(signals) for part in parts))


# Many rules say the same, and a process that checks rules reads the same files again.
@lru_cache(maxsize=1_024)
def _parsed(text: str) -> _Build:
    import pyparsing as pp

    try:
        found: _Build = _grammar().parse_string(text, parse_all=True)[0]
    except pp.ParseBaseException as fault:
        rest = text[fault.loc :].split()
        unexpected = f"unexpected `{rest[0]}`" if rest else "the condition ends too early"
        raise ConditionFault(unexpected, fault.loc + 1) from None
    return found


@cache
def _grammar() -> "pp.ParserElement":
    """The grammar; each parse action yields a function from the rule's signals to a Condition."""
    import pyparsing as pp

    words = "and or not then without within is over of median stays metric count"
    keywords = {word: pp.Keyword(word).suppress() for word in words.split()}
    left, right = (pp.Suppress(mark) for mark in "()")
    condition, factor = pp.Forward(), pp.Forward()
    negation = (keywords["not"] + factor).set_parse_action(lambda found: lambda signals: nodes.Not(found[0](signals)))
    factor <<= negation | _leaf(keywords) | left + condition + right
    every = (factor + pp.ZeroOrMore(keywords["and"] + factor)).set_parse_action(
        lambda found: _fold(list(found), nodes.Every)
    )
    condition <<= (every + pp.ZeroOrMore(keywords["or"] + every)).set_parse_action(
        lambda found: _fold(list(found), nodes.Some)
    )
    return condition


def _leaf(keywords: "Mapping[str, pp.ParserElement]") -> "pp.ParserElement":
    """`a`, `a then b within 5m`, `a without b`, `count(a) >= 3`, `metric(loss) …`."""
    import pyparsing as pp

    reserved = pp.MatchFirst([pp.Keyword(word) for word in keywords])
    left, right = (pp.Suppress(mark) for mark in "()")
    integer = pp.Regex(r"\d+").set_parse_action(lambda found: int(found[0]))
    duration = pp.Regex(rf"{LENGTH}\b").set_parse_action(lambda found: seconds(found[0]))
    name = ~reserved + pp.Regex(r"[a-z][a-z0-9_]*")
    signal = name.copy().set_parse_action(lambda text, at, found: _number_of(found[0], text.find(found[0], at) + 1))
    either = pp.DelimitedList(signal, delim=pp.Keyword("or"))
    events = (signal | left + either + right).set_parse_action(lambda found: _any_of(list(found)))
    counted_events = (
        left + (left + either + right | either).set_parse_action(lambda found: _any_of(list(found))) + right
    )
    within = pp.Optional(keywords["within"] + duration, default=None)

    sequence = (pp.Group(events + pp.OneOrMore(keywords["then"] + events)) + within).set_parse_action(
        lambda found: lambda signals: nodes.Sequence(tuple(step(signals) for step in found[0]), found[1])
    )
    absence = (events + keywords["without"] + events + within).set_parse_action(
        lambda found: lambda signals: nodes.Absence(found[0](signals), found[1](signals), found[2])
    )
    counted = keywords["count"] + counted_events + pp.Suppress(">=") + integer + within
    counted.set_parse_action(lambda found: lambda signals: nodes.Repeated(found[0](signals), found[1], found[2]))
    seen = signal.copy().add_parse_action(lambda found: lambda signals: nodes.Occurred(found[0](signals)))
    return sequence | absence | counted | _metric(keywords, integer) | seen


def _metric(keywords: "Mapping[str, pp.ParserElement]", integer: "pp.ParserElement") -> "pp.ParserElement":
    """`metric(loss) is nan`, `… stays nan`, `… > 10`, `… < 5 over 20`, `… > 10 * median over 50`, `… flat over 20`."""
    import pyparsing as pp

    subject = keywords["metric"] + pp.Suppress("(") + pp.Regex(r"[a-z][a-z0-9_]*") + pp.Suppress(")")
    sign = pp.one_of("> <").set_parse_action(lambda found: found[0] == ">")
    number = pp.Regex(r"-?\d+(\.\d+)?([eE][+-]?\d+)?").set_parse_action(lambda found: float(found[0]))
    over = keywords["over"] + integer
    is_or_stays = (pp.Keyword("is") | pp.Keyword("stays")).set_parse_action(lambda found: found[0] == "stays")
    is_not = subject + is_or_stays + pp.one_of([kind.value for kind in nodes.NotANumber])
    is_not.set_parse_action(
        lambda found: lambda _signals: nodes.MetricIs(found[0], nodes.NotANumber(found[2]), stays=found[1])
    )
    spike = subject + sign + number + pp.Suppress("*") + keywords["median"] + over
    spike.set_parse_action(lambda found: lambda _signals: nodes.MetricSpike(*found))
    bound = subject + sign + number + pp.Optional(over, default=1)
    bound.set_parse_action(lambda found: lambda _signals: nodes.MetricBound(*found))
    trend = subject + pp.one_of([trend.value for trend in nodes.Trend]) + over
    trend.set_parse_action(lambda found: lambda _signals: nodes.MetricTrend(found[0], nodes.Trend(found[1]), found[2]))
    return pp.MatchFirst([is_not, spike, bound, trend])


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
