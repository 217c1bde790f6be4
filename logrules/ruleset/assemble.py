"""Checked documents to a Pack: tables joined, signals numbered, names resolved, each fault collected with its place."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from logrules.model.position import Problem
from logrules.model.record import replace
from logrules.ruleset import models as schema
from logrules.ruleset.card_builder import with_risk
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.kept_values import packed
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import HeaderFormat, Pack, Rule, Signal
from logrules.ruleset.pack_builder import (
    WAIT_KEYS,
    PackBuilder,
    qualified,
    rules_of_tables,
)
from logrules.ruleset.pattern_work import lengths_without_clock, required_words
from logrules.ruleset.rule_file import RuleSource
from logrules.ruleset.tables import EXCEPTIONS, Phase, Tables
from logrules.ruleset.translation import Translation, joined
from logrules.ruleset.vocabulary import Vocabulary

Kind = TypeVar("Kind")

EMPTY = Pack("", SignalTable(), RuleTable())
# Rows of which the first that fits counts: a pack's own go before those that it adds to.
_FIRST_FITS = frozenset({"alternatives"})
# Rows without an id: all count.
_ALL_COUNT = frozenset({"own_words", "nesting"})
# What a file says of these stands in the place of what was said before.
_WHOLE = frozenset({"tiers", "certainty_model"})


def assemble(sources: Sequence[RuleSource], digest: str, on: Pack = EMPTY) -> tuple[Pack | None, tuple[Problem, ...]]:
    """The pack of all files put on another one, or None, and every problem found on the way.

    Rules and rows of exceptions stand in the place of those of the same id. Signals of rules that were replaced keep
    their numbers and are never found. Other tables can only be put on a pack that has none.
    """
    if left_out := tuple(_tiers_left_out(sources)):
        return None, left_out
    said, frameworks = _files(sources, Tables), _files(sources, FrameworkFile)
    steps = [step for file in _files(sources, schema.FixesFile) for step in file.fixes]
    added, tables = _joined_tables(Tables(), said), _joined_tables(on.tables, said)
    vocabulary = Vocabulary.of_pack(on).with_more(tables, [file.framework for file in frameworks], steps)
    draft = PackBuilder.of(on, vocabulary, without={file.id for file in _files(sources, schema.RuleFile)})
    _fill(draft, sources)
    trace = draft.add_trace(frameworks, tables) if on.trace is None else on.trace
    draft.problems += _unknown_waits(draft, sources)
    if draft.problems:
        return None, tuple(draft.problems)
    of_tables = tuple(rules_of_tables(added, vocabulary))
    rules = draft.rules | {rule.id: rule for rule, _ in of_tables}
    exits, told = _exit_signals(draft, added), _told_signals(draft, added)
    pack = Pack(
        digest=digest,
        signals=SignalTable(draft.signals),
        rules=RuleTable(sorted(rules.values(), key=_order)),
        markers=tuple(draft.markers),
        waits=tuple(draft.waits.values()),
        metrics=tuple(draft.metrics),
        headers=(*on.headers, *_headers(frameworks)),
        frameworks=tuple(draft.frameworks),
        times=(*on.times, *(replace(form, samples={}) for file in frameworks for form in file.times)),
        names=(*on.names, *(replace(form, samples={}) for file in frameworks for form in file.names)),
        levels={**on.levels, **{word: level for file in frameworks for word, level in file.levels.items()}},
        trace=None if trace is None else replace(trace, records=tuple(draft.records)),
        exit_signals={**on.exit_signals, **exits},
        told_signals={**on.told_signals, **told},
        tables=tables,
        translation=joined([on.translation, *_files(sources, Translation)]),
        steps={**on.steps, **{step.id: packed(with_risk(step)) for step in steps}},
        cards=draft.cards | {rule.id: card for rule, card in of_tables},
        required={**on.required, **{pattern: required_words(pattern) for pattern in _of_tables(added)}},
        unclocked={**on.unclocked, **{one: lengths_without_clock(one) for one in _of_every_line(frameworks)}},
    )
    return pack, ()


def _files(sources: Iterable[RuleSource], kind: type[Kind]) -> list[Kind]:
    return [source.file for source in sources if isinstance(source.file, kind)]


def _order(rule: Rule) -> int:
    """What rules are of in a pack: waits first, rows of tables last, and those of exceptions first among them."""
    if not rule.from_table:
        return rule.wait is None
    return 2 if rule.id.startswith(EXCEPTIONS) else 3


def _fill(draft: PackBuilder, sources: Sequence[RuleSource]) -> None:
    """Put what the frameworks and the rules say into a draft, and what is wrong with them and with the tables."""
    draft.problems += (problem for source in sources for problem in draft.vocabulary.unknown_names(source))
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            draft.add_framework(source.file)
    for source in sources:
        if isinstance(source.file, schema.RuleFile):
            draft.add_rule(source, source.file)


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


def _unknown_waits(draft: PackBuilder, sources: Iterable[RuleSource]) -> Iterator[Problem]:
    """Waits that markers of these files name and nobody defined."""
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            for index, marker in enumerate(source.file.markers):
                for key in WAIT_KEYS:
                    for name in getattr(marker, key):
                        if draft.waits.keys().isdisjoint(qualified([name], source.file)):
                            yield source.problem(["markers", index, key], f"unknown wait `{name}`", code="LR006")


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


def _joined_tables(known: Tables, files: Iterable[Tables]) -> Tables:
    """The known tables with those of all files. The tiers are those of the last file that gives any."""
    nothing = Tables()
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
