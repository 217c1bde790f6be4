"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases."""

import gc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from logrules.model.record import record
from logrules.ruleset.kept_values import cached_pack, keep_pack, keep_value, kept_value
from logrules.ruleset.load import CASE_NAME, digest_of, own_texts, shipped_rules, shipped_texts
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.settings import Settings
from logrules.ruletest.rule_tests import Case, Suite, Test, find_cases, read_cases

if TYPE_CHECKING:
    from logrules.ruleset.compile import Reader
    from logrules.ruleset.config import Config

# A pack and the tests in its files.
Tested: TypeAlias = tuple[Pack, Suite]


@record
class Collection:
    """A pack and what is to be tested on it."""

    pack: Pack
    suite: Suite
    cases: tuple[Case, ...] = ()

    def tests(self, word: str = "") -> tuple[Test, ...]:
        """All tests whose name contains ``word``: cases first, which take longest."""
        return tuple(test for test in (*self.cases, *self.suite) if word in test.name)


def collect(paths: Sequence[str | Path] = (), settings: Settings | None = None) -> Collection:
    """The tests at or below the paths, on the shipped rules, those of the settings and those there.

    Without paths it is the tests of the packs that the settings name or, where they name none, all that is shipped.
    Of rules beside the shipped ones only they are compiled. Raises PackError with every problem found.
    """
    given = [Path(path) for path in paths] or list(settings.packs if settings else ())
    texts, asked = asked_texts(given, settings)
    pack, suite = known_collection(texts, settings)
    shown = frozenset(text.shown for text in asked)
    chosen = tuple(one for one in suite if one.place.path in shown) if given else suite
    return Collection(pack, chosen, read_cases(find_cases(given or shipped_cases())))


def compiled(texts: Sequence[RuleText], settings: Settings | None = None, read: "Reader | None" = None) -> Tested:
    """The pack that the texts spell and the tests in them; each text is read once. Raises PackError.

    Of the settings only what they add counts: an example holds whatever rules a project switches off.
    """
    from logrules.ruleset.compile import read_source, read_sources
    from logrules.ruleset.config import checked
    from logrules.ruletest.file_contents import suite_of

    config = checked(settings)
    reading = read_sources(texts, config, read or read_source)
    return reading.pack(_digest(texts, config)), suite_of(reading.sources)


def known_collection(texts: Sequence[RuleText], settings: Settings | None, read: "Reader | None" = None) -> Tested:
    """The same, as it was kept, or of rules that come beside the shipped ones, put on what was kept of those."""
    from logrules.ruleset.compile import added_rules, read_source
    from logrules.ruleset.config import checked
    from logrules.ruletest.file_contents import suite_of

    config = checked(settings)
    digest = _digest(texts, config)
    kept: Suite | None = kept_value("suite", digest, tuple)
    if kept is not None and (known := cached_pack(digest)) is not None:
        return known, kept
    added = added_rules(texts, config, read or read_source)
    if added is None:
        pack, suite = compiled(texts, settings, read)
        gc.collect()  # the parser of conditions leaves cycles, with every document in them
        keep_pack(pack)
        keep_value("suite", digest, suite)
        return pack, suite
    pack, suite = known_collection([text for text in texts if not text.origin], None)
    own = suite_of(added.sources)
    replaced = {one.owner for one in own}
    return added.pack(digest, pack), (*(one for one in suite if one.owner not in replaced), *own)


def _digest(texts: Sequence[RuleText], config: "Config | None") -> str:
    """What identifies the texts, and what a configuration adds to them: not what it leaves out of their pack."""
    added = config.sources() if config is not None else ()
    return digest_of([*texts, *(RuleText(one.document.path, repr(one.file).encode()) for one in added)])


def asked_texts(given: Sequence[Path], settings: Settings | None) -> tuple[list[RuleText], list[RuleText]]:
    """Every rule file that has a say (the shipped ones, those of the settings, those at or below the paths given).

    And those that are asked for: at or below the paths or, without paths, all.
    """
    texts = [*shipped_texts(), *own_texts(settings, own_roots(given, settings))]
    roots = [path.resolve() for path in given]
    asked = [one for one in texts if not roots or _within(one.path, given) or _within(one.path.resolve(), roots)]
    return texts, asked


def own_roots(paths: Iterable[Path], settings: Settings | None = None) -> list[Path]:
    """The paths that hold rules beyond the shipped ones and those of the settings."""
    known = [root.resolve() for root in (shipped_rules(), *(settings.packs if settings else ()))]
    return [path for path in paths if path.name != CASE_NAME and not (path.exists() and _within(path.resolve(), known))]


def _within(path: Path, roots: Iterable[Path]) -> bool:
    return any(map(path.is_relative_to, roots))


def shipped_cases() -> list[Path]:
    """The folder of the cases that come with logrules: beside the rules, in a checkout and in the package."""
    root = shipped_rules().parent
    return [folder for folder in (root / "fixtures", root / "_fixtures") if folder.is_dir()][:1]
