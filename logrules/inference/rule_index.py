"""Tables that a session looks things up in: they depend on the pack alone, so that many sessions can share them."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from typing import TypeAlias

from logrules.inference.evidence_ownership import ends_of
from logrules.inference.exception_table import ExceptionTable
from logrules.inference.seen_frameworks import FrameworkSigns, grouped
from logrules.inference.wording import Wordings
from logrules.parsing.origin import OriginResolver
from logrules.ruleset.condition import (
    Detection,
    Detector,
    Leaf,
    Metrical,
    Stillness,
    joint,
    leaves,
    signals_of,
)
from logrules.ruleset.pack import Pack, Rule

# How long it may be still, of each kind of stillness, as any rule says it, in seconds.
Limits: TypeAlias = Mapping[Detection, tuple[float, ...]]


class SilentRules:
    """The rules whose answer silence can change, ``by_id``, and what their conditions ask for."""

    def __init__(self, rules: Iterable[Rule], leaves_of: Callable[[str], tuple[Leaf, ...]]) -> None:
        self.by_id = {rule.id: rule for rule in rules}
        parts = {name: leaves_of(name) for name in self.by_id}
        # The metrics of those that ask for no silence itself: they have to see something first.
        self.metrics_of = {
            name: frozenset(leaf.metric for leaf in found if isinstance(leaf, Metrical))
            for name, found in parts.items()
            if not any(isinstance(leaf, Stillness) for leaf in found)
        }
        asked = tuple(chain.from_iterable(parts.values()))
        detectors = [leaf for leaf in asked if isinstance(leaf, Detector)]
        self.limits: Limits = {
            kind: tuple(sorted({leaf.longer_than_s for leaf in detectors if leaf.kind is kind})) for kind in Detection
        }
        # What repeated lines must say for some of them.
        self.polled = tuple(sorted({leaf.says for leaf in detectors if leaf.says is not None}))
        self.leaves_by_metric = grouped((leaf.metric, leaf) for leaf in asked if isinstance(leaf, Metrical))


class Index:
    """What sessions look up of a pack."""

    def __init__(self, pack: Pack) -> None:
        tables = pack.tables
        self._rules = pack.rules
        # The parts of conditions: of a few rules, when a log first moves them. By rule the leaves, each once, and the
        # conjunctions whose parts must be told together.
        self.leaves = cache(lambda name: tuple(dict.fromkeys(leaves(self.rule(name).when))))
        self.joint = cache(lambda name: joint(self.rule(name).when))
        self.moved_by = cache(self._moved_by)
        self.silence = SilentRules(pack.rules.silent(), self.leaves)
        self.metrics = {one.signal: one for one in pack.metrics if one.metric in self.silence.leaves_by_metric}
        # The tiers that say no more than that something failed.
        self.ends = ends_of(pack)
        # The tiers whose causes may be told before what brought them about; how to check for a cause, by its name.
        self.reactions = frozenset(tier.id for tier in tables.tiers if tier.reaction)
        self.checks = {cause.id: cause.checks for cause in tables.causes}
        # The causes of what nobody knows.
        self.unknown = frozenset(rule.cause for rule in pack.rules.fallbacks() if not rule.from_table)
        # By signal what moves workers; the signals of lines that say no more than that their writer waits, or is done.
        self.markers = {marker.signal: marker for marker in pack.markers if not (marker.polls or marker.parts)}
        self.polling = {marker.signal: marker for marker in pack.markers if marker.polls}
        self.parting = frozenset(marker.signal for marker in pack.markers if marker.parts)
        # Tables of failures.
        self.origins = OriginResolver(tables.components, tables.own_words, tables.nesting)
        self.exceptions = ExceptionTable(tables.classes, tables.exceptions, pack.required)
        self.wordings = Wordings(tables.wordings, tables.stances)
        self.framework_signs = FrameworkSigns(pack)
        # The names of what any line may tell, by signal.
        self.told = {number: name for name, number in pack.told_signals.items()}
        # The headers that a launcher puts before each line of the rank that wrote it.
        self.labels = frozenset(form.id for form in pack.headers if form.labels)

    def rule(self, name: str) -> Rule:
        """The rule of this id. Raises KeyError where there is none."""
        return self._rules[self._rules.summary.by_id[name]]

    def _moved_by(self, signal: int) -> tuple[tuple[Rule, tuple[Leaf, ...]], ...]:
        """The rules that ask for a signal, each with the leaves that it moves."""
        return tuple(
            (rule, tuple(leaf for leaf in self.leaves(rule.id) if signal in signals_of(leaf)))
            for rule in self._rules.asking(signal)
        )
