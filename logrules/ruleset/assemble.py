"""Checked documents to a Pack: signals numbered, names resolved, every fault collected with its place."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from logrules.model.position import Problem
from logrules.model.report import Severity
from logrules.ruleset import models as schema
from logrules.ruleset.condition import Condition, Waiting, leaves
from logrules.ruleset.joined_tables import joined_phases, joined_tables
from logrules.ruleset.pack import (
    Frame,
    HeaderFormat,
    Marker,
    Metric,
    NameForm,
    Pack,
    Rule,
    Signal,
    TimeForm,
    TraceForm,
    Wait,
)
from logrules.ruleset.table_faults import table_faults
from logrules.ruleset.table_reader import TableFile
from logrules.ruleset.table_rules import rules_of_tables, with_tiers
from logrules.ruleset.tables import Phase, Tables
from logrules.ruleset.translation import Translation
from logrules.ruleset.when import ConditionFault, parse_when
from logrules.ruleset.yaml_reader import Document

_NOT_A_NUMBER = tuple(blank + word for blank in ("", " ") for word in ("nan", "NaN", "inf", "Inf", "-inf", "Infinity"))


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A document, the checked file that it says, and the pack that it came with ("" for the shipped one)."""

    document: Document
    file: schema.RuleFile | schema.PhaseFile | schema.FormatFile | TableFile | Translation
    origin: str = ""

    def problem(self, at: Sequence[str | int], message: str, hint: str | None = None, *, kind: str) -> Problem:
        """A fault at this path of the document."""
        return Problem(self.document.place(at), message, hint, kind)


@dataclass(slots=True)
class PackBuilder:
    """A pack under construction."""

    signals: list[Signal] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    markers: list[Marker] = field(default_factory=list)
    waits: dict[str, Wait] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add_signal(self, signal: Signal) -> int:
        """The number that the signal gets."""
        self.signals.append(signal)
        return len(self.signals) - 1


def assemble(sources: Sequence[RuleSource], digest: str) -> tuple[Pack | None, tuple[Problem, ...]]:
    """The pack of all files, or None, and every problem found on the way."""
    draft = PackBuilder()
    documents = [(source.document, source.file) for source in sources if isinstance(source.file, TableFile)]
    files = [file for _, file in documents]
    phases, tables = joined_phases(files), joined_tables(files)
    known = Words.of(phases, tables)
    for document, file in documents:
        draft.problems += table_faults(document, file, tables, known.phases)
    for source in sources:
        if isinstance(source.file, schema.PhaseFile):
            _add_phase_file(draft, source, source.file, known)
    for source in sources:
        if isinstance(source.file, schema.RuleFile):
            add_rule(draft, source, source.file, known)
    formats = [source.file for source in sources if isinstance(source.file, schema.FormatFile)]
    trace = _trace(draft, formats)
    draft.problems += unknown_waits(draft, sources)
    if draft.problems:
        return None, tuple(draft.problems)
    return _pack(draft, digest, formats, trace, phases, tables), ()


@dataclass(frozen=True, slots=True)
class Words:
    """The phases and causes that rules may name."""

    phases: frozenset[str]
    causes: frozenset[str]

    @classmethod
    def of(cls, phases: Iterable[Phase], tables: Tables) -> "Words":
        """The words of these tables."""
        return cls(frozenset(phase.id for phase in phases), frozenset(cause.id for cause in tables.causes))

    def unknown(self, source: RuleSource, at: Sequence[str | int], card: schema.CardFile) -> Iterable[Problem]:
        """Causes that the card names and nobody defined."""
        if self.causes and card.cause not in self.causes:
            yield source.problem(
                [*at, "cause"], f"unknown cause `{card.cause}`", "see `logrules explain --causes`", kind="cause"
            )
        for index, cause in enumerate(card.yields_to):
            if self.causes and cause not in self.causes and cause != "*":
                yield source.problem([*at, "yields_to", index], f"unknown cause `{cause}`", kind="cause")

    def unknown_phase(self, source: RuleSource, at: Sequence[str | int], phase: str | None) -> Iterable[Problem]:
        """A phase that nobody defined."""
        if phase and self.phases and phase not in self.phases:
            known = ", ".join(sorted(self.phases))
            yield source.problem(at, f"unknown phase `{phase}`; phases are {known}", kind="phase")


