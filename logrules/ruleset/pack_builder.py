"""Checked files to the rules, markers, waits and metrics of a pack under construction, and the rows of tables to rules.

A rule file leaves out what its cause's row says.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from logrules.model.position import Problem
from logrules.model.record import field, mutable_record, replace
from logrules.model.report import Severity
from logrules.ruleset import models as schema
from logrules.ruleset.card_builder import kept_card, kept_row
from logrules.ruleset.causes import Alternative, Cause
from logrules.ruleset.condition import Condition, Detector, Occurred, Sequence, Some, Supported, Waiting, near
from logrules.ruleset.duration import seconds
from logrules.ruleset.framework_models import FrameworkFile, MetricFile, WaitFile
from logrules.ruleset.pack import Framework, Marker, Metric, Pack, Rule, Signal, TraceForm, Wait
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.tables import ALTERNATIVES, EXCEPTIONS, EXITS, WAITS, ExceptionRow, ExitCode, Tables
from logrules.ruleset.vocabulary import Vocabulary
from logrules.ruleset.when import ConditionFault, parse_when

# What a marker may do to waits.
WAIT_KEYS = ("opens", "closes", "renews")
_NOT_A_NUMBER = tuple(blank + word for blank in ("", " ") for word in ("nan", "NaN", "inf", "Inf", "-inf", "Infinity"))


@mutable_record
class PackBuilder:
    """A pack under construction, of files that name what is in the ``vocabulary``."""

    vocabulary: Vocabulary
    signals: list[Signal] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    markers: list[Marker] = field(default_factory=list)
    waits: dict[str, Wait] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    frameworks: list[Framework] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    cards: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, pack: Pack, vocabulary: Vocabulary, without: Collection[str]) -> "PackBuilder":
        """What a pack has; signals of the rules that it is to be ``without`` are never found."""
        lost = {number for number, signal in enumerate(pack.signals) if signal.owner in without}
        return cls(
            vocabulary,
            signals=[Signal(one.id, ()) if number in lost else one for number, one in enumerate(pack.signals)],
            rules={rule.id: rule for rule in pack.rules},
            markers=[*pack.markers],
            waits={wait.id: wait for wait in pack.waits},
            metrics=[*pack.metrics],
            frameworks=[*pack.frameworks],
            records=[number for number in (pack.trace.records if pack.trace else ()) if number not in lost],
            cards={**pack.cards},
        )

    def add_signal(self, signal: Signal) -> int:
        """The number that the signal gets."""
        self.signals.append(signal)
        return len(self.signals) - 1

    def add_rule(self, source: RuleSource, file: schema.RuleFile) -> None:
        """Put a rule in, in the place of one of the same id; or its problems."""
        numbers = self._add_signals(file.id, file.signals)
        evidence = self._add_signals(file.id, file.with_)
        try:
            when = _condition(file, numbers)
        except ConditionFault as fault:
            message = f"in `when` at character {fault.column}: {fault}"
            self.problems.append(source.problem(["when"], message, code="LR007"))
            return
        if evidence:
            support = tuple(_support(file, name, number, numbers) for name, number in evidence.items())
            when = Supported(when, support)
        self.problems += _unknown_anchors(source, file)
        cause = self.vocabulary.cause(file.cause)
        fixed, otherwise = _phase_of(file.phase)
        said = {name: value for name, value in schema.fields_of(file, Rule).items() if value is not None}
        said |= {"phase": fixed, "phase_otherwise": otherwise or cause.phase, "evidence": tuple(evidence.values())}
        self.rules[file.id] = rule_of(cause, file.id, when, said)
        self.cards[file.id] = kept_card(file, self.vocabulary)

    def add_framework(self, file: FrameworkFile) -> None:
        """Put what a framework prints in."""
        seen: list[int] = []
        if file.present.contains:
            seen.append(self.add_signal(Signal(f"{file.framework}:present", file.present.contains, sampled=True)))
        for marker in file.markers:
            routine = marker.progress and not (
                marker.opens or marker.closes or marker.starts or marker.completes or marker.ends or marker.leaves
            )
            name = f"{file.framework}/{marker.id}"
            number = self.add_signal(signal_of(name, "marker", marker, sampled=routine))
            seen.append(number)
            waits = {key: qualified(getattr(marker, key), file) for key in WAIT_KEYS}
            said = schema.fields_of(marker, Marker) | waits
            self.markers.append(Marker(**{**said, "id": name, "signal": number}))
        for wait in file.waits:
            self._add_wait(wait, file.framework)
        seen += [self._add_metric(metric, file.framework) for metric in file.metrics]
        headers = tuple(f"{file.framework}/{header}" for header in file.present.headers)
        components = (file.framework, *file.present.components)
        self.frameworks.append(Framework(file.framework, tuple(seen), headers, components, file.loops))

    def add_trace(self, files: Iterable[FrameworkFile], tables: Tables) -> TraceForm | None:
        """How tracebacks look, where a file says it; its signals are put in."""
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
        numbers = {name: self.add_signal(signal) for name, signal in signals.items()}
        return TraceForm(**numbers, records=tuple(self.records), wrappers=found.wrappers)

    def _add_signals(self, owner: str, files: Mapping[str, schema.SignalFile]) -> dict[str, int]:
        numbers = {}
        for name, signal in files.items():
            numbers[name] = self.add_signal(replace(signal_of(owner, name, signal), stances=signal.stances))
            if signal.in_:
                self.records.append(numbers[name])
        return numbers

    def _add_wait(self, wait: WaitFile, framework: str) -> None:
        name = f"{framework}/{wait.id}"
        self.waits[name] = Wait(**{**schema.fields_of(wait, Wait), "id": name, "patience_s": seconds(wait.patience)})
        card = WAITS + name
        cause = self.vocabulary.cause(wait.cause)
        of_wait = {"id": card, "when": Waiting(name), "wait": name, "stall": True}
        usual = {"severity": wait.severity or Severity.WARNING, "tier": wait.tier or cause.tier}
        self.rules[card] = Rule(**{**schema.fields_of(wait, Rule), **of_wait, **usual})
        self.cards[card] = kept_card(wait, self.vocabulary)

    def _add_metric(self, metric: MetricFile, framework: str) -> int:
        """The number of the metric's signal."""
        owner = f"{framework}/{metric.id}"
        number = self.add_signal(signal_of(owner, "metric", metric, sampled=True))
        self.metrics.append(Metric(metric.metric, number, metric.scale))
        # Samples are thinned out in big logs; the literals with the bad value behind them never are.
        wrong = tuple(literal + word for literal in metric.contains for word in _NOT_A_NUMBER)
        twin = Signal(f"{owner}:not-a-number", wrong, metric.pattern, metric.except_)
        self.metrics.append(Metric(metric.metric, self.add_signal(twin), metric.scale))
        return number


