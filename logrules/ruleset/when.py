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
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

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
    return _SPELLED[type(condition)](condition, name_of)


def _joined(part: nodes.Every | nodes.Some, word: str, name_of: NameOf) -> str:
    # What binds less stands in brackets, and so does what binds alike.
    loose = (nodes.Some,) if word == "or" else (nodes.Every, nodes.Some)
    return f" {word} ".join(_bracketed(one, name_of, *loose) for one in part.parts)


def _bracketed(part: nodes.Condition, name_of: NameOf, *loose: type) -> str:
    text = spell(part, name_of)
    return f"({text})" if isinstance(part, loose) else text


def _any(signals: nodes.Signals, name_of: NameOf) -> str:
    listed = " or ".join(map(name_of, signals))
    return listed if len(signals) == 1 else f"({listed})"


def _within(within_s: float | None) -> str:
    return "" if within_s is None else f" within {spelled(within_s)}"


def _detector(it: nodes.Detector, _name_of: NameOf) -> str:
    spoken = f"{it.kind.value} > {spelled(it.longer_than_s)}" if it.longer_than_s else it.kind.value
    return spoken if it.says is None else f"{spoken} that says /{it.says}/"


def _compared(it: nodes.MetricBound | nodes.MetricSpike, bound: float) -> str:
    return f"metric({it.metric}) {'>' if it.above else '<'} {bound:g}"


# Each node in the words of the language.
_SPELLED: Mapping[type, Callable[[Any, NameOf], str]] = {
    nodes.Every: lambda it, name_of: _joined(it, "and", name_of),
    nodes.Some: lambda it, name_of: _joined(it, "or", name_of),
    nodes.Not: lambda it, name_of: f"not {_bracketed(it.part, name_of, nodes.Every, nodes.Some)}",
    nodes.Supported: lambda it, name_of: spell(it.part, name_of),
    nodes.Occurred: lambda it, name_of: _any(it.signals, name_of),
    nodes.Sequence: lambda it, name_of: " then ".join(_any(step, name_of) for step in it.steps) + _within(it.within_s),
    nodes.Absence: lambda it, name_of: (
        f"{_any(it.after, name_of)} without {_any(it.missing, name_of)}{_within(it.within_s)}"
    ),
    nodes.Repeated: lambda it, name_of: (
        f"count({' or '.join(map(name_of, it.signals))}) >= {it.least}{_within(it.within_s)}"
    ),
    nodes.Waiting: lambda it, _: f"waiting({it.wait})",
    nodes.Detector: _detector,
    nodes.MetricIs: lambda it, _: f"metric({it.metric}) {'stays' if it.stays else 'is'} {it.kind.value}",
    nodes.MetricBound: lambda it, _: _compared(it, it.bound) + (f" over {it.over}" if it.over != 1 else ""),
    nodes.MetricSpike: lambda it, _: f"{_compared(it, it.factor)} * median over {it.over}",
    nodes.MetricTrend: lambda it, _: f"metric({it.metric}) {it.trend.value} over {it.over}",
}
