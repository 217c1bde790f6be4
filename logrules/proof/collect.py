"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.errors import PackError
from logrules.pack.load import RuleText, rule_texts, shipped_rules
from logrules.pack.pack import Pack
from logrules.proof.suite import Suite, suite_of


@dataclass(frozen=True, slots=True)
class Collection:
    """A pack and what is to be tested on it."""

    pack: Pack
    suite: Suite


def collect(folders: Sequence[str | Path] = ()) -> Collection:
    """The shipped rules and those in ``folders``. Raises PackError with every problem found."""
    return collect_texts(list(rule_texts([shipped_rules(), *map(Path, folders)])))


def collect_texts(texts: Iterable[RuleText]) -> Collection:
    """The pack that these texts spell and the tests that they carry; each text is read once."""
    from logrules.pack.assemble import assemble
    from logrules.pack.compile import read_sources
    from logrules.pack.load import digest_of

    known = list(texts)
    sources, problems = read_sources(known)
    pack, faults = assemble(sources, digest_of(known))
    if pack is None or problems:
        raise PackError((*problems, *faults))
    return Collection(pack, suite_of(sources))