def signal_of(owner: str, name: str, file: schema.SignalFile, *, sampled: bool = False) -> Signal:
    """A signal as the engine knows it, whatever kind of statement its lines are."""
    return Signal(f"{owner}:{name}", file.contains, file.pattern, file.except_, sampled=sampled)


def rule_of(cause: Cause, name: str, when: Condition, said: Mapping[str, Any]) -> Rule:
    """The rule of this name and condition: what is not ``said`` is as the row of its cause says."""
    row = {**schema.fields_of(cause, Rule), "phase": None, "phase_otherwise": cause.phase}
    return Rule(**{**row, **said, "id": name, "cause": cause.id, "when": when})


def _condition(file: schema.RuleFile, numbers: Mapping[str, int]) -> Condition:
    """What ``when`` says, or any of the signals where it says nothing; or the detector."""
    ways: list[Condition] = []
    if file.detector is not None:
        ways.append(Detector(file.detector, seconds(file.longer_than or "0s"), file.says))
    if file.when is not None:
        found = parse_when(file.when, numbers)
        ways.append(found if file.anywhere else near(found))
    else:
        ways += (Occurred((number,)) for number in numbers.values())
    return ways[0] if len(ways) == 1 else Some(tuple(ways))


def _support(file: schema.RuleFile, name: str, number: int, numbers: Mapping[str, int]) -> Occurred | Sequence:
    after = file.with_[name].after
    return Occurred((number,)) if after is None or after not in numbers else Sequence(((numbers[after],), (number,)))


def _unknown_anchors(source: RuleSource, file: schema.RuleFile) -> Iterator[Problem]:
    for name, evidence in file.with_.items():
        if evidence.after is not None and evidence.after not in file.signals:
            yield source.problem(["with", name, "after"], f"unknown signal `{evidence.after}`", code="LR007")


def _phase_of(text: str | None) -> tuple[str | None, str | None]:
    """(where it always happens, where it happens if nothing tells)."""
    if text is None or text.startswith("here"):
        return None, (text or "").removeprefix("here else ") or None
    return text, None


# No signal makes a row's rule hold: the failure records do.
_NEVER = Occurred(())


def rules_of_tables(tables: Tables, vocabulary: Vocabulary) -> Iterator[tuple[Rule, bytes]]:
    """The rule and the card of each row of exceptions and exits whose cause is known."""
    for name, row, said in _rows(tables):
        cause = vocabulary.causes.get(row.cause)
        if cause is not None:
            rule = rule_of(cause, name, _NEVER, {**said, "from_table": True})
            if isinstance(row, ExceptionRow) and rule.severity is Severity.WARNING:
                # What was raised is no mere warning of a wait, also where its cause often is.
                rule = replace(rule, severity=Severity.ERROR)
            yield rule, kept_row(row, cause, vocabulary)


def _rows(tables: Tables) -> Iterator[tuple[str, ExceptionRow | ExitCode | Alternative, dict[str, Any]]]:
    """The rows that stand for rules, with the names of these, and what they say otherwise than their causes."""
    for row in tables.exceptions:
        said = {"phase": row.phase, "explained_by": row.explained_by, "fallback": row.fallback, "stall": False}
        yield EXCEPTIONS + row.id, row, said
    known = {code.id for code in tables.exit_codes}
    forms = (ExitCode(form.id, form.cause) for form in tables.exit_forms if form.cause and form.id not in known)
    for code in (*tables.exit_codes, *forms):
        yield EXITS + code.id, code, {"explained_by": code.explained_by} | ({"tier": code.tier} if code.tier else {})
    for alternatives in tables.alternatives:
        for one in alternatives.may_be:
            said = {"severity": Severity.INFO, "culprit": "none", "stall": False}
            yield f"{ALTERNATIVES}{alternatives.id}/{one.cause}", one, said


def qualified(names: Iterable[str], file: FrameworkFile) -> tuple[str, ...]:
    """Names of waits with that of their framework: this file's, where they say none."""
    return tuple(name if "/" in name else f"{file.framework}/{name}" for name in names)


def _functions(tables: Tables) -> Iterable[str]:
    """The functions that tell a phase, as dumps of stacks print them: with their class or without."""
    places = (name for one in tables.components for place in one.places for name in place.functions)
    own = (name for words in tables.own_words for name in words.functions)
    return dict.fromkeys(form for name in (*places, *own) for form in (name, name.rpartition(".")[2]))
