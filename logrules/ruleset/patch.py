"""A compiled pack with a few rules put anew: most of a pack does not change, or came with logrules."""

from collections.abc import Callable, Sequence

from logrules.model.errors import PackError
from logrules.model.record import replace
from logrules.ruleset import models as schema
from logrules.ruleset.apply_settings import with_settings
from logrules.ruleset.assemble import unknown_waits
from logrules.ruleset.compile import CheckedFiles, read_sources
from logrules.ruleset.config import checked
from logrules.ruleset.long_tables import RuleTable, SignalTable
from logrules.ruleset.pack import Pack, Signal
from logrules.ruleset.pack_builder import PackBuilder, Vocabulary
from logrules.ruleset.rule_builder import add_rule
from logrules.ruleset.rule_file import SHIPPED, RuleText
from logrules.ruleset.settings import Settings


def with_rules(
    texts: Sequence[RuleText], digest: str, settings: Settings | None, shipped: Callable[[], Pack]
) -> Pack | None:
    """The shipped pack with the rules that these texts spell, as the settings want it: nothing else is compiled.

    None where the texts or the settings say more than rules. Raises PackError with every problem.
    """
    config = checked(settings)
    if config is not None and config.adds_rules:
        return None
    base = shipped()
    before = {rule.id: f"{SHIPPED}/{rule.id}.yaml" for rule in base.rules if not rule.from_table}
    read = read_sources(texts, before=before)
    if not read.rules_alone:
        return None
    pack = replace(patched(base, read), digest=digest, origins=read.origins(), replaced=read.replaced)
    return pack if config is None else with_settings(pack, config)


def patched(pack: Pack, read: CheckedFiles) -> Pack:
    """The pack with the rules that were read in the place of those of the same id, or beside the others.

    It behaves as if it were compiled from all files; only its signals have other numbers. Its digest is
    that of the old pack, so it must not be kept. Raises PackError with every problem.
    """
    files = [(source, source.file) for source in read.sources if isinstance(source.file, schema.RuleFile)]
    vocabulary = Vocabulary.of_pack(pack)
    draft = _without(pack, frozenset(file.id for _, file in files))
    for source, file in files:
        add_rule(draft, source, file, vocabulary)
    problems = (*read.problems, *draft.problems, *unknown_waits(draft, read.sources))
    if problems:
        raise PackError(problems)
    trace = None if pack.trace is None else replace(pack.trace, records=tuple(draft.records))
    return replace(
        pack,
        signals=SignalTable(draft.signals),
        # Rows of tables come last, as they do where all is compiled.
        rules=RuleTable(sorted(draft.rules.values(), key=lambda rule: rule.from_table)),
        cards=draft.cards,
        trace=trace,
    )


def _without(pack: Pack, gone: frozenset[str]) -> PackBuilder:
    """A draft of the pack in which the signals of some rules keep their numbers and are never found."""
    lost = {number for number, signal in enumerate(pack.signals) if signal.owner in gone}
    return PackBuilder(
        signals=[Signal(one.id, ()) if number in lost else one for number, one in enumerate(pack.signals)],
        rules={rule.id: rule for rule in pack.rules},
        waits={wait.id: wait for wait in pack.waits},
        records=[number for number in (pack.trace.records if pack.trace else ()) if number not in lost],
        cards=dict(pack.cards),
    )
