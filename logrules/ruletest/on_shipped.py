"""A team's own rules put on the shipped ones as these were kept: nothing that came with logrules is read anew."""

from collections.abc import Sequence
from dataclasses import dataclass

from logrules.model.errors import PackError
from logrules.ruleset.compile import Reading
from logrules.ruleset.config import Config
from logrules.ruleset.load import MAX_ADDED, digest_of
from logrules.ruleset.pack import Pack
from logrules.ruleset.patch import patched, rules_read
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.collect import compiled
from logrules.ruletest.embedded_tests import suite_of
from logrules.ruletest.result_cache import keep_collection, kept_collection
from logrules.ruletest.suite import Suite


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The checked files of a team's own rules, the pack that they make with all others, and the tests in all."""

    reading: Reading
    pack: Pack
    suite: Suite


def on_shipped(texts: Sequence[RuleText], config: Config | None) -> OwnRules | None:
    """The own rules among the texts, on the shipped ones.

    None where there is more to say: where they, or the configuration, hold more than rules of new names, are many, or
    have a fault, which only reading everything tells in full.
    """
    own = [text for text in texts if text.origin]
    if not 0 < len(own) <= MAX_ADDED or (config is not None and any(True for _ in config.sources())):
        return None
    shipped = [text for text in texts if not text.origin]
    known = kept_collection(digest_of(shipped))
    try:
        if known is None:
            known = compiled(shipped)
            keep_collection(shipped, *known)
        base, suite = known
        reading = rules_read(own, base)
        if reading is None or reading.problems or reading.replaced:
            return None
        return OwnRules(reading, patched(base, reading), suite.joined(suite_of(reading.sources)))
    except PackError:
        return None
