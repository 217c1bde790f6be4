"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases; all of it kept."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from logrules.model.record import record
from logrules.ruleset.kept_values import keep_value, kept_digests, kept_value
from logrules.ruleset.load import (
    CASE_NAME,
    MAX_ADDED,
    digest_of,
    own_texts,
    rule_bytes,
    settings_text,
    shipped_rules,
    shipped_texts,
)
from logrules.ruleset.pack import Pack
from logrules.ruleset.pack_cache import cached_pack, keep_pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruleset.settings import Settings
from logrules.ruletest.case import Case, Test, find_cases, read_cases
from logrules.ruletest.suite import Suite

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
        return tuple(test for test in (*self.cases, *self.suite.tests) if word in test.name)


@record
class Base:
    """Texts that were compiled before: their digest, that of the code which did, and the hash of each text by name."""

    digest: str
    code: str
    texts: Mapping[str, str]

    def differing(self, texts: Iterable[RuleText]) -> frozenset[str]:
        """The names of the texts that are not among these, or otherwise."""
        return frozenset(name for name, seen in hashes(texts).items() if self.texts.get(name) != seen)


def collect(
    paths: Sequence[str | Path] = (), settings: Settings | None = None, processes: int | None = 1
) -> Collection:
    """The tests at or below the paths, on the shipped rules, those of the settings and those there.

    Without paths it is the tests of the packs that the settings name or, where they name none, all that is shipped.
    Only what changed since an earlier run is compiled, by so many processes. Raises PackError with every problem found.
    """
    given = [Path(path) for path in paths] or list(settings.packs if settings else ())
    texts, asked = asked_texts(given, settings)
    pack, suite = known_collection(texts, settings, processes)
    chosen = suite.within(frozenset(text.shown for text in asked)) if given else suite
    return Collection(pack, chosen, known_cases(find_cases(given or shipped_cases())))


def known_cases(paths: Sequence[Path]) -> tuple[Case, ...]:
    """The cases in these files, kept from an earlier run where nothing about them has changed."""
    try:
        digest = digest_of_cases(paths)
    except OSError:
        return read_cases(paths)
    found = kept_value("cases", digest, tuple)
    if found is None:
        found = read_cases(paths)
        keep_value("cases", digest, found)
    return found


def compiled(texts: Sequence[RuleText], settings: Settings | None = None, processes: int | None = 1) -> Tested:
    """The pack that the texts spell and the tests in them; each text is read once. Raises PackError.

    Of the settings only what they add counts: an example holds whatever rules a project switches off.
    """
    from logrules.ruleset.compile import read_sources
    from logrules.ruleset.config import checked
    from logrules.ruletest.file_contents import suite_of
    from logrules.ruletest.parallel import reading_with

    reading = read_sources(texts, checked(settings), read=reading_with(processes))
    return reading.pack(digest_of([*texts, *settings_text(settings)])), suite_of(reading.sources)


def known_collection(texts: Sequence[RuleText], settings: Settings | None, processes: int | None = 1) -> Tested:
    """The same, kept from an earlier run, or put together from one of which little has changed. Raises PackError."""
    found = earlier_collection(texts, settings, processes)
    if found is None:
        found = compiled(texts, settings, processes)
        keep_collection([*texts, *settings_text(settings)], *found)
    return found


def earlier_collection(
    texts: Sequence[RuleText], settings: Settings | None, processes: int | None = 1
) -> Tested | None:
    """What earlier runs, or the shipped rules alone, make of the texts; None where all have to be compiled."""
    all_texts = [*texts, *settings_text(settings)]
    found = _kept_collection(digest_of(all_texts)) or _patched(all_texts, settings)
    if found is None and _adds_few_rules(texts):
        shipped = [text for text in texts if not text.origin]
        keep_collection(shipped, *compiled(shipped, processes=processes))
        found = _patched(all_texts, settings)
    return found


