"""Checked documents to a Pack: tables joined, signals numbered, names resolved, each fault collected with its place."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from logrules.model.position import Problem
from logrules.model.record import replace
from logrules.ruleset import models as schema
from logrules.ruleset.card_builder import kept_step
from logrules.ruleset.condition import Waiting, leaves
from logrules.ruleset.framework_builder import WAIT_KEYS, add_framework, qualified, trace_of
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import HeaderFormat, Pack, Rule, Signal
from logrules.ruleset.pattern_work import lengths_without_clock
from logrules.ruleset.required_words import required_words
from logrules.ruleset.rule_builder import PackBuilder, add_rule, rules_of_tables
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.tables import EXCEPTIONS, Phase, Tables
from logrules.ruleset.translation import Translation, joined
from logrules.ruleset.vocabulary import Vocabulary

# Rows of which the first that fits counts: a pack's own go before those that it adds to.
_FIRST_FITS = frozenset({"alternatives"})
# Rows without an id: all count.
_ALL_COUNT = frozenset({"own_words", "nesting"})
# What a file says of these stands in the place of what was said before.
_WHOLE = frozenset({"tiers", "certainty_model"})


def assemble(sources: Sequence[RuleSource], digest: str) -> tuple[Pack | None, tuple[Problem, ...]]:
    """The pack of all files, or None, and every problem found on the way."""
    if left_out := tuple(_tiers_left_out(sources)):
        return None, left_out
    tables = _joined_tables(source.file for source in sources if isinstance(source.file, Tables))
    vocabulary = _vocabulary_of(sources, tables)
    draft = _draft_of(sources, vocabulary)
    frameworks = [source.file for source in sources if isinstance(source.file, FrameworkFile)]
    trace = trace_of(draft, frameworks, tables)
    draft.problems += _unknown_waits(draft, sources)
    if draft.problems:
        return None, tuple(draft.problems)
    of_tables = tuple(rules_of_tables(tables, vocabulary))
    exits, told = _exit_signals(draft, tables), _told_signals(draft, tables)
    pack = Pack(
        digest=digest,
        signals=SignalTable(draft.signals),
        rules=RuleTable((*draft.rules.values(), *(rule for rule, _ in of_tables))),
        markers=tuple(draft.markers),
        waits=tuple(draft.waits.values()),
        metrics=tuple(draft.metrics),
        headers=_headers(frameworks),
        frameworks=tuple(draft.frameworks),
        times=tuple(replace(form, samples={}) for file in frameworks for form in file.times),
        names=tuple(replace(form, samples={}) for file in frameworks for form in file.names),
        levels={word: level for file in frameworks for word, level in file.levels.items()},
        trace=trace,
        exit_signals=exits,
        told_signals=told,
        tables=tables,
        translation=joined(_translations(sources)),
        steps={name: kept_step(step) for name, step in vocabulary.steps.items()},
        cards=draft.cards | {rule.id: card for rule, card in of_tables},
        required={pattern: required_words(pattern) for pattern in _of_tables(tables)},
        unclocked={pattern: lengths_without_clock(pattern) for pattern in _of_every_line(frameworks)},
    )
    return pack, ()


def with_rules(pack: Pack, sources: Sequence[RuleSource]) -> tuple[Pack, tuple[Problem, ...]]:
    """The pack with these rules and rows of exceptions in the place of those of the same id, or beside the others.

    And every problem. Signals of rules that were replaced keep their numbers and are never found.
    """
    files = [(source, source.file) for source in sources if isinstance(source.file, schema.RuleFile)]
    rows = [row for source in sources if isinstance(source.file, Tables) for row in source.file.exceptions]
    gone = frozenset(file.id for _, file in files)
    lost = {number for number, signal in enumerate(pack.signals) if signal.owner in gone}
    draft = PackBuilder(
        signals=[Signal(one.id, ()) if number in lost else one for number, one in enumerate(pack.signals)],
        rules={rule.id: rule for rule in pack.rules},
        waits={wait.id: wait for wait in pack.waits},
        records=[number for number in (pack.trace.records if pack.trace else ()) if number not in lost],
        cards=dict(pack.cards),
    )
    vocabulary = Vocabulary.of_pack(pack)
    draft.problems += (problem for source in sources for problem in vocabulary.unknown_names(source))
    for source, file in files:
        add_rule(draft, source, file, vocabulary)
    for rule, card in rules_of_tables(Tables(exceptions=tuple(rows)), vocabulary):
        draft.rules[rule.id], draft.cards[rule.id] = rule, card
    made = replace(
        pack,
        signals=SignalTable(draft.signals),
        rules=RuleTable(sorted(draft.rules.values(), key=_order)),
        cards=draft.cards,
        tables=replace(pack.tables, exceptions=_joined("exceptions", pack.tables.exceptions, rows)),
        required={**pack.required, **{row.words: required_words(row.words) for row in rows if row.words is not None}},
        translation=joined([pack.translation, *_translations(sources)]),
        trace=None if pack.trace is None else replace(pack.trace, records=tuple(draft.records)),
    )
    return made, (*draft.problems, *_unknown_waits(draft, sources))


def _order(rule: Rule) -> int:
    """Where it comes where all is compiled: rows of tables last, and those of exceptions first among them."""
    return rule.from_table and 1 + (not rule.id.startswith(EXCEPTIONS))


def _draft_of(sources: Sequence[RuleSource], vocabulary: Vocabulary) -> PackBuilder:
    """What the frameworks and the rules put into a pack, and what is wrong with them and with the tables."""
    draft = PackBuilder(problems=[problem for source in sources for problem in vocabulary.unknown_names(source)])
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            add_framework(draft, source.file, vocabulary)
    for source in sources:
        if isinstance(source.file, schema.RuleFile):
            add_rule(draft, source, source.file, vocabulary)
    return draft


def _exit_signals(draft: PackBuilder, tables: Tables) -> dict[str, int]:
    return {
        form.id: draft.add_signal(Signal(f"exits/{form.id}", form.contains, form.pattern)) for form in tables.exit_forms
    }


def _told_signals(draft: PackBuilder, tables: Tables) -> dict[str, int]:
    """Of the names that any line of the job may tell."""
    return {
        one.id: draft.add_signal(Signal(f"told/{one.id}", one.contains, one.pattern, one.without, sampled=True))
        for one in tables.told_names
        if one.contains
    }


def _of_tables(tables: Tables) -> Iterator[str]:
    """The patterns that many a failure or line is held against, and that few match."""
    yield from (row.words for row in tables.exceptions if row.words is not None)
    yield from (one.pattern for one in tables.told_names)


def _of_every_line(frameworks: Iterable[FrameworkFile]) -> Iterator[str]:
    """The patterns of prefixes and times: whatever a line says, they are tried on it."""
    for file in frameworks:
        yield from (form.pattern for form in file.headers)
        yield from (form.pattern for form in file.times)


def _vocabulary_of(sources: Sequence[RuleSource], tables: Tables) -> Vocabulary:
    frameworks = [source.file.framework for source in sources if isinstance(source.file, FrameworkFile)]
    steps = [step for source in sources if isinstance(source.file, schema.FixesFile) for step in source.file.fixes]
    return Vocabulary.of(tables, frameworks, steps)


def _unknown_waits(draft: PackBuilder, sources: Sequence[RuleSource]) -> Iterable[Problem]:
    """Waits that these files name and nobody defined."""
    for source in sources:
        match source.file:
            case FrameworkFile(markers=markers) as file:
                for index, marker in enumerate(markers):
                    for key in WAIT_KEYS:
                        for name in getattr(marker, key):
                            if draft.waits.keys().isdisjoint(qualified([name], file)):
                                yield source.problem(["markers", index, key], f"unknown wait `{name}`", code="LR006")
            case schema.RuleFile(id=rule) if rule in draft.rules:
                for leaf in leaves(draft.rules[rule].when):
                    if isinstance(leaf, Waiting) and leaf.wait not in draft.waits:
                        yield source.problem(["when"], f"unknown wait `{leaf.wait}`", code="LR006")


def _translations(sources: Iterable[RuleSource]) -> list[Translation]:
    return [source.file for source in sources if isinstance(source.file, Translation)]


def _headers(frameworks: Iterable[FrameworkFile]) -> tuple[HeaderFormat, ...]:
    return tuple(
        replace(form, id=f"{file.framework}/{form.id}", samples=()) for file in frameworks for form in file.headers
    )


def _tiers_left_out(sources: Iterable[RuleSource]) -> Iterator[Problem]:
    """Tiers that a file leaves out of its list, which stands in the place of the one before: causes are of them."""
    before: dict[str, None] = {}
    for source in sources:
        if isinstance(source.file, Tables) and source.file.tiers:
            own = dict.fromkeys(tier.id for tier in source.file.tiers)
            for name in before:
                if name not in own:
                    yield source.problem(("tiers",), f"leaves out the tier `{name}`, of which causes are", code="LR002")
            before = own


def _joined_tables(files: Iterable[Tables]) -> Tables:
    """The tables of all files. The tiers are those of the last file that gives any."""
    known = nothing = Tables()
    for file in files:
        said = (name for name in Tables.__match_args__ if getattr(file, name) != getattr(nothing, name))
        known = replace(known, **{name: _joined(name, getattr(known, name), getattr(file, name)) for name in said})
    return known


def _with(phases: Sequence[Phase], new: Phase) -> Sequence[Phase]:
    """The phases in the order of the pipeline with one more, or with this one in the place of another of its name."""
    order = [phase.id for phase in phases]
    if new.id in order:
        return [new if phase.id == new.id else phase for phase in phases]
    at = order.index(new.after) + 1 if new.after in order else len(order)
    return [*phases[:at], new, *phases[at:]]


def _joined(name: str, known: Any, new: Any) -> Any:
    if name in _WHOLE:
        return new
    if name == "phases":
        for phase in new:
            known = _with(known, phase)
        return tuple(known)
    if name in _ALL_COUNT:
        return (*known, *new)
    if name in _FIRST_FITS:
        names = {row.id for row in new}
        return (*new, *(row for row in known if row.id not in names))
    return tuple({row.name if name == "classes" else row.id: row for row in (*known, *new)}.values())
