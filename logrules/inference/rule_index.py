"""Tables that a session looks things up in: they depend on the pack alone, so that many sessions can share them."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TypeAlias, TypeVar

from logrules.inference.evidence_ownership import ends_of
from logrules.inference.exception_table import ExceptionTable
from logrules.model.record import record
from logrules.parsing.origin import OriginResolver
from logrules.ruleset.condition import (
    Absence,
    Detection,
    Detector,
    Every,
    Leaf,
    Metrical,
    Stillness,
    joint,
    leaves,
    signals_of,
)
from logrules.ruleset.pack import Marker, Metric, Pack, Rule

Sign = TypeVar("Sign", int, str)
# How long it may be still, of each kind of stillness, as any rule says it, in seconds.
Limits: TypeAlias = Mapping[Detection, tuple[float, ...]]


@record
class Index:
    """``leaves`` by rule; ``by_signal`` the leaves that a signal moves, by rule.

    ``silent`` are the rules that silence can move, ``metrics_of`` the metrics of those among them that ask for no
    silence itself: they have to see something first. ``ends`` are the tiers that say no more than that something
    failed; ``limits`` the silences that any asks for, ``polled`` what repeated lines must say for some of them.
    ``markers`` are those that move workers, by signal; ``polling`` and ``parting`` the signals of lines that say no
    more than that their writer waits, or is done.
    ``origins`` and ``exceptions`` are tables of failures; ``frameworks`` are by the signals that show them, by the
    ``headers`` of lines, or by the ``components`` of frames; ``asked`` the leaves by metric, ``metrics`` those that
    anybody asks for, by signal. ``loops`` are the phases in which the jobs of each framework loop, for those that have
    any. ``told`` are the names of what any line may tell, by signal.
    """

    rules: Mapping[str, Rule]
    leaves: Mapping[str, tuple[Leaf, ...]]
    joint: Mapping[str, tuple[Every, ...]]
    by_signal: Mapping[int, Mapping[str, tuple[Leaf, ...]]]
    silent: Mapping[str, Rule]
    metrics_of: Mapping[str, frozenset[str]]
    ends: frozenset[str]
    limits: Limits
    polled: tuple[str, ...]
    markers: Mapping[int, Marker]
    polling: frozenset[int]
    parting: frozenset[int]
    origins: OriginResolver
    exceptions: ExceptionTable
    frameworks: Mapping[int, tuple[str, ...]]
    headers: Mapping[str, tuple[str, ...]]
    components: Mapping[str, tuple[str, ...]]
    asked: Mapping[str, tuple[Metrical, ...]]
    metrics: Mapping[int, Metric]
    loops: Mapping[str, tuple[str, ...]]
    told: Mapping[int, str]


def index_of(pack: Pack) -> Index:
    """The tables of a pack."""
    by_rule = {rule.id: _once(leaves(rule.when)) for rule in pack.rules}
    every = tuple(chain.from_iterable(by_rule.values()))
    asked, tables = _asked(every), pack.tables
    silent = {rule.id: rule for rule in pack.rules if _minds_silence(by_rule[rule.id])}
    return Index(
        rules={rule.id: rule for rule in pack.rules},
        leaves=by_rule,
        joint={rule.id: found for rule in pack.rules if (found := joint(rule.when))},
        by_signal=_by_signal(by_rule),
        silent=silent,
        metrics_of={name: _metrics(by_rule[name]) for name in silent if not _asks_silence(by_rule[name])},
        ends=ends_of(pack),
        limits=_limits(every),
        polled=_polled_words(every),
        markers={marker.signal: marker for marker in pack.markers if not (marker.polls or marker.parts)},
        polling=frozenset(marker.signal for marker in pack.markers if marker.polls),
        parting=frozenset(marker.signal for marker in pack.markers if marker.parts),
        origins=OriginResolver(tables.components, tables.own_words, tables.nesting),
        exceptions=ExceptionTable(tables.classes, tables.exceptions, pack.required),
        frameworks=_by_sign((one.id, one.signals) for one in pack.frameworks),
        headers=_by_sign((one.id, one.headers) for one in pack.frameworks),
        components=_by_sign((one.id, one.components) for one in pack.frameworks),
        asked=asked,
        metrics={metric.signal: metric for metric in pack.metrics if metric.metric in asked},
        loops={one.id: one.loops for one in pack.frameworks if one.loops},
        told={number: name for name, number in pack.told_signals.items()},
    )


def _once(found: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    # Most rules have one leaf, and to look at it for a twin is a quarter of what these tables cost.
    return tuple(dict.fromkeys(found)) if len(found) > 1 else found


def _by_sign(shown: Iterable[tuple[str, Iterable[Sign]]]) -> dict[Sign, tuple[str, ...]]:
    """The frameworks by what shows them."""
    found: dict[Sign, list[str]] = {}
    for framework, signs in shown:
        for sign in signs:
            found.setdefault(sign, []).append(framework)
    return {sign: tuple(frameworks) for sign, frameworks in found.items()}


def _by_signal(by_rule: Mapping[str, tuple[Leaf, ...]]) -> dict[int, dict[str, tuple[Leaf, ...]]]:
    index: dict[int, dict[str, tuple[Leaf, ...]]] = {}
    for rule_id, found in by_rule.items():
        for leaf in found:
            for signal in frozenset(signals_of(leaf)):
                rules = index.setdefault(signal, {})
                rules[rule_id] = (*rules.get(rule_id, ()), leaf)
    return index


def _minds_silence(found: Iterable[Leaf]) -> bool:
    return any(isinstance(leaf, Absence | Stillness | Metrical) for leaf in found)


def _asks_silence(found: Iterable[Leaf]) -> bool:
    return any(isinstance(leaf, Stillness) for leaf in found)


def _metrics(found: Iterable[Leaf]) -> frozenset[str]:
    return frozenset(leaf.metric for leaf in found if isinstance(leaf, Metrical))


def _asked(found: Iterable[Leaf]) -> dict[str, tuple[Metrical, ...]]:
    asked: dict[str, tuple[Metrical, ...]] = {}
    for leaf in found:
        if isinstance(leaf, Metrical) and leaf not in asked.get(leaf.metric, ()):
            asked[leaf.metric] = (*asked.get(leaf.metric, ()), leaf)
    return asked


def _limits(found: Iterable[Leaf]) -> Limits:
    """The limits that these leaves of conditions ask for."""
    asked = sorted({(leaf.longer_than_s, leaf.kind) for leaf in found if isinstance(leaf, Detector)})
    return {kind: tuple(limit for limit, its in asked if its is kind) for kind in Detection}


def _polled_words(found: Iterable[Leaf]) -> tuple[str, ...]:
    """What repeated lines must say for these leaves that are about some of them only."""
    asked = {leaf.says for leaf in found if isinstance(leaf, Detector) and leaf.says is not None}
    return tuple(sorted(asked))
