"""A checked framework file to markers, waits and metrics of the pack, and to how the framework is seen."""

from collections.abc import Iterable
from dataclasses import fields

from logrules.model.report import Severity
from logrules.ruleset import models as schema
from logrules.ruleset.card_builder import kept_card
from logrules.ruleset.condition import Waiting
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile, MetricFile, WaitFile
from logrules.ruleset.pack import Framework, Marker, Metric, Rule, Signal, TraceForm, Wait
from logrules.ruleset.rule_builder import PackBuilder, signal_of
from logrules.ruleset.tables import WAITS, Tables
from logrules.ruleset.vocabulary import Vocabulary

# What a marker may do to waits.
WAIT_KEYS = ("opens", "closes", "renews")
_NOT_A_NUMBER = tuple(blank + word for blank in ("", " ") for word in ("nan", "NaN", "inf", "Inf", "-inf", "Infinity"))


def add_framework(draft: PackBuilder, file: FrameworkFile, vocabulary: Vocabulary) -> None:
    """Put what a framework prints into the draft."""
    seen: list[int] = []
    if file.present.contains:
        seen.append(draft.add_signal(Signal(f"{file.framework}:present", file.present.contains, sampled=True)))
    for marker in file.markers:
        routine = marker.progress and not (
            marker.opens or marker.closes or marker.starts or marker.completes or marker.ends or marker.leaves
        )
        name = f"{file.framework}/{marker.id}"
        number = draft.add_signal(signal_of(name, "marker", marker, sampled=routine))
        seen.append(number)
        waits = {key: qualified(getattr(marker, key), file) for key in WAIT_KEYS}
        said = schema.fields_of(marker, Marker) | waits
        draft.markers.append(Marker(**{**said, "id": name, "signal": number}))
    for wait in file.waits:
        _add_wait(draft, wait, file.framework, vocabulary)
    seen += [_add_metric(draft, metric, file.framework) for metric in file.metrics]
    headers = tuple(f"{file.framework}/{header}" for header in file.present.headers)
    components = (file.framework, *file.present.components)
    draft.frameworks.append(Framework(file.framework, tuple(seen), headers, components, file.loops))


def qualified(names: Iterable[str], file: FrameworkFile) -> tuple[str, ...]:
    """Names of waits with that of their framework: this file's, where they say none."""
    return tuple(name if "/" in name else f"{file.framework}/{name}" for name in names)


def _add_wait(draft: PackBuilder, wait: WaitFile, framework: str, vocabulary: Vocabulary) -> None:
    name = f"{framework}/{wait.id}"
    draft.waits[name] = Wait(**{**schema.fields_of(wait, Wait), "id": name, "patience_s": seconds(wait.patience)})
    card = WAITS + name
    cause = vocabulary.cause(wait.cause)
    of_wait = {"id": card, "when": Waiting(name), "wait": name, "stall": True}
    usual = {"severity": wait.severity or Severity.WARNING, "tier": wait.tier or cause.tier}
    draft.rules[card] = Rule(**{**schema.fields_of(wait, Rule), **of_wait, **usual})
    draft.cards[card] = kept_card(wait, vocabulary)


def _add_metric(draft: PackBuilder, metric: MetricFile, framework: str) -> int:
    """The number of the metric's signal."""
    owner = f"{framework}/{metric.id}"
    number = draft.add_signal(signal_of(owner, "metric", metric, sampled=True))
    draft.metrics.append(Metric(metric.metric, number, metric.scale))
    # Samples are thinned out in big logs; the literals with the bad value behind them never are.
    wrong = tuple(literal + word for literal in metric.contains for word in _NOT_A_NUMBER)
    twin = Signal(f"{owner}:not-a-number", wrong, metric.pattern, metric.except_)
    draft.metrics.append(Metric(metric.metric, draft.add_signal(twin), metric.scale))
    return number


def trace_of(draft: PackBuilder, files: Iterable[FrameworkFile], tables: Tables) -> TraceForm | None:
    """How tracebacks look, where a file says it; its signals are put into the draft."""
    found = next((file.trace for file in files if file.trace), None)
    if found is None:
        return None
    signals = {
        name: signal_of("traceback", name, said)
        for name in (member.name for member in fields(found))
        if isinstance(said := getattr(found, name), schema.SignalFile)
    }
    stack_frame = tuple(f" {name} (" for name in _functions(tables))
    signals["stack_frame"] = Signal("traceback:stack-frame", stack_frame, found.stack_frame)
    if found.below:
        # Without literals: the scan looks for it below frames.
        signals["below"] = Signal("traceback:below", (), found.below)
    numbers = {name: draft.add_signal(signal) for name, signal in signals.items()}
    return TraceForm(**numbers, records=tuple(draft.records), wrappers=found.wrappers)


def _functions(tables: Tables) -> Iterable[str]:
    """The functions that tell a phase, as dumps of stacks print them: with their class or without."""
    places = (name for one in tables.components for place in one.places for name in place.functions)
    own = (name for words in tables.own_words for name in words.functions)
    return dict.fromkeys(form for name in (*places, *own) for form in (name, name.rpartition(".")[2]))