def _adds_few_rules(texts: Sequence[RuleText]) -> bool:
    """Whether a few rules, and nothing else, come beside the shipped files: what can be put on their pack."""
    from logrules.ruleset.compile import read_sources

    added = [text for text in texts if text.origin]
    return 0 < len(added) <= MAX_ADDED and read_sources(added).rules_alone


def _patched(texts: Sequence[RuleText], settings: Settings | None) -> Tested | None:
    """An earlier pack with the changed rules put anew; None where more than a few rules' contents changed."""
    base = nearest_base(texts)
    known = None if base is None else _kept_collection(base.digest)
    if base is None or known is None or len(changed := base.differing(texts)) > MAX_ADDED:
        return None
    if settings is not None and settings.path in changed and not _says_nothing_new(settings, base):
        return None
    from logrules.ruleset.compile import read_sources
    from logrules.ruleset.patch import patched
    from logrules.ruletest.file_contents import suite_of

    settled = {text.shown for text in settings_text(settings)}
    reading = read_sources([text for text in texts if text.shown in changed - settled])
    pack, suite = known
    rest = suite.within(frozenset(base.texts) - changed)
    now = suite_of(reading.sources)
    if not reading.rules_alone or not _same_rules(suite.within(changed), now, rest):
        return None
    return patched(pack, reading), rest.joined(now)


def _says_nothing_new(settings: Settings, base: Base) -> bool:
    """Whether settings that the base knows nothing of add nothing to what rules are made of."""
    from logrules.ruleset.config import checked

    config = checked(settings)
    return settings.path not in base.texts and not (config is not None and config.adds_rules)


def _same_rules(before: Suite, now: Suite, rest: Suite) -> bool:
    """Whether rules have the same ids now as before, or ids that are nobody's; every rule has an example."""
    was, ids, others = ({example.owner for example in one.examples} for one in (before, now, rest))
    return was <= ids and ids.isdisjoint(others)


def asked_texts(given: Sequence[Path], settings: Settings | None) -> tuple[list[RuleText], list[RuleText]]:
    """Every rule file that has a say (the shipped ones, those of the settings, those at or below the paths given).

    And those that are asked for: at or below the paths or, without paths, all.
    """
    texts = [*shipped_texts(), *own_texts(settings, own_roots(given, settings))]
    roots = [path.resolve() for path in given]
    return texts, [text for text in texts if not roots or _within(text.path.resolve(), roots)]


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


def keep_collection(texts: Sequence[RuleText], pack: Pack, suite: Suite) -> None:
    """Keep what these texts compile to for the next run."""
    keep_pack(pack)
    keep_value("suite", pack.digest, suite)
    keep_value("base", pack.digest, Base(pack.digest, digest_of([]), hashes(texts)))


def _kept_collection(digest: str) -> tuple[Pack, Suite] | None:
    """The pack and the whole suite that were kept under this digest."""
    suite = kept_value("suite", digest, Suite)
    pack = cached_pack(digest) if suite is not None else None
    return None if suite is None or pack is None else (pack, suite)


def digest_of_cases(paths: Iterable[Path]) -> str:
    """What identifies cases: their files, the names beside them, and the code that reads them."""
    seen = hashlib.sha256(digest_of([]).encode())
    for path in paths:
        names = sorted(entry.name for entry in os.scandir(path.parent))
        raw = rule_bytes(path)
        seen.update(f"\0{path}\0{len(raw)}\0{names}\0".encode(errors="surrogateescape") + raw)
    return seen.hexdigest()


def nearest_base(texts: Sequence[RuleText]) -> Base | None:
    """What this code compiled before from the same files, as few as possible of them changed or new."""
    names = {text.shown for text in texts}
    kept = (kept_value("base", digest, Base) for digest in kept_digests("base"))
    code = digest_of([])
    bases = [base for base in kept if base is not None and base.code == code and base.texts.keys() <= names]
    return min(bases, key=lambda base: len(base.differing(texts)), default=None)


def hashes(texts: Iterable[RuleText]) -> dict[str, str]:
    """The hash of each text by its name."""
    return {text.shown: hashlib.sha256(text.raw).hexdigest() for text in texts}
