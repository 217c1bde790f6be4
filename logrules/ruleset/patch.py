"""A compiled pack with a few rules put anew: what hooks run on, since most of a pack did not change."""

from collections.abc import Sequence
from dataclasses import replace

from logrules.model.errors import PackError
from logrules.ruleset import models as schema
from logrules.ruleset.assemble import unknown_waits
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.pack_builder import PackBuilder, RuleSource, Words
from logrules.ruleset.rule_builder import add_rule
from logrules.ruleset.table_rules import with_tiers


def patched(pack: Pack, sources: Sequence[RuleSource]) -> Pack:
    """The pack with these rules in the place of those of the same id, or beside the others.

    It behaves as if it were compiled from all files; only its signals have other numbers. Its digest is
    that of the old pack, so it must not be kept. Raises PackError.
    """
    files = [(source, source.file) for source in sources if isinstance(source.file, schema.RuleFile)]
    known = Words.of_pack(pack)
    draft = _without(pack, frozenset(file.id for _, file in files))
    for source, file in files:
        add_rule(draft, source, file, known)
    problems = [*draft.problems, *unknown_waits(draft, sources)]
    if problems:
        raise PackError(problems)
    trace = None if pack.trace is None else replace(pack.trace, records=tuple(draft.records))
    return replace(
        pack,
        signals=tuple(draft.signals),
        rules=tuple(with_tiers(draft.rules.values(), pack.tables)),
        cards=draft.cards,
        trace=trace,
    )


def _without(pack: Pack, gone: frozenset[str]) -> PackBuilder:
    """A draft of the pack in which the signals of some rules keep their numbers and are never found."""
    lost = {number for number, signal in enumerate(pack.signals) if signal.id.rpartition(":")[0] in gone}
    return PackBuilder(
        signals=[Signal(one.id, ()) if number in lost else one for number, one in enumerate(pack.signals)],
        rules={rule.id: rule for rule in pack.rules},
        waits={wait.id: wait for wait in pack.waits},
        records=[number for number in (pack.trace.records if pack.trace else ()) if number not in lost],
        cards=dict(pack.cards),
    )
