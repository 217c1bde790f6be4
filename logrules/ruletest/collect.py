"""Paths to the tests that they hold: the pack to run on, the rule files' own tests, and the cases."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.model.errors import PackError
from logrules.ruleset.kept_values import keep_value, kept_value
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
from logrules.ruletest.case import Case, find_cases, read_cases
from logrules.ruletest.suite import Suite


@dataclass(frozen=True, slots=True)
class Collection:
    """A pack and what is to be tested on it."""

    pack: Pack
    suite: Suite
    cases: tuple[Case, ...] = ()


def collect(paths: Sequence[str | Path] = (), settings: Settings | None = None) -> Collection:
    """The tests at or below the paths, on the shipped rules, those of the settings and those there.

    Without paths it is the tests of the packs that the settings name or, where they name none, all that is shipped.
    What was compiled in an earlier run is not compiled again. Raises PackError with every problem found.
    """
    given = [Path(path) for path in paths] or list(settings.packs if settings else ())
    texts = all_texts(given, settings)
    pack, suite = known_collection(texts, settings)
    chosen = suite.within(shown_in(given, texts)) if given else suite
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


def digest_of_cases(paths: Iterable[Path]) -> str:
    """What identifies cases: their files, the names beside them, and the code that reads them."""
    seen = hashlib.sha256(digest_of([]).encode())
    for path in paths:
        names = sorted(entry.name for entry in os.scandir(path.parent))
        raw = rule_bytes(path)
        seen.update(f"\0{path}\0{len(raw)}\0{names}\0".encode(errors="surrogateescape") + raw)
    return seen.hexdigest()


def compiled(texts: Sequence[RuleText], settings: Settings | None = None) -> tuple[Pack, Suite]:
    """The pack that the texts spell and the tests in them; each text is read once. Raises PackError.

    Of the settings only what they add counts: an example holds whatever rules a project switches off.
    """
    from logrules.ruleset.compile import read_sources
    from logrules.ruleset.config import checked
    from logrules.ruletest.embedded_tests import suite_of

    config = checked(settings) if settings is not None and settings.path else None
    reading = read_sources(texts, config)
    pack, problems = reading.pack(digest_of([*texts, *settings_text(settings)]))
    if pack is None:
        raise PackError(problems)
    return pack, suite_of(reading.sources)


def known_collection(texts: Sequence[RuleText], settings: Settings | None) -> tuple[Pack, Suite]:
    """The same, kept from an earlier run, or put together of the shipped pack and what is beside it."""
    digest = digest_of([*texts, *settings_text(settings)])
    return _kept_collection(digest) or _on_shipped(texts, settings) or _kept(texts, settings)


def _kept(texts: Sequence[RuleText], settings: Settings | None = None) -> tuple[Pack, Suite]:
    """What the texts compile to, kept for the next run."""
    pack, suite = compiled(texts, settings)
    keep_pack(pack)
    keep_value("suite", pack.digest, suite)
    return pack, suite


def _kept_collection(digest: str) -> tuple[Pack, Suite] | None:
    """The pack and the whole suite that were kept under this digest."""
    suite = kept_value("suite", digest, Suite)
    pack = cached_pack(digest) if suite is not None else None
    return None if suite is None or pack is None else (pack, suite)


def _on_shipped(texts: Sequence[RuleText], settings: Settings | None) -> tuple[Pack, Suite] | None:
    """The shipped pack with the rules of others; None where these are many, or more than rules of ids of their own."""
    own = [text for text in texts if text.origin]
    if not 0 < len(own) <= MAX_ADDED:
        return None
    from logrules.ruleset.compile import read_sources
    from logrules.ruleset.config import checked
    from logrules.ruleset.models import RuleFile
    from logrules.ruleset.patch import patched
    from logrules.ruletest.embedded_tests import suite_of

    if settings is not None and settings.path and any(True for _ in checked(settings).sources()):
        return None
    shipped = [text for text in texts if not text.origin]
    pack, suite = _kept_collection(digest_of(shipped)) or _kept(shipped)
    reading = read_sources(own)
    added = suite_of(reading.sources)
    ids = {example.owner for example in added.examples}
    of_rules = all(isinstance(source.file, RuleFile) for source in reading.sources)
    if not of_rules or len(ids) < len(reading.sources) or not ids.isdisjoint(one.owner for one in suite.examples):
        return None
    return patched(pack, reading), suite.joined(added)


def all_texts(given: Iterable[Path], settings: Settings | None = None) -> list[RuleText]:
    """Every rule file that has a say: the shipped ones, those of the settings, and those at or below the paths."""
    return [*shipped_texts(), *own_texts(settings, own_roots(given, settings))]


def own_roots(paths: Iterable[Path], settings: Settings | None = None) -> list[Path]:
    """The paths that hold rules beyond the shipped ones and those of the settings."""
    known = [root.resolve() for root in (shipped_rules(), *(settings.packs if settings else ()))]
    return [path for path in paths if path.name != CASE_NAME and not (path.exists() and _within(path.resolve(), known))]


def shown_in(paths: Iterable[Path], texts: Iterable[RuleText]) -> frozenset[str]:
    """The names of the rule files at or below the paths."""
    given = [path.resolve() for path in paths]
    return frozenset(text.shown for text in texts if _within(text.path.resolve(), given))


def files_in(paths: Sequence[Path], settings: Settings) -> dict[str, Path]:
    """The rule files that these paths, or without paths the settings, ask for, by the names that messages use."""
    given = list(paths) or list(settings.packs)
    texts = all_texts(given, settings)
    asked = shown_in(given, texts) if given else {text.shown for text in texts}
    return {text.shown: text.path for text in texts if text.shown in asked}


def _within(path: Path, roots: Iterable[Path]) -> bool:
    return any(map(path.is_relative_to, roots))


def shipped_cases() -> list[Path]:
    """The folder of the cases that come with logrules: beside the rules, in a checkout and in the package."""
    root = shipped_rules().parent
    return [folder for folder in (root / "fixtures", root / "_fixtures") if folder.is_dir()][:1]
