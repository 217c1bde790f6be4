"""A compiled pack and its suite in the user's cache folder, with what they were made of."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.ruleset.kept_values import keep_value, kept_digests, kept_value
from logrules.ruleset.load import digest_of, rule_bytes
from logrules.ruleset.pack import Pack
from logrules.ruleset.pack_cache import cached_pack, keep_pack
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.suite import Suite


@dataclass(frozen=True, slots=True)
class Base:
    """Texts that were compiled before: their digest, and the hash of each by name."""

    digest: str
    texts: Mapping[str, str]


def keep_collection(texts: Sequence[RuleText], pack: Pack, suite: Suite) -> None:
    """Keep what these texts compile to for the next run."""
    keep_pack(pack)
    keep_value("suite", pack.digest, suite)
    manifest = {"digest": pack.digest, "code": digest_of([]), "texts": hashes(texts)}
    keep_value("base", pack.digest, manifest)


def kept_collection(digest: str) -> tuple[Pack, Suite] | None:
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


def nearest_base(texts: Sequence[RuleText]) -> tuple[Base, frozenset[str]] | None:
    """What was compiled before from the same files, as few as possible of them changed or new, and which these are."""
    names = {text.shown for text in texts}
    changes = [(base, differing(base, texts)) for base in _bases() if base.texts.keys() <= names]
    return min(changes, key=lambda found: len(found[1]), default=None)


def differing(base: Base, texts: Sequence[RuleText]) -> frozenset[str]:
    """The names of the texts that are not in the base, or otherwise."""
    return frozenset(name for name, seen in hashes(texts).items() if base.texts.get(name) != seen)


def hashes(texts: Sequence[RuleText]) -> dict[str, str]:
    """The hash of each text by its name."""
    return {text.shown: hashlib.sha256(text.raw).hexdigest() for text in texts}


def _bases() -> list[Base]:
    code = digest_of([])
    manifests = (kept_value("base", digest, dict) for digest in kept_digests("base"))
    return [Base(one["digest"], one["texts"]) for one in manifests if one is not None and one.get("code") == code]
