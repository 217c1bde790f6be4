"""Tables that a session looks things up in: they depend on the pack alone, so that many sessions can share them."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import TypeAlias, TypeVar

from logrules.inference.evidence_ownership import ends_of
from logrules.inference.exception_table import ExceptionTable
from logrules.model.record import record
from logrules.parsing.origin import OriginResolver
from logrules.ruleset.condition import (
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
from logrules.ruleset.long_tables import RuleTable
from logrules.ruleset.pack import Marker, Metric, Pack, Rule

Sign = TypeVar("Sign", int, str)
# How long it may be still, of each kind of stillness, as any rule says it, in seconds.
Limits: TypeAlias = Mapping[Detection, tuple[float, ...]]


class RulesById(Mapping[str, Rule]):
    """The rules of a pack by their ids, and the parts of their conditions: of a few, when a log first moves them."""

    def __init__(self, rules: RuleTable) -> None:
        self._rules = rules
        self.leaves = cache(self._leaves)
        self.joint = cache(self._joint)
        self.moved_by = cache(self._moved_by)

    def __getitem__(self, name: str) -> Rule:
        return self._rules[self._rules.summary.by_id[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules.summary.by_id)

    def __len__(self) -> int:
        return len(self._rules)

    def _leaves(self, name: str) -> tuple[Leaf, ...]:
        """The leaves of a rule's condition, each once."""
        return tuple(dict.fromkeys(leaves(self[name].when)))

    def _joint(self, name: str) -> tuple[Every, ...]:
        """The conjunctions of a rule's condition whose parts must be told together."""
        return joint(self[name].when)

    def _moved_by(self, signal: int) -> tuple[tuple[Rule, tuple[Leaf, ...]], ...]:
        """The rules that ask for a signal, each with the leaves that it moves."""
        asking = self._rules.asking(signal)
        return tuple((rule, self._asking(rule, signal)) for rule in asking)

    def _asking(self, rule: Rule, signal: int) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves(rule.id) if signal in signals_of(leaf))


@record
class Index:
    """What sessions look up of a pack.

    ``silent`` are the rules that silence can move, ``metrics_of`` the metrics of those among them that ask for no
    silence itself: they have to see something first. ``ends`` are the tiers that say no more than that something
    failed; ``limits`` the silences that any asks for, ``polled`` what repeated lines must say for some of them.
    ``markers`` are those that move workers, by signal; ``polling`` and ``parting`` the signals of lines that say no
    more than that their writer waits, or is done.
    ``origins`` and ``exceptions`` are tables of failures; ``frameworks`` are by the signals that show them, by the
    ``headers`` of lines, or by the ``components`` of frames; ``asked`` the leaves by metric, ``metrics`` those that
    anybody asks for, by signal. ``loops`` are the phases in which the jobs of each framework loop, for those that have
    any. ``told`` are the names of what any line may tell, by signal. ``labels`` are the headers that a launcher puts
    before each line of the rank that wrote it.
    """

    rules: "RulesById"
    silent: Mapping[str, Rule]
    metrics_of: Mapping[str, frozenset[str]]
    ends: frozenset[str]
    limits: Limits
    polled: tuple[str, ...]
    markers: Mapping[int, Marker]
    polling: Mapping[int, Marker]
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
    labels: frozenset[str]


def index_of(pack: Pack) -> Index:
    """The tables of a pack."""
    rules = RulesById(pack.rules)
    silent = {rule.id: rule for rule in pack.rules.silent()}
    leaves_of = {name: rules.leaves(name) for name in silent}
    minding = tuple(chain.from_iterable(leaves_of.values()))
    asked, tables = _asked(minding), pack.tables
    return Index(
        rules=rules,
        silent=silent,
        metrics_of={name: _metrics(found) for name, found in leaves_of.items() if not _asks_silence(found)},
        ends=ends_of(pack),
        limits=_limits(minding),
        polled=_polled_words(minding),
        markers={marker.signal: marker for marker in pack.markers if not (marker.polls or marker.parts)},
        polling={marker.signal: marker for marker in pack.markers if marker.polls},
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
        labels=frozenset(form.id for form in pack.headers if form.labels),
    )


def _by_sign(shown: Iterable[tuple[str, Iterable[Sign]]]) -> dict[Sign, tuple[str, ...]]:
    found: dict[Sign, list[str]] = {}
    for framework, signs in shown:
        for sign in signs:
            found.setdefault(sign, []).append(framework)
    return {sign: tuple(frameworks) for sign, frameworks in found.items()}


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
    asked = sorted({(leaf.longer_than_s, leaf.kind) for leaf in found if isinstance(leaf, Detector)})
    return {kind: tuple(limit for limit, its in asked if its is kind) for kind in Detection}


def _polled_words(found: Iterable[Leaf]) -> tuple[str, ...]:
    """What repeated lines must say for these leaves that are about some of them only."""
    asked = {leaf.says for leaf in found if isinstance(leaf, Detector) and leaf.says is not None}
    return tuple(sorted(asked))