def _signal(owner: str, name: str, file: schema.SignalFile, *, sampled: bool = False) -> Signal:
    return Signal(f"{owner}:{name}", tuple(file.contains), file.pattern, file.unless, file.ignore_case, sampled)


def _card_text(card: schema.CardFile) -> str:
    keep = {"title", "why", "tell_apart", "restart", "fixes", "references"}
    return json.dumps(card.model_dump(mode="json", include=keep), ensure_ascii=False, separators=(",", ":"))


def add_rule(draft: PackBuilder, source: RuleSource, file: schema.RuleFile, known: Words) -> None:
    """Put a rule into the draft, in the place of one of the same id; or its problems."""
    numbers = {}
    for name, signal in file.signals.items():
        numbers[name] = draft.add_signal(_signal(file.id, name, signal))
        if signal.record:
            draft.records.append(numbers[name])
    try:
        when = parse_when(file.when, numbers)
    except ConditionFault as fault:
        message = f"in `when` at character {fault.column}: {fault}"
        draft.problems.append(source.problem(["when"], message, kind="condition"))
        return
    fixed, otherwise = _phase_of(file.phase)
    draft.problems += known.unknown(source, [], file)
    for phase in (fixed, otherwise):
        draft.problems += known.unknown_phase(source, ["phase"], phase)
    draft.rules[file.id] = Rule(
        file.id,
        file.cause,
        file.severity,
        when=when.condition,
        scope=when.scope,
        phase=fixed,
        phase_otherwise=otherwise,
        culprit=file.culprit,
        cleared_by=file.cleared_by,
        frameworks=tuple(file.frameworks),
        fallback=file.fallback,
        stall=file.stall,
        tier=file.tier or "",
        explained_by=tuple(file.explained_by),
    )
    draft.cards[file.id] = _card_text(file)


def _phase_of(text: str) -> tuple[str | None, str | None]:
    if text.startswith("here"):
        return None, text.removeprefix("here").removeprefix(" else ") or None
    return text, None


def _add_phase_file(draft: PackBuilder, source: RuleSource, file: schema.PhaseFile, known: Words) -> None:
    def qualified(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name if "/" in name else f"{file.framework}/{name}" for name in names)

    for index, marker in enumerate(file.markers):
        draft.problems += known.unknown_phase(source, ["markers", index, "enters"], marker.enters)
        routine = marker.progress and not (marker.opens or marker.closes or marker.starts or marker.completes)
        number = draft.add_signal(_signal(f"{file.framework}/{marker.id}", "marker", marker, sampled=routine))
        draft.markers.append(
            Marker(
                f"{file.framework}/{marker.id}",
                number,
                marker.enters,
                qualified(marker.opens),
                qualified(marker.closes),
                qualified(marker.renews),
                marker.progress,
                marker.completes,
                marker.starts,
            )
        )
    for index, wait in enumerate(file.waits):
        _add_wait(draft, source, index, wait, file.framework, known)
    for index, frame in enumerate(file.frames):
        draft.problems += known.unknown_phase(source, ["frames", index, "phase"], frame.phase)
        draft.frames.append(Frame(tuple(frame.functions), frame.phase, frame.path))
    for metric in file.metrics:
        _add_metric(draft, metric, file.framework)


def _add_wait(
    draft: PackBuilder, source: RuleSource, index: int, wait: schema.WaitFile, framework: str, known: Words
) -> None:
    name = f"{framework}/{wait.id}"
    at: list[str | int] = ["waits", index]
    draft.problems += known.unknown(source, at, wait)
    draft.problems += known.unknown_phase(source, [*at, "phase"], wait.phase)
    draft.waits[name] = Wait(name, wait.phase, schema.seconds(wait.patience))
    card = f"waits/{name}"
    draft.rules[card] = Rule(
        card,
        wait.cause,
        Severity(wait.severity),
        when=Waiting(name),
        phase=wait.phase,
        frameworks=tuple(wait.frameworks) or (framework,),
        wait=name,
        stall=True,
        tier=wait.tier or "",
        explained_by=tuple(wait.explained_by),
    )
    draft.cards[card] = _card_text(wait)


def _add_metric(draft: PackBuilder, metric: schema.MetricFile, framework: str) -> None:
    owner = f"{framework}/{metric.id}"
    number = draft.add_signal(_signal(owner, "metric", metric, sampled=True))
    draft.metrics.append(Metric(metric.metric, number, metric.scale))
    # Samples are thinned out in big logs; the literals with the bad value behind them never are.
    wrong = tuple(literal + word for literal in metric.contains for word in _NOT_A_NUMBER)
    twin = Signal(f"{owner}:not-a-number", wrong, metric.pattern, metric.unless, metric.ignore_case)
    draft.metrics.append(Metric(metric.metric, draft.add_signal(twin), metric.scale))


def _trace(draft: PackBuilder, formats: Iterable[schema.FormatFile]) -> TraceForm | None:
    found = next((file.trace for file in formats if file.trace), None)
    if found is None:
        return None
    functions = dict.fromkeys(name for frame in draft.frames for name in frame.functions)
    stack = Signal("traceback:stack-frame", tuple(f" {name} (" for name in functions), found.stack_frame)

    def optional(name: str, signal: schema.SignalFile | None) -> int | None:
        return None if signal is None else draft.add_signal(_signal("traceback", name, signal))

    return TraceForm(
        head=draft.add_signal(_signal("traceback", "head", found.head)),
        frame=draft.add_signal(_signal("traceback", "frame", found.frame)),
        stack_frame=draft.add_signal(stack),
        exception=draft.add_signal(_signal("traceback", "exception", found.exception)),
        chain=draft.add_signal(_signal("traceback", "chain", found.chain)),
        records=tuple(draft.records),
        nested=optional("nested", found.nested),
        abort=optional("abort", found.abort),
        kernel=optional("kernel", found.kernel),
        ignored=optional("ignored", found.ignored),
        wrappers=tuple(found.wrappers),
    )


def unknown_waits(draft: PackBuilder, sources: Sequence[RuleSource]) -> Iterable[Problem]:
    """Waits that these files name and nobody defined."""
    for source in sources:
        match source.file:
            case schema.PhaseFile(framework=framework, markers=markers):
                for index, marker in enumerate(markers):
                    for key in ("opens", "closes", "renews"):
                        for name in getattr(marker, key):
                            if (name if "/" in name else f"{framework}/{name}") not in draft.waits:
                                yield source.problem(["markers", index, key], f"unknown wait `{name}`", kind="wait")
            case schema.RuleFile(id=rule) if rule in draft.rules:
                for leaf in _waits_in(draft.rules[rule].when):
                    if leaf.wait not in draft.waits:
                        yield source.problem(["when"], f"unknown wait `{leaf.wait}`", kind="wait")


def _waits_in(condition: Condition) -> list[Waiting]:
    return [leaf for leaf in leaves(condition) if isinstance(leaf, Waiting)]


def _pack(
    draft: PackBuilder,
    digest: str,
    formats: Sequence[schema.FormatFile],
    trace: TraceForm | None,
    phases: tuple[Phase, ...],
    tables: Tables,
) -> Pack:
    levels: Mapping[str, str] = {word: level for file in formats for word, level in file.levels.items()}
    headers = tuple(
        HeaderFormat(
            f"{file.family}/{item.id}",
            item.pattern,
            item.starts,
            item.holds or "",
            item.first,
            item.generic,
            item.ends,
            item.role,
        )
        for file in formats
        for item in file.headers
    )
    of_tables = tuple(rules_of_tables(tables))
    return Pack(
        digest=digest,
        signals=tuple(draft.signals),
        rules=(*with_tiers(draft.rules.values(), tables), *(rule for rule, _ in of_tables)),
        markers=tuple(draft.markers),
        waits=tuple(draft.waits.values()),
        frames=tuple(draft.frames),
        metrics=tuple(draft.metrics),
        headers=headers,
        times=tuple(TimeForm(item.id, item.pattern) for file in formats for item in file.times),
        names=tuple(NameForm(item.id, item.pattern, item.role) for file in formats for item in file.names),
        levels=levels,
        trace=trace,
        phases=phases,
        tables=tables,
        cards=draft.cards | {rule.id: card for rule, card in of_tables},
    )
